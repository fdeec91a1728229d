#include "gridcast/infer/blocks.h"

namespace gridcast::infer {

std::vector<std::int64_t> Blocks::of(std::size_t run, std::size_t rank) const {
  std::vector<std::int64_t> block = runs_.extents[run];
  const Offset& at = runs_.coordinates[run].of(static_cast<std::int32_t>(rank));
  for (std::size_t d = 0; d < at.size(); ++d) {
    block[d] = length(run, d, d, at[d]);
  }
  return block;
}

std::int64_t Blocks::length(std::size_t run, std::size_t extent, std::size_t dimension,
                            std::int32_t q) const {
  return block_length(rule_, runs_.extents[run][extent], runs_.coordinates[run].grid()[dimension],
                      q);
}

}  // namespace gridcast::infer
