#pragma once
/// Internal: grids that only differ in processors without any elements (docs/search.md, "Empty
/// processors").

#include <array>
#include <optional>
#include <vector>

#include "bound_machine.h"
#include "gridcast/machine/grid.h"
#include "gridcast/rules/options.h"
#include "gridcast/rules/script.h"

namespace gridcast::model {

/// Knows for which programs processors that stay empty cannot make others faster.
class EmptyProcessors {
public:
  EmptyProcessors(const Script& script, const ModelOptions& options);

  /// The smallest grid with the same blocks along the first dimension of `grid` with more than one
  /// processor, if that leaves processors out and its predicted time is surely no longer.
  [[nodiscard]] std::optional<machine::Grid> without(const machine::Grid& grid,
                                                     BoundMachine& machine) const;

private:
  /// Elements and block multiplier of a template dimension.
  struct Axis {
    std::int64_t elements = 0;
    std::int64_t multiplier = 1;
    [[nodiscard]] std::int64_t block(std::int64_t processors) const noexcept;
    friend bool operator==(const Axis&, const Axis&) = default;
  };

  /// What is cut along each dimension of the grid; empty where the rule does not apply.
  std::array<std::vector<Axis>, machine::max_grid_rank> axes_;
};

}  // namespace gridcast::model
