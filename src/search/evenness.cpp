#include "gridcast/search/evenness.h"

#include <algorithm>

namespace gridcast::search {
namespace {

std::int64_t extent_along(std::span<const std::int64_t> extents, int dim) noexcept {
  const auto index = static_cast<std::size_t>(dim);
  return index < extents.size() ? extents[index] : 0;
}

}  // namespace

BlockSizes block_sizes(std::int64_t extent, std::int64_t processors, BlockRule rule) noexcept {
  if (extent == 0) {
    return {1, 1};
  }
  const std::int64_t largest = (extent - 1) / processors + 1;
  if (rule == BlockRule::balanced) {
    return {extent / processors, largest};
  }
  // All blocks but the last non-empty one are full, so the last coordinate has the fewest.
  return {std::max<std::int64_t>(extent - largest * (processors - 1), 0), largest};
}

double dimension_evenness(std::int64_t extent, std::int64_t processors, BlockRule rule) noexcept {
  const BlockSizes sizes = block_sizes(extent, processors, rule);
  return static_cast<double>(sizes.smallest) / static_cast<double>(sizes.largest);
}

double evenness(const machine::Grid& grid, std::span<const std::int64_t> reference_extents,
                BlockRule rule) noexcept {
  double least = 1.0;
  for (int dim = 0; dim < grid.rank(); ++dim) {
    least = std::min(
        least, dimension_evenness(extent_along(reference_extents, dim), grid.extent(dim), rule));
  }
  return least;
}

std::int64_t busy_processors(const machine::Grid& grid,
                             std::span<const std::int64_t> reference_extents,
                             BlockRule rule) noexcept {
  std::int64_t busy = 1;
  for (int dim = 0; dim < grid.rank(); ++dim) {
    const std::int64_t extent = extent_along(reference_extents, dim);
    const std::int64_t blocks = grid.extent(dim);
    const std::int64_t largest = block_sizes(extent, blocks, rule).largest;
    busy *= extent == 0                   ? blocks
            : rule == BlockRule::balanced ? std::min(extent, blocks)
                                          : (extent - 1) / largest + 1;
  }
  return busy;
}

int mark(const machine::Grid& grid, std::span<const std::int64_t> reference_extents,
         BlockRule rule) noexcept {
  std::int64_t least = 10000;
  for (int dim = 0; dim < grid.rank(); ++dim) {
    const BlockSizes sizes =
        block_sizes(extent_along(reference_extents, dim), grid.extent(dim), rule);
    least = std::min(least, 10000 * sizes.smallest / sizes.largest);
  }
  return static_cast<int>(least);
}

bool is_not_bad(const machine::Grid& grid, std::span<const std::int64_t> reference_extents,
                BlockRule rule) noexcept {
  for (int dim = 0; dim < grid.rank(); ++dim) {
    if (block_sizes(extent_along(reference_extents, dim), grid.extent(dim), rule).smallest == 0) {
      return false;
    }
  }
  return true;
}

}  // namespace gridcast::search
