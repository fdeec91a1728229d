#pragma once
/// Which runs to record, so that a description can be made of them.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gridcast::record {

/// Reads "1000x700", the value of `option`: one to four numbers of 1 or more. Throws InputError.
[[nodiscard]] std::vector<std::int64_t> parse_extents(std::string_view text,
                                                      std::string_view option = "--extents");

/// "1000x700".
[[nodiscard]] std::string extents_text(const std::vector<std::int64_t>& extents);

/// A run to record.
struct PlannedRun {
  std::vector<std::int64_t> grid;
  std::vector<std::int64_t> extents;
  std::string reason;
};

/// The runs that show which messages go to whom, on at most 6 processes. The grids have `rank`
/// dimensions, at most as many as there are extents: they cut the first ones.
[[nodiscard]] std::vector<PlannedRun> plan_structure_runs(const std::vector<std::int64_t>& extents,
                                                          std::size_t rank);

/// Gives some structure runs other extents, not alike in all dimensions: what follows an extent is
/// told from a constant. With `cut`, those that cut two dimensions in two, or the only one, are
/// shorter along these; the last is longer where the grid does not cut. For programs that take
/// every size.
void vary_extents(std::vector<PlannedRun>& structure, bool cut);

/// The runs on one process that show how long computation takes: blocks of four sizes up to the
/// extents.
[[nodiscard]] std::vector<PlannedRun> plan_size_runs(const std::vector<std::int64_t>& extents,
                                                     std::size_t rank);

/// The extents, with one more where 3 divides one: structure runs then show how uneven blocks are
/// cut.
[[nodiscard]] std::vector<std::int64_t> uneven_extents(std::vector<std::int64_t> extents);

/// Structure runs of uneven_extents(), and size runs, on grids that cut all extents.
[[nodiscard]] std::vector<PlannedRun> plan_runs(const std::vector<std::int64_t>& extents);

/// Extents to record, in the shape of a large problem, with the volume of four of its blocks
/// on so many processors: runs on one process then have smaller and larger blocks than those.
/// Between 65,536 and 1,048,576 elements, at most those of the problem, at least 12 along each
/// dimension.
[[nodiscard]] std::vector<std::int64_t> small_extents(const std::vector<std::int64_t>& extents,
                                                      std::int64_t processors);

}  // namespace gridcast::record
