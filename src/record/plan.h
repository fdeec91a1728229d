#pragma once
/// Which runs to record, so that a description can be made of them.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gridcast::record {

/// Reads "1000x700": one to four numbers of 1 or more. Throws InputError.
[[nodiscard]] std::vector<std::int64_t> parse_extents(std::string_view text);

/// "1000x700".
[[nodiscard]] std::string extents_text(const std::vector<std::int64_t>& extents);

/// A run to record.
struct PlannedRun {
  std::vector<std::int64_t> grid;
  std::vector<std::int64_t> extents;
  std::string reason;
};

/// The runs for a program whose grid has as many dimensions as there are extents; structure runs
/// have these extents, at most one more where 3 divides one.
[[nodiscard]] std::vector<PlannedRun> plan_runs(const std::vector<std::int64_t>& extents);

}  // namespace gridcast::record
