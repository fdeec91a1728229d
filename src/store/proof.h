#pragma once
/// What an exact search (mode 4) had shown of the grids without a row when its run ended: the group
/// /proof of docs/store.md.

#include <array>
#include <cstdint>
#include <vector>

#include "gridcast/machine/grid.h"

namespace gridcast::store {

/// Grids whose extents lie in ranges and that were still open; some may have rows, or be no
/// candidates.
struct OpenBox {
  std::array<std::int32_t, machine::max_grid_rank> first{1, 1, 1, 1};
  std::array<std::int32_t, machine::max_grid_rank> last{1, 1, 1, 1};
  /// None has a time or a cost below this, or an efficiency above it, by the objective; not a
  /// number: nothing is known.
  double bound = 0.0;
  std::int32_t threads = 1;  ///< of each process
  bool operator==(const OpenBox&) const = default;
};

/// What the bounds of all runs so far say of the candidates.
struct Proof {
  std::int64_t max_processors = 1;  ///< of the machine that a candidate takes
  std::int64_t excluded = 0;        ///< candidates that the bounds show to be worse than the best
  std::vector<OpenBox> boxes;       ///< without overlaps; empty if nothing is open
};

}  // namespace gridcast::store
