#pragma once
/// Sums of rounded-down quotients: what takes turns n at a time.

#include <cstdint>
#include <utility>

namespace gridcast {

/// ⌊a/n⌋ for a >= 0.
inline double whole_quotient(std::int64_t a, std::int64_t n) {
  const std::int64_t quotient = a / n;
  return static_cast<double>(quotient);
}

/// Σ_{i=0}^{count-1} ⌊(first + i·step) / n⌋ with first, step >= 0, in the manner of Euclid.
[[nodiscard]] inline double floor_sum(std::int64_t count, std::int64_t first, std::int64_t step,
                                      std::int64_t n) {
  double result = 0.0;
  while (count > 0) {
    const auto c = static_cast<double>(count);
    result += whole_quotient(step, n) * c * (c - 1.0) * 0.5;
    result += whole_quotient(first, n) * c;
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

}  // namespace gridcast
