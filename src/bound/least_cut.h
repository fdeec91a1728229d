#pragma once
/// Internal: what the coordinates of one dimension hold of an array or a loop, at least, whatever
/// number of coordinates out of a range there is (docs/search.md, "Blocks").

#include <cstdint>
#include <limits>

#include "gridcast/mapping/block_cut.h"
#include "gridcast/mapping/layout.h"

namespace gridcast::model {

/// One dimension of a template on `first` to `last` coordinates.
class CutRange {
public:
  /// Blocks of n elements, multiples of `multiplier`.
  void assign(std::int64_t n, std::int64_t multiplier, mapping::BlockRule rule, std::int64_t first,
              std::int64_t last);
  /// Coordinates with weights, the largest of which is at most `spread` times the least.
  void assign_weighted(std::int64_t n, std::int64_t multiplier, double spread, std::int64_t first,
                       std::int64_t last);
  /// Nothing is known of the blocks.
  void assign_unknown(std::int64_t n, std::int64_t first, std::int64_t last);

  [[nodiscard]] std::int64_t elements() const noexcept { return n_; }
  [[nodiscard]] std::int64_t first() const noexcept { return first_; }
  [[nodiscard]] std::int64_t last() const noexcept { return last_; }
  /// The length of all blocks, whatever the number of coordinates; 0: not known.
  [[nodiscard]] std::int64_t block() const noexcept {
    return concave_ && first_ > 1 && least_block_ == most_block_ ? most_block_ : 0;
  }
  /// Coordinates with elements of the template, at least.
  [[nodiscard]] std::int64_t used() const noexcept;
  /// All coordinates with elements are among so many from 0 on.
  [[nodiscard]] std::int64_t reach() const noexcept;
  /// No block within the template is shorter, none longer, than this; if more than one. 0: not
  /// known.
  [[nodiscard]] std::int64_t least_block() const noexcept { return least_block_; }
  [[nodiscard]] std::int64_t most_block() const noexcept { return most_block_; }

  /// So many neighbouring coordinates have so many elements together, at most.
  [[nodiscard]] double most_of(double coordinates) const noexcept;

private:
  [[nodiscard]] std::int64_t heaviest(double coordinates) const noexcept;

  std::int64_t n_ = 0, first_ = 1, last_ = 1;
  bool concave_ = false;  ///< block lengths fall as coordinates are added, whatever their number
  std::int64_t least_block_ = 0, most_block_ = 0, multiplier_ = 1;
  double spread_ = 0.0;  ///< of weights; 0: blocks do not follow weights
};

/// A dimension of a placement over it. Numbers of positions (elements, iterations).
struct LeastCut {
  bool cuts = false;  ///< on some grid; if not, every coordinate holds everything
  int dim = -1;       ///< that is cut; -1: coordinates only decide who holds it
  bool ascending = true;
  bool complete = true;       ///< every position is held by somebody
  double extent = 1.0;        ///< positions of the cut dimension
  double longest = 1.0;       ///< the longest part, at least
  double longest_most = 1.0;  ///< ... at most
  double shortest = 1.0;      ///< the shortest part that is not empty, at least
  double full = 1.0;     ///< what a block within the template holds, at least; 0: maybe nothing
  double first = 1.0;    ///< what coordinate 0 holds, at least
  double held = 1.0;     ///< positions that somebody holds (presence: holders), at least
  double holders = 1.0;  ///< coordinates that hold something, at least
  /// Coordinates from 0 on of which the others hold nothing, at most; at least one.
  double reach = std::numeric_limits<double>::infinity();

  /// Neighbours that both hold something, at least.
  [[nodiscard]] double pairs() const noexcept { return full >= 1.0 ? holders - 1.0 : 0.0; }

  /// `extent`: positions of the dimension that a linear rule names.
  static LeastCut of(const CutRange& range, const mapping::AxisRule& rule, std::int64_t extent);
};

}  // namespace gridcast::model
