#pragma once
/// A box of grids: all whose extents lie in ranges, P1 range x P2 range x ..., for the exact
/// search.

#include <array>
#include <cstdint>
#include <utility>

#include "gridcast/machine/grid.h"

namespace gridcast::machine {

/// A plain value without padding. Its grids have the same number of threads. The grid with the
/// least extents is the first of the box in the order of compare(), as it has the fewest
/// processors.
class GridBox {
public:
  /// Extents, one per dimension.
  using Corner = std::array<std::int32_t, max_grid_rank>;

  GridBox() = default;

  /// All grids of `rank` dimensions (1 to max_grid_rank) of at most `most` processors, which are
  /// processes of `threads` threads.
  GridBox(int rank, std::int64_t most, std::int32_t threads = 1);
  /// All grids of processes of `threads` threads whose extents lie in these ranges, which are not
  /// checked: of as many dimensions as can be, unused ones from 1 to 1.
  GridBox(const Corner& first, const Corner& last, std::int32_t threads = 1) noexcept
      : rank_(max_grid_rank), threads_(threads), first_(first), last_(last) {}
  /// The box of one grid.
  explicit GridBox(const Grid& grid);

  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] std::int32_t threads() const noexcept { return threads_; }
  [[nodiscard]] std::int64_t first(int dim) const noexcept { return first_[index(dim)]; }
  [[nodiscard]] std::int64_t last(int dim) const noexcept { return last_[index(dim)]; }

  [[nodiscard]] const Corner& first() const noexcept { return first_; }
  [[nodiscard]] const Corner& last() const noexcept { return last_; }

  [[nodiscard]] bool single() const noexcept { return first_ == last_; }
  [[nodiscard]] Grid first_grid() const;
  /// True if a grid of the same rank is one of them, threads included.
  [[nodiscard]] bool contains(const Grid& grid) const noexcept;
  [[nodiscard]] std::int64_t least_processors() const noexcept;
  /// Processors of the machine that the first grid takes.
  [[nodiscard]] std::int64_t least_cores() const noexcept { return least_processors() * threads_; }
  /// Of the grids with at most `most` processors.
  [[nodiscard]] std::int64_t most_processors(std::int64_t most) const noexcept;
  /// Distance of processor numbers that differ by one in coordinate `dim`, on the first grid.
  [[nodiscard]] std::int64_t least_stride(int dim) const noexcept;

  /// Leaves out extents that no grid of at most `most` processors has. Returns whether there is one
  /// left.
  bool fit(std::int64_t most) noexcept;

  /// Halves the dimension with the largest ratio of last to first; not for a single grid.
  [[nodiscard]] std::pair<GridBox, GridBox> split() const noexcept;

  /// How many of its grids have at most `most` processors. Loops over all but the longest range.
  [[nodiscard]] std::uint64_t count(std::int64_t most) const noexcept;

  friend bool operator==(const GridBox&, const GridBox&) = default;

private:
  [[nodiscard]] static std::size_t index(int dim) noexcept { return static_cast<std::size_t>(dim); }
  [[nodiscard]] std::uint64_t count(int dim, int longest, std::int64_t most) const noexcept;

  std::int32_t rank_ = 1;
  std::int32_t threads_ = 1;
  Corner first_{1, 1, 1, 1};
  Corner last_{1, 1, 1, 1};
};

}  // namespace gridcast::machine
