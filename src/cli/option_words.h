#pragma once
/// Words of a command line, and options that are put among them from elsewhere.

#include <toml++/toml.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace gridcast::cli {

/// The command that the words reach, and where the rest of them begins.
struct Reached {
  CLI::App* command = nullptr;
  std::size_t rest = 0;
};

[[nodiscard]] Reached reached_by(CLI::App& app, const std::vector<std::string>& words);

/// Whether the words of a command line give the option.
[[nodiscard]] bool is_given(const CLI::Option& option, const std::vector<std::string>& words);

/// A value of a file as a word of the command line; `name` is the option's. Throws InputError if it
/// is neither a text nor a number.
[[nodiscard]] std::string word_of(const std::string& file, const std::string& name,
                                  const toml::node& node);

}  // namespace gridcast::cli
