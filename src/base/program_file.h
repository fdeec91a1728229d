#pragma once
/// Where the running program lies, and what is installed with it.

#include <filesystem>
#include <optional>

namespace gridcast {

/// The file of the running program without symbolic links: `link` says it; where there is no /proc,
/// the name with which the system was told to start the program. Empty if neither can be read.
[[nodiscard]] std::filesystem::path program_file(
    const std::filesystem::path& link = "/proc/self/exe");

/// A library that is loaded at run time: beside the program or one folder above it, as in a build,
/// or in ../lib/gridcast, as installed. Nothing if it is in none of them.
[[nodiscard]] std::optional<std::filesystem::path> library_of_program(
    const std::filesystem::path& name);

}  // namespace gridcast
