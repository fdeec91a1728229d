#pragma once
/// What the definition of the command line says, for everything that is made from it: completion,
/// manual pages, suggestions, configuration files.

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace gridcast::cli {

/// A command with its program ("gridcast") and the words that lead to it: "", "trace", "trace
/// info".
struct Command {
  std::string program;
  std::string path;
  const CLI::App* app = nullptr;
};

/// All commands below `app` and `app` itself, each before its parts, in the order of the help.
[[nodiscard]] std::vector<Command> all_commands(const CLI::App& app);

/// The commands directly below one.
[[nodiscard]] std::vector<const CLI::App*> parts_of(const CLI::App& command);

/// The names of an option with their dashes, long ones first: "--machine", "-m".
[[nodiscard]] std::vector<std::string> names_of(const CLI::Option& option);

/// Whether the option takes a value.
[[nodiscard]] bool takes_value(const CLI::Option& option);

/// The words that an option takes ("time", "efficiency"), if there are only so many.
[[nodiscard]] std::vector<std::string> words_of(const CLI::Option& option);

/// The name that is most like a mistyped one; empty if none is.
[[nodiscard]] std::string nearest(std::string_view word, const std::vector<std::string>& names);

}  // namespace gridcast::cli
