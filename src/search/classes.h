#pragma once
/// Classes of evaluated grids that differ in one dimension only, and what they exclude
/// ([Predictor2010 §5]; docs/model.md §7).

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "gridcast/machine/grid.h"

namespace gridcast::search {

/// The grids of a class: the dimension in which they differ and the extents of the others (1 in
/// that dimension).
struct ClassKey {
  int dim = 0;
  std::array<std::int32_t, machine::max_grid_rank> others{};

  friend auto operator<=>(const ClassKey&, const ClassKey&) = default;
};

/// The class of `grid` along `dim`.
[[nodiscard]] ClassKey class_of(const machine::Grid& grid, int dim) noexcept;

/// Extents along a class's dimension that are worth evaluating.
struct Range {
  std::int32_t first = 1;
  std::int32_t last = std::numeric_limits<std::int32_t>::max();

  [[nodiscard]] bool contains(std::int32_t extent) const noexcept {
    return first <= extent && extent <= last;
  }
};

/// Bookkeeping of all classes.
class Classes {
public:
  /// Files an evaluated grid; `cost` may be infinite (it excludes like a very slow one).
  void file(const machine::Grid& grid, double cost);

  /// The ranges that became narrower since the last call. `best_cost`: the least cost so far; a
  /// neighbour of a class's best closes the range only if it is at least 0.25 % worse than that.
  [[nodiscard]] std::map<ClassKey, Range> narrowed(double best_cost);

private:
  struct Member {
    std::int32_t extent = 1;
    double cost = 0.0;
  };
  struct Class {
    std::vector<Member> members;  ///< in order of evaluation
    Range range;                  ///< applied so far
  };

  [[nodiscard]] static Range range_of(const std::vector<Member>& members, double best_cost);

  std::map<ClassKey, Class> classes_;
};

}  // namespace gridcast::search
