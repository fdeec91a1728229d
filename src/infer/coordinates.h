#pragma once
/// Where the ranks of a run are on its grid, and what neighbours they are of each other.

#include <cstdint>
#include <vector>

#include "gridcast/record/recording.h"

namespace gridcast::infer {

/// From one process to another, per dimension of the grid.
using Offset = std::vector<std::int32_t>;

/// Σ|step|.
[[nodiscard]] std::int32_t distance(const Offset& offset);

/// "(1, 0)".
[[nodiscard]] std::string offset_text(const Offset& offset);

/// The coordinates of all ranks of a run.
class Coordinates {
public:
  /// `of_rank`: the coordinates of each rank in the world, each of them once.
  Coordinates(std::vector<std::int32_t> grid, std::vector<bool> periodic,
              std::vector<Offset> of_rank);

  [[nodiscard]] const std::vector<std::int32_t>& grid() const noexcept { return grid_; }
  [[nodiscard]] const std::vector<bool>& periodic() const noexcept { return periodic_; }
  [[nodiscard]] const Offset& of(std::int32_t rank) const {
    return of_rank_[static_cast<std::size_t>(rank)];
  }

  /// The offsets to neighbours that lead from a rank to another: several where a periodic dimension
  /// has one or two processes, near ones first.
  [[nodiscard]] std::vector<Offset> offsets(std::int32_t from, std::int32_t to) const;

  /// The rank at an offset; -1: none.
  [[nodiscard]] std::int32_t neighbour(std::int32_t rank, const Offset& offset) const;

private:
  std::vector<std::int32_t> grid_;
  std::vector<bool> periodic_;
  std::vector<Offset> of_rank_;
  std::vector<std::int32_t> rank_at_;  ///< by position, the last coordinate runs fastest
};

/// The coordinates of several runs of one program. Those of its Cartesian communicator, if it makes
/// one; otherwise in the order of ranks, by row or by column, in which there are the fewest
/// kinds of messages: a place, tag, direction and number of bytes of a run. A dimension is periodic
/// if the communicator says so or, without one, if messages go around three processes or more.
/// Throws InputError: grids of different ranks.
[[nodiscard]] std::vector<Coordinates> find_coordinates(
    const std::vector<record::Recording>& recordings);

/// True if some run shows that rank 1 is the neighbour of rank 0 along the first dimension.
[[nodiscard]] bool ranks_by_column(const std::vector<Coordinates>& coordinates);

}  // namespace gridcast::infer
