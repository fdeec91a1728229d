#pragma once
/// Measured times for the parameters of a described program (docs/programs.md).

#include <filesystem>

#include "gridcast/retrace/generate.h"

namespace gridcast::trace {

/// Reads a table of kernels: a line "NAME,SECONDS" gives parameter NAME this value; further columns
/// are ignored, so are empty lines, lines that begin with '#', and a first line without a number.
/// Throws InputError (file and line).
[[nodiscard]] ParameterValues read_kernel_times(const std::filesystem::path& file);

}  // namespace gridcast::trace
