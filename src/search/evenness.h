#pragma once
/// How evenly a grid spreads the reference array over its processors (docs/model.md §7,
/// [Predictor2010 §5]). The search orders candidates by it and calls a grid that leaves a processor
/// empty *bad*.

#include <cstdint>
#include <span>

#include "gridcast/machine/grid.h"
#include "gridcast/mapping/blocks.h"

namespace gridcast::search {

using mapping::BlockRule;

/// Elements of the smallest and of the largest block of one dimension.
struct BlockSizes {
  std::int64_t smallest = 1;
  std::int64_t largest = 1;
};

/// Block sizes of `extent` elements on `processors` >= 1 coordinates. Extent 0 means that the
/// reference array is not split along this dimension: nothing can be uneven, the sizes are 1 and 1.
[[nodiscard]] BlockSizes block_sizes(std::int64_t extent, std::int64_t processors,
                                     BlockRule rule) noexcept;

/// Smallest over largest block, 0 (a processor gets none) ... 1 (all equal).
[[nodiscard]] double dimension_evenness(std::int64_t extent, std::int64_t processors,
                                        BlockRule rule) noexcept;

/// The least evenness of the dimensions. `reference_extents`: extents of the reference array along
/// the grid's dimensions; dimensions beyond them count as not split.
[[nodiscard]] double evenness(const machine::Grid& grid,
                              std::span<const std::int64_t> reference_extents,
                              BlockRule rule) noexcept;

/// Processors of a grid that get elements of the reference array; all of them if it is not bad.
[[nodiscard]] std::int64_t busy_processors(const machine::Grid& grid,
                                           std::span<const std::int64_t> reference_extents,
                                           BlockRule rule) noexcept;

/// floor(10000 * evenness) in exact integer arithmetic: the classes of the heuristic
/// (docs/model.md §7). A grid that is not bad can have mark 0 when its blocks exceed 10000
/// elements.
[[nodiscard]] int mark(const machine::Grid& grid, std::span<const std::int64_t> reference_extents,
                       BlockRule rule) noexcept;

/// True if every processor gets elements: evenness > 0.
[[nodiscard]] bool is_not_bad(const machine::Grid& grid,
                              std::span<const std::int64_t> reference_extents,
                              BlockRule rule) noexcept;

}  // namespace gridcast::search
