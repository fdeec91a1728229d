#pragma once
/// Where the elements of an array, or the iterations of a loop, are, by classes of processors: what
/// Layout says, without a list of processors or coordinates.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "gridcast/machine/grid.h"
#include "gridcast/mapping/axis_cut.h"
#include "gridcast/mapping/processor_classes.h"

namespace gridcast::mapping {

/// Per dimension of the grid how it cuts. Begun with begin(), laid over the dimensions of the grid
/// one by one, complete with finish().
struct ClassLayout {
  std::array<AxisCut, machine::max_grid_rank> cuts;
  std::span<const std::int64_t> extents;
  std::array<int, machine::max_grid_rank>
      dims{};  ///< dimension that each grid dimension cuts or -1

  /// How many processors hold the same part as any one that holds something.
  double copies = 1.0;
  /// Product of the extents that no grid dimension cuts.
  double uncut = 1.0;
  /// Per grid dimension: all coordinates that hold something hold the same.
  std::array<bool, machine::max_grid_rank> replicated{};
  bool fully_replicated = true;

  /// Something of these extents that no dimension cuts so far. `all` must outlive the layout.
  void begin(std::span<const std::int64_t> all);
  /// Dimension `dim` of the grid cuts the dimension of the template that `rule` speaks of; `blocks`
  /// must outlive the layout.
  void lay_over(int dim, const BlockCut& blocks, const AxisRule& rule);
  /// All dimensions of the grid of `classes` were seen.
  void finish(const ProcessorClasses& classes);

  /// Elements (iterations) in all, each counted once.
  [[nodiscard]] double elements() const noexcept;
  /// Elements (iterations) that a processor of each class holds.
  void counts(const ProcessorClasses& classes, std::vector<double>& result) const;
  /// What a processor of the class holds of each dimension, as a size; false if it holds nothing.
  bool block(const ProcessorClasses& classes, std::size_t which,
             std::span<std::int64_t> sizes) const noexcept;

  /// Whether, of those that hold the same iterations of a loop, the one with coordinate x of
  /// dimension `dim` speaks for all, as far as that dimension decides (docs/model.md §5,
  /// reductions).
  [[nodiscard]] bool speaks(int dim, std::int64_t x) const noexcept {
    const AxisCut& cut = cuts[static_cast<std::size_t>(dim)];
    return !cut.active() ? x == 0 : cut.dim() < 0 ? x == cut.first() : !cut.range(x).empty();
  }
  /// Per class: whether its processors speak for those that hold the same iterations. The first
  /// coordinate of each dimension that holds something must be a run of its own.
  void speakers(const ProcessorClasses& classes, std::vector<std::uint8_t>& result) const;
  /// How many processors with numbers below `number` do.
  [[nodiscard]] std::int64_t speakers_below(const ProcessorClasses& classes,
                                            std::int64_t number) const;
};

}  // namespace gridcast::mapping
