#pragma once
/// Which rounds a reduction by pairs has (docs/model.md §10).

#include "gridcast/rules/options.h"

namespace gridcast::model {

/// Bytes of the values that reductions are cut between.
inline constexpr double reduced_value = 8.0;

/// True for doubling, false for Rabenseifner's algorithm. `kind`: doubling, rabenseifner,
/// automatic.
[[nodiscard]] constexpr bool is_doubled(ReductionKind kind, double bytes, double processes) {
  constexpr double most_doubled = 2048.0;  // bytes
  return kind == ReductionKind::automatic
             ? bytes <= most_doubled || bytes < reduced_value * processes
             : kind == ReductionKind::doubling;
}

}  // namespace gridcast::model
