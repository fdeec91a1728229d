#pragma once
/// Internal: the placements of a script on one grid, seen by classes of processors. Speaks of
/// placements on the root grid of equal processors only; what else there is, `unsupported` names.

#include <array>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "axis_cut.h"
#include "gridcast/machine/grid.h"
#include "gridcast/rules/options.h"
#include "gridcast/rules/script.h"
#include "network_levels.h"
#include "processor_classes.h"
#include "spread.h"
#include "stretches.h"

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

  /// How many of them, those of processor `root` not counted, there are behind it under each
  /// network above it, but not under the one below that.
  void representatives_behind(std::uint32_t placement, std::int64_t root,
                              std::span<const NetworkLevel> levels,
                              std::vector<std::int64_t>& result) const;

  /// Works out everything for a grid. Returns why it cannot be done on this grid, or null.
  const char* reset(const machine::Grid& grid);

  [[nodiscard]] const ModelOptions& options() const noexcept { return options_; }
  /// --contiguous=first.
  [[nodiscard]] bool first_contiguous() const noexcept { return options_.first_contiguous; }
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

  /// The parts of the script that are looked at one after the other; a prediction begins in the
  /// first.
  [[nodiscard]] const std::vector<Stretch>& stretches() const noexcept { return stretches_; }
  /// Whether going on to this stretch needs other classes.
  [[nodiscard]] bool differs(const Stretch& next) const;
  /// Goes on to a stretch: classes() are its own from now on.
  void enter(std::size_t stretch);

  /// How a communication of the stretch spreads a section; null if it does something else.
  const Spread* spread(std::uint32_t communication);

private:
  struct KnownSpread {
    bool possible = false, found = false;
    std::uint64_t generation = 0;
    Spread spread;
  };
  [[nodiscard]] std::int64_t representatives_below(const ClassLayout& layout,
                                                   std::int64_t number) const;
  void look_at_spread(std::uint32_t communication, std::set<std::uint32_t>& targets);
  void lay_out_once(std::uint32_t placement);
  /// Roots of reductions, senders and receivers of sections, processor 0.
  void cut_around(const Stretch& stretch);
  void cut_off();
  const char* look_at(std::uint32_t placement) const;
  const char* cut_template(std::uint32_t target, const machine::Grid& grid);
  void lay_out(std::uint32_t placement);
  static void lay_over(ClassLayout& layout, std::size_t dim, const BlockCut& blocks,
                       const mapping::AxisRule& rule);

  const Script* script_;
  ModelOptions options_;
  const char* unsupported_ = nullptr;
  bool cut_off_borders_ = false;
  std::vector<Stretch> stretches_;  // one if the script is looked at as a whole
  bool split_ = false;
  const Stretch* current_ = nullptr;
  machine::Grid grid_;
  std::uint64_t generation_ = 0;                                      // of the grid
  std::vector<std::uint64_t> laid_out_;                               // per placement
  std::vector<KnownSpread> spreads_;                                  // per communication
  std::vector<std::uint32_t> targets_;                                // of the placements
  std::vector<std::array<BlockCut, machine::max_grid_rank>> blocks_;  // per target
  std::vector<ClassLayout> layouts_;
  std::array<std::vector<std::int64_t>, machine::max_grid_rank> borders_;
  ProcessorClasses classes_;
};

}  // namespace gridcast::model
