#pragma once
/// Internal: the placements of a script on one grid, seen by classes of processors. Speaks of
/// placements on the root grid of equal processors only; what else there is, `unsupported` names.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "axis_cut.h"
#include "gridcast/machine/grid.h"
#include "gridcast/rules/options.h"
#include "gridcast/rules/script.h"
#include "processor_classes.h"

namespace gridcast::model {

/// A placement: per dimension of the grid how it cuts.
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
};

class ClassMapping {
public:
  ClassMapping(const Script& script, const ModelOptions& options);

  /// Why no grid of this script can be seen by classes; empty if there is no reason.
  [[nodiscard]] const char* unsupported() const noexcept { return unsupported_; }

  /// From now on the first and the last coordinate of each run are runs of their own, so that the
  /// neighbours of a class's processors are alike too.
  void cut_off_borders() noexcept { cut_off_borders_ = true; }

  /// Per class: whether its processors stand for those that hold the same iterations of a loop
  /// (docs/model.md §5, reductions).
  void representatives(std::uint32_t placement, std::vector<std::uint8_t>& result) const;

  /// Works out everything for a grid. Returns why it cannot be done on this grid, or null.
  const char* reset(const machine::Grid& grid);

  [[nodiscard]] const Script& script() const noexcept { return *script_; }
  [[nodiscard]] const ProcessorClasses& classes() const noexcept { return classes_; }
  [[nodiscard]] const ClassLayout& layout(std::uint32_t placement) const noexcept {
    return layouts_[placement];
  }

  /// Elements (iterations) that a processor of each class holds.
  void counts(std::uint32_t placement, std::vector<double>& result) const;

  /// What a processor of the class holds of each dimension, as a size; false if it holds nothing.
  bool block(const ClassLayout& layout, std::size_t which,
             std::span<std::int64_t> sizes) const noexcept;

private:
  void find_used();
  const char* look_at(std::uint32_t placement) const;
  const char* cut_template(std::uint32_t target, const machine::Grid& grid);
  void lay_out(std::uint32_t placement);
  static void lay_over(ClassLayout& layout, std::size_t dim, const BlockCut& blocks,
                       const mapping::AxisRule& rule);
  void use(const CommunicationSpec& spec);
  void use_shadows(Slice parts);
  void cut(const machine::Grid& grid);

  const Script* script_;
  ModelOptions options_;
  const char* unsupported_ = nullptr;
  std::vector<std::uint32_t> used_;     // placements
  std::vector<std::uint32_t> targets_;  // of those
  std::vector<std::uint32_t> rooted_;   // placements of loops that reduce
  bool cut_off_borders_ = false;
  bool processor_zero_ = false;  // processor 0 is a class of its own: input and output
  std::vector<std::array<BlockCut, machine::max_grid_rank>> blocks_;  // per target
  std::vector<ClassLayout> layouts_;
  std::array<std::vector<std::int64_t>, machine::max_grid_rank> borders_;
  ProcessorClasses classes_;
};

}  // namespace gridcast::model
