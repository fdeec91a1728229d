#pragma once
/// Placement of a grid: the order in which its coordinates fill the processors of the machine, and
/// so its nodes (docs/model.md, "Rank placement"; [Gropp2019], [Hunold2020]).

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gridcast/machine/cluster.h"
#include "gridcast/machine/grid.h"

namespace gridcast::machine {

/// One placement, or (`search`, `blocked` without a block) the wish for one. A plain value.
struct Placement {
  /// In which order processors are taken.
  enum class Kind : std::uint8_t {
    row,      ///< the last coordinate runs fastest
    column,   ///< the first coordinate runs fastest
    blocked,  ///< the grid is cut into equal blocks; blocks, and coordinates in one, follow by row
    search,   ///< of all placements the one with the least execution time
  };
  Kind kind = Kind::row;
  /// Of `blocked`: extents of a block, 1 for dimensions beyond the grid; all 0: the most even block
  /// that fills a node.
  std::array<std::int32_t, max_grid_rank> block{};

  /// Reads "row", "column", "blocked", "blocked:4x2" or "search". Throws InputError.
  static Placement parse(std::string_view text);

  /// As parse() reads it; a block with at least so many extents.
  [[nodiscard]] std::string text(int rank = 1) const;

  friend bool operator==(const Placement&, const Placement&) = default;
};

/// True if it matters for the first so many processors which coordinates are where: they are
/// unequal, or connected by more than one network.
[[nodiscard]] bool placement_matters(const ProcessorSystem& system, std::size_t processors);

/// All placements of a grid on the first processors of a system that differ: row, column, then the
/// blocks that fill parts of the machine, from the lowest level of the tree up. The system has
/// enough processors.
[[nodiscard]] std::vector<Placement> placements(const ProcessorSystem& system, const Grid& grid);

/// What a wish other than `search` means for a grid: blocks that do not fit are `row`.
[[nodiscard]] Placement placement_on(const ProcessorSystem& system, const Grid& grid,
                                     const Placement& wish);

/// The number that each processor of the grid has in the machine; not of `search`.
[[nodiscard]] std::vector<std::uint32_t> order_of(const Grid& grid, const Placement& placement);

/// The processors of a grid in the order of their ranks, which are by row or by column.
[[nodiscard]] std::vector<std::uint32_t> by_rank(const Grid& grid, Placement::Kind ranks);

/// The system whose processor p is processor order[p] of the given one.
[[nodiscard]] ProcessorSystem placed(const ProcessorSystem& system,
                                     std::span<const std::uint32_t> order);

/// A placement of a grid as one number, for stores and messages: 0 is row; the block as the numbers
/// of its extents among the divisors of those of the grid.
[[nodiscard]] std::int32_t code_of(const Grid& grid, const Placement& placement);
[[nodiscard]] Placement placement_of(const Grid& grid, std::int32_t code);

}  // namespace gridcast::machine
