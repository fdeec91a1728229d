#pragma once
/// A command for several runs: names in braces stand for what differs between them.

#include <cstdint>
#include <string>
#include <vector>

namespace gridcast::record {

/// The command of a run: {} is its number of processes, {p1} {p2} ... the extents of the grid,
/// {grid} all of them (2x1), {n1} {n2} ... the extents of the problem, {extents} all of them.
/// Braces behind a $, or around something else than letters and digits, stay. Throws InputError for
/// other names.
[[nodiscard]] std::vector<std::string> filled_command(const std::vector<std::string>& command,
                                                      const std::vector<std::int64_t>& grid,
                                                      const std::vector<std::int64_t>& extents);

/// For each of so many extents of the problem whether the command names it.
[[nodiscard]] std::vector<bool> named_extents(const std::vector<std::string>& command,
                                              std::size_t count);

}  // namespace gridcast::record
