#pragma once
/// Completion for shells, made from the definitions of the command lines.

#include <CLI/CLI.hpp>
#include <span>
#include <string>

namespace gridcast::cli {

/// The scripts for all programs together, to be sourced or put where the shell looks for
/// completions.
/// @{
[[nodiscard]] std::string bash_completion(std::span<const CLI::App* const> programs);
[[nodiscard]] std::string zsh_completion(std::span<const CLI::App* const> programs);
[[nodiscard]] std::string fish_completion(std::span<const CLI::App* const> programs);
/// @}

}  // namespace gridcast::cli
