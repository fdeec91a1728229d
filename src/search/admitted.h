#pragma once
/// What a heuristic search knows about the grids that meet the conditions: conditions can leave
/// grids that no step from one to the next would reach.

#include <vector>

#include "gridcast/search/candidates.h"

namespace gridcast::search {

/// The candidates of a space in their order, or an even selection of them if they are many.
class AdmittedGrids {
public:
  AdmittedGrids(const SearchSpace& space, Selection selection);

  /// About `wanted` grids, evenly over the order; all if there are at most `few`.
  [[nodiscard]] std::vector<machine::Grid> sample(std::size_t wanted, std::size_t few) const;

  /// Grids near `grid` in the order, on either side, farther away on higher levels: the next one,
  /// then 2 and 3 places away, then 4 to 7, ...
  [[nodiscard]] std::vector<machine::Grid> neighbours(const machine::Grid& grid, int level) const;

private:
  std::vector<machine::Grid> grids_;
};

}  // namespace gridcast::search
