#pragma once
/// What an exact search (mode 4) had shown of the grids without a row when its run ended: the group
/// /proof of docs/store.md.

#include <cstdint>
#include <vector>

#include "gridcast/search/strategy.h"

namespace gridcast::store {

/// What the bounds of all runs so far say of the candidates.
struct Proof {
  std::int64_t max_processors = 1;  ///< of the machine that a candidate takes
  std::int64_t excluded = 0;        ///< candidates that the bounds show to be worse than the best
  std::vector<search::OpenBox> boxes;  ///< without overlaps; empty if nothing is open
};

}  // namespace gridcast::store
