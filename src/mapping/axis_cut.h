#pragma once
/// What the coordinates of one dimension of the root grid hold of an array or a loop, as
/// a function of the coordinate. No list with an entry per coordinate where the blocks are equal.

#include <cstdint>
#include <vector>

#include "gridcast/mapping/block_cut.h"
#include "gridcast/mapping/index_range.h"
#include "gridcast/mapping/layout.h"

namespace gridcast::mapping {

/// One dimension of the grid and one placement.
class AxisCut {
public:
  /// A dimension that does not cut: every coordinate holds the whole.
  void assign_whole();

  /// Blocks of the template dimension that `rule` speaks of; `extent` is that of the dimension of
  /// the placement that a linear rule names.
  void assign(const BlockCut& blocks, const AxisRule& rule, std::int64_t extent);

  [[nodiscard]] bool active() const noexcept { return active_; }
  /// The dimension that is cut, or -1 if coordinates only decide who holds the whole.
  [[nodiscard]] int dim() const noexcept { return rule_.dim; }
  [[nodiscard]] bool ascending() const noexcept { return rule_.coefficient >= 0; }

  /// What a coordinate holds of the dimension it cuts; [0,1) or nothing if it decides presence.
  [[nodiscard]] IndexRange range(std::int64_t q) const noexcept;

  /// The coordinate that holds an element of the dimension that is cut; -1 if none does.
  [[nodiscard]] std::int64_t coordinate_of(std::int64_t element) const noexcept;

  /// First coordinate that holds something, and one past the last; equal if none does.
  [[nodiscard]] std::int64_t first() const noexcept { return first_; }
  [[nodiscard]] std::int64_t end() const noexcept { return end_; }
  /// How many coordinates hold something.
  [[nodiscard]] std::int64_t holders() const noexcept { return holders_; }

  /// Sizes of the parts repeat after so many coordinates, those of the first and the last part
  /// apart; 0: they follow no rule.
  [[nodiscard]] std::int64_t period() const noexcept { return period_; }
  /// How often sizes change between the ends, about, if they repeat.
  [[nodiscard]] std::int64_t changes() const noexcept;
  /// If they repeat: the sizes of the parts at `first` and the coordinates behind it, any whole
  /// numbers, as if parts went on for ever in both directions. These are the sizes between the
  /// ends.
  void append_sizes(std::int64_t first, std::int64_t count, std::vector<std::int64_t>& sizes) const;
  /// True if the same sizes repeat as with another cut.
  [[nodiscard]] bool repeats_like(const AxisCut& other) const noexcept;
  /// Coordinates between which the size of the part, or whether the neighbours hold something,
  /// changes; with `ends_only`, if sizes repeat, but those at the ends. Appended in ascending
  /// order.
  void append_borders(std::vector<std::int64_t>& borders, bool ends_only = false) const;

private:
  void look_at_all();
  /// Calls f(coordinate, whether it holds something, whether something changes before it).
  template <class F>
  void for_each_coordinate(F&& f) const;

  bool active_ = false;
  const BlockCut* blocks_ = nullptr;
  AxisRule rule_;
  std::int64_t extent_ = 0;
  std::int64_t first_ = 0, end_ = 0, holders_ = 0;
  std::int64_t period_ = 1;
  std::vector<std::int64_t> borders_;  // if there is none
};

}  // namespace gridcast::mapping
