#pragma once
/// What numbers in a trace may be. The reader takes larger ones for damage, so what is written must
/// keep within them.

#include <cstddef>
#include <cstdint>

#include "gridcast/trace/calls.h"

namespace gridcast::trace {

/// Numbers beyond these are damage: products of any two stay representable.
inline constexpr std::int64_t largest_index = 1'000'000'000'000;
inline constexpr std::int64_t largest_coefficient = 1'000'000;
inline constexpr double longest_time = 1e12;  ///< of one call, seconds

/// What the model can lay out: dimensions of arrays and loops, of processor systems; positions and
/// coefficients of composed alignments.
inline constexpr std::size_t most_dimensions = 16;
inline constexpr std::size_t most_grid_dimensions = 4;
inline constexpr std::int64_t most_processors = 2'147'483'647;
inline constexpr std::int64_t largest_position = std::int64_t{1} << 40;
inline constexpr std::int64_t largest_scale = std::int64_t{1} << 20;

/// True if the bytes of an object of these extents (from 1) can be counted.
[[nodiscard]] constexpr bool countable(const Extents& extents, std::int64_t element_size) {
  std::int64_t room = INT64_MAX / 4 / element_size;
  for (const std::int64_t extent : extents) {
    room /= extent;
  }
  return room >= 1;
}

}  // namespace gridcast::trace
