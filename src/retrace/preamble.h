#pragma once
/// The lines of a trace before its first counted call that say how many processes ran.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gridcast::trace {

/// The number in `ProcCount=N` (not VProcCount), if the line has it.
[[nodiscard]] std::optional<std::int64_t> process_count_in(std::string_view line);

/// The number that a trace says. Throws InputError if it says none.
[[nodiscard]] std::int64_t process_count_of(const std::filesystem::path& path);

/// The preamble of one process of a run as that of a run on one process whose virtual processor
/// system is the grid that was traced: the form in which the library writes it.
[[nodiscard]] std::string as_virtual_run(std::string_view preamble,
                                         const std::vector<std::int64_t>& grid);

/// A preamble for a generated trace. `grid` empty: no virtual processor system. `file` and `line`
/// are the place of the main interval; `note` is an informational line.
[[nodiscard]] std::string new_preamble(const std::vector<std::int64_t>& grid, std::string_view file,
                                       std::uint32_t line, std::string_view note);

}  // namespace gridcast::trace
