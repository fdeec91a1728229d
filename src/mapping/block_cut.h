#pragma once
/// The block rule (docs/model.md §3) as a function of the coordinate: no list with an entry per
/// coordinate where the blocks are equal.

#include <cstdint>

#include "gridcast/mapping/blocks.h"
#include "gridcast/mapping/index_range.h"

namespace gridcast::mapping {

/// How one dimension of a template is cut: boundary(q) is the first element of coordinate q.
class BlockCut {
public:
  /// Equal blocks by `rule`, multiples of `multiplier`.
  void assign(std::int64_t n, std::int64_t coordinates, BlockRule rule, std::int64_t multiplier);
  /// Boundaries one by one (genblk_, setelw_).
  void assign(std::int64_t n, Boundaries boundaries);

  [[nodiscard]] std::int64_t coordinates() const noexcept { return coordinates_; }
  [[nodiscard]] std::int64_t elements() const noexcept { return n_; }
  [[nodiscard]] std::int64_t boundary(std::int64_t q) const noexcept;
  /// The same of any whole number, as if blocks went on for ever in both directions, if boundaries
  /// repeat.
  [[nodiscard]] std::int64_t unending_boundary(std::int64_t q) const noexcept {
    return (q * share_ + floor_div(q * rest_, coordinates_)) * multiplier_;
  }

  /// The coordinate whose block has an element; -1 if there is no such element.
  [[nodiscard]] std::int64_t coordinate_of(std::int64_t element) const noexcept;

  /// Boundaries repeat: so many coordinates on they lie so many elements further, but for the last
  /// ones. 0 elements: they follow no rule.
  struct Repeat {
    std::int64_t coordinates = 1, elements = 0;

    [[nodiscard]] bool operator==(const Repeat& other) const = default;
  };
  [[nodiscard]] const Repeat& repeat() const noexcept { return repeat_; }
  /// Length of the shortest and of the longest block, but for the last ones, if boundaries repeat.
  [[nodiscard]] std::int64_t shortest() const noexcept { return share_ * multiplier_; }
  [[nodiscard]] std::int64_t longest() const noexcept {
    return (rest_ > 0 ? share_ + 1 : share_) * multiplier_;
  }

  /// True if the blocks are those of the other.
  [[nodiscard]] bool operator==(const BlockCut& other) const = default;

private:
  std::int64_t n_ = 0;
  std::int64_t coordinates_ = 1;
  Repeat repeat_;
  // A block has `share_` units of `multiplier_` elements, `rest_` of them one more, by the rule.
  std::int64_t share_ = 0, rest_ = 0, multiplier_ = 1;
  BlockRule rule_ = BlockRule::balanced;
  Boundaries boundaries_;  // if listed
};

}  // namespace gridcast::mapping
