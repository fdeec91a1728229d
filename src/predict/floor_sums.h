#pragma once
/// Internal: sums of rounded-down quotients, for messages that take turns on n channels.

#include <cstdint>
#include <utility>

namespace gridcast::model {

/// Σ_{i=0}^{count-1} ⌊(first + i·step) / n⌋ with first, step >= 0, in the manner of Euclid.
[[nodiscard]] inline double floor_sum(std::int64_t count, std::int64_t first, std::int64_t step,
                                      std::int64_t n) {
  double result = 0.0;
  while (count > 0) {
    const auto c = static_cast<double>(count);
    result += static_cast<double>(step / n) * c * (c - 1.0) * 0.5;
    result += static_cast<double>(first / n) * c;
    step %= n;
    first %= n;
    const std::int64_t highest = first + step * count;
    if (highest < n) {
      break;
    }
    // The lattice points below the line, counted along the other axis.
    count = highest / n;
    first = highest % n;
    std::swap(step, n);
  }
  return result;
}

}  // namespace gridcast::model
