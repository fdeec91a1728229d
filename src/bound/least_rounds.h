#pragma once
/// Internal: what each process waits for in a reduction by pairs, at least (docs/model.md §10).

#include <optional>
#include <vector>

#include "gridcast/rules/options.h"
#include "least_mapping.h"

namespace gridcast::model {

/// The message that a process gets in one round.
struct LeastRound {
  double bytes = 0.0;
  double distance = 1.0;  ///< between the numbers of the two processes in the system
};

/// The rounds of a reduction by doubling or by Rabenseifner's algorithm on all grids of a box.
struct LeastRounds {
  std::vector<LeastRound> there;
  /// True for doubling; false for Rabenseifner, where as many rounds with the same bytes lead back;
  /// nothing if it depends on the grid.
  std::optional<bool> doubled;
};

/// `kind`: doubling, rabenseifner, or automatic: one of the two. `bytes`: of the values that are
/// reduced.
[[nodiscard]] LeastRounds least_rounds(ReductionKind kind, double bytes, const LeastView& view);

}  // namespace gridcast::model
