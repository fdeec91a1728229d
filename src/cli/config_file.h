#pragma once
/// --config: the options of a command from a file.

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace gridcast::cli {

/// The words of a command line with the options of its --config FILE put in, a table in TOML:
/// names without dashes, texts, numbers, lists of these (an option given several times), true and
/// false for options without a value; TRACE and the like in small letters. An option that the
/// command line gives is not taken from the file. Throws InputError (file and line).
[[nodiscard]] std::vector<std::string> with_config(CLI::App& app, std::vector<std::string> words);

}  // namespace gridcast::cli
