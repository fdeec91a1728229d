#pragma once
/// Completion for shells, made from the definition of the command line.

#include <CLI/CLI.hpp>
#include <string>

namespace gridcast::cli {

/// The scripts, to be sourced or put where the shell looks for completions.
/// @{
[[nodiscard]] std::string bash_completion(const CLI::App& app);
[[nodiscard]] std::string zsh_completion(const CLI::App& app);
[[nodiscard]] std::string fish_completion(const CLI::App& app);
/// @}

}  // namespace gridcast::cli
