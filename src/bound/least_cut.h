#pragma once
/// Internal: what the coordinates of one dimension hold of an array or a loop, at least, whatever
/// number of coordinates out of a range there is (docs/search.md, "Blocks").

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "gridcast/mapping/block_cut.h"
#include "gridcast/mapping/layout.h"

namespace gridcast::model {

/// Coordinates that mean something on every grid of a box.
enum class Place : std::uint8_t {
  first,   ///< coordinate 0
  second,  ///< coordinate 1, or 0 if it is the only one
  late,    ///< the one before the last that holds elements of the reference template, or 0
};
inline constexpr std::size_t places = 3;

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
  [[nodiscard]] bool known() const noexcept { return known_; }
  /// The boundaries are those of cut() for every number of coordinates.
  [[nodiscard]] bool same() const noexcept { return same_; }
  /// Boundaries are multiples of a block length that falls as coordinates are added.
  [[nodiscard]] bool concave() const noexcept { return concave_; }
  [[nodiscard]] const mapping::BlockCut& cut() const noexcept { return low_; }
  [[nodiscard]] const mapping::BlockCut& cut_of_last() const noexcept { return high_; }
  /// Coordinates with elements of the template, at least.
  [[nodiscard]] std::int64_t used() const noexcept;
  /// All coordinates with elements are among so many from 0 on.
  [[nodiscard]] std::int64_t reach() const noexcept;
  /// No block within the template is shorter, none longer, than this; if more than one. 0: not
  /// known.
  [[nodiscard]] std::int64_t least_block() const noexcept { return least_block_; }
  [[nodiscard]] std::int64_t most_block() const noexcept { return most_block_; }
  [[nodiscard]] std::int64_t multiplier() const noexcept { return multiplier_; }
  /// So many neighbouring coordinates have so many elements together, at most.
  [[nodiscard]] double most_of(double coordinates) const noexcept;
  /// The coordinate of Place::late. Precondition: same().
  [[nodiscard]] std::int64_t late() const noexcept;
  /// Between the coordinates that hold two elements of the template: their difference, at least.
  [[nodiscard]] std::int64_t apart(std::int64_t a, std::int64_t b) const noexcept;

private:
  std::int64_t n_ = 0, multiplier_ = 1, first_ = 1, last_ = 1;
  bool known_ = false, same_ = false, concave_ = false;
  mapping::BlockCut low_, high_;
  std::int64_t least_block_ = 0, most_block_ = 0;
  double spread_ = 0.0;  ///< of weights; 0: blocks do not follow weights
};

/// A dimension of a placement over it. Numbers of positions (elements, iterations).
struct LeastCut {
  bool cuts = false;  ///< on some grid; if not, every coordinate holds everything
  int dim = -1;       ///< that is cut; -1: coordinates only decide who holds it
  bool ascending = true;
  bool complete = true;                            ///< every position is held by somebody
  double extent = 1.0;                             ///< positions of the cut dimension
  std::array<double, places> part{1.0, 1.0, 1.0};  ///< at least
  std::array<double, places> beyond{};  ///< at least: held before Place::late, after Place::second
  double longest = 1.0;                 ///< the longest part, at least
  double longest_most = 1.0;            ///< ... at most
  double shortest = 1.0;                ///< the shortest part that is not empty, at least
  double full = 1.0;                    ///< what a block within the template holds, at least
  double held = 1.0;     ///< positions that somebody holds (presence: holders), at least
  double holders = 1.0;  ///< coordinates that hold something, at least
  double pairs = 0.0;    ///< neighbours that both hold something, at least
  /// Coordinates from 0 on of which the others hold nothing, at most; at least one.
  double reach = std::numeric_limits<double>::infinity();
  double holders_most = std::numeric_limits<double>::infinity();  ///< as `holders`, at most
  bool covers = false;                        ///< every block of the template holds something
  std::array<bool, places> lower{}, upper{};  ///< has surely such a neighbour

  /// A dimension that does not cut.
  static LeastCut whole() { return {}; }
  /// `extent`: positions of the dimension that a linear rule names. `reference` says which
  /// coordinate is late.
  static LeastCut of(const CutRange& range, const mapping::AxisRule& rule, std::int64_t extent,
                     const CutRange& reference);
};

}  // namespace gridcast::model
