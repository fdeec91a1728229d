#pragma once
/// From the words of a command line to a command and its options, for every program that has some.

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "options.h"

namespace gridcast::cli {

/// --config and the variables of the options before it, for --help: parse_words() reads both before
/// it parses the options.
void add_config(CLI::App& command, Session& session);

/// --version.
void add_version(CLI::App& app);

/// The command that the words have reached, e.g. "gridcast trace info".
[[nodiscard]] std::string reached_command(const CLI::App& app);

/// Parses the words behind the name of the program, with what they leave to the environment, then
/// to the file of --config, then to that of the site put in, and sets up the log. Returns the exit
/// code if nothing is left to do: help was printed, or what is wrong with a word. Throws InputError
/// about what was put in.
[[nodiscard]] std::optional<int> parse_words(CLI::App& app, const Session& session,
                                             std::vector<std::string> words);

}  // namespace gridcast::cli
