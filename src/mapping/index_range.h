#pragma once
/// Ranges of indices and their pre-images under linear alignment rules (docs/model.md §3).

#include <algorithm>
#include <cstdint>

namespace gridcast::mapping {

/// Largest magnitude of an index or extent, and of a coefficient of an alignment rule, that the
/// arithmetic of this room accepts without overflow; readers check their input against these.
inline constexpr std::int64_t max_index = std::int64_t{1} << 40;
inline constexpr std::int64_t max_coefficient = std::int64_t{1} << 20;

/// Half-open range [lo, hi) of indices; empty if lo == hi.
struct IndexRange {
  std::int64_t lo = 0;
  std::int64_t hi = 0;

  [[nodiscard]] constexpr std::int64_t size() const noexcept { return hi - lo; }
  [[nodiscard]] constexpr bool empty() const noexcept { return hi <= lo; }
  friend bool operator==(const IndexRange&, const IndexRange&) = default;
};

/// The common part; empty ranges keep hi == lo.
[[nodiscard]] constexpr IndexRange intersect(IndexRange a, IndexRange b) noexcept {
  const std::int64_t lo = std::max(a.lo, b.lo);
  return {lo, std::max(lo, std::min(a.hi, b.hi))};
}

/// Quotient rounded towards minus infinity; the divisor is positive.
[[nodiscard]] constexpr std::int64_t floor_div(std::int64_t a, std::int64_t b) noexcept {
  const std::int64_t quotient = a / b;
  return a % b < 0 ? quotient - 1 : quotient;
}

/// Quotient rounded towards plus infinity; the divisor is positive.
[[nodiscard]] constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) noexcept {
  return -floor_div(-a, b);
}

/// Quotient rounded down, as so many times; the dividend is not negative.
[[nodiscard]] inline double whole_quotient(std::int64_t a, std::int64_t b) noexcept {
  const std::int64_t quotient = a / b;
  return static_cast<double>(quotient);
}

/// All i in [0, extent) with target.lo <= coefficient * i + constant < target.hi. Precondition:
/// coefficient != 0. Pre-images of a partition are a partition again (empty parts keep their
/// place).
[[nodiscard]] constexpr IndexRange preimage(IndexRange target, std::int64_t coefficient,
                                            std::int64_t constant, std::int64_t extent) noexcept {
  std::int64_t lo = 0;
  std::int64_t hi = 0;
  if (coefficient > 0) {
    lo = ceil_div(target.lo - constant, coefficient);
    hi = ceil_div(target.hi - constant, coefficient);
  } else {
    lo = floor_div(constant - target.hi, -coefficient) + 1;
    hi = floor_div(constant - target.lo, -coefficient) + 1;
  }
  lo = std::clamp<std::int64_t>(lo, 0, extent);
  return {lo, std::clamp<std::int64_t>(hi, lo, extent)};
}

/// A section of one dimension: first, first + step, ... (count elements, step > 0).
struct StridedRange {
  std::int64_t first = 0;
  std::int64_t step = 1;
  std::int64_t count = 0;

  /// Smallest range that contains all elements.
  [[nodiscard]] constexpr IndexRange hull() const noexcept {
    return count == 0 ? IndexRange{first, first}
                      : IndexRange{first, first + step * (count - 1) + 1};
  }

  /// Positions k (not elements) of the elements that lie in `range`.
  [[nodiscard]] constexpr IndexRange positions_in(IndexRange range) const noexcept {
    const std::int64_t lo = std::clamp<std::int64_t>(ceil_div(range.lo - first, step), 0, count);
    return {lo, std::clamp<std::int64_t>(ceil_div(range.hi - first, step), lo, count)};
  }

  /// The elements at positions [positions.lo, positions.hi).
  [[nodiscard]] constexpr StridedRange part(IndexRange positions) const noexcept {
    return {first + step * positions.lo, step, positions.size()};
  }
};

}  // namespace gridcast::mapping
