#pragma once
/// The fewest processors and nodes on which a program is hardly slower than on the fastest grid:
/// the group /front of docs/store.md.

#include <array>
#include <cstdint>
#include <vector>

#include "gridcast/machine/grid.h"

namespace gridcast::store {

/// One line of the front.
struct FrontEntry {
  double within = 0.0;    ///< share by which it may be slower than the fastest
  bool by_nodes = false;  ///< fewest nodes, of these the fastest; false: fewest processors
  std::array<std::int32_t, machine::max_grid_rank> extents{1, 1, 1, 1};  ///< p1…p4, unused 1
  std::int64_t processors = 1;                                           ///< of the grid: processes
  std::int64_t nodes = 1;
  double execution_time = 0.0;  ///< seconds
  bool proven = false;          ///< no candidate has fewer
  std::int64_t at_least = 1;    ///< processors of the machine, or nodes: none takes fewer
  std::int32_t threads = 1;     ///< of each process
  bool operator==(const FrontEntry&) const = default;
};

/// By ascending share, each by processors and by nodes; empty if none was asked for.
using Front = std::vector<FrontEntry>;

/// What two runs on the same rows have shown: `now`, but what `before` had proven, and the higher
/// of both limits where neither had.
[[nodiscard]] Front joined(Front now, const Front& before);

}  // namespace gridcast::store
