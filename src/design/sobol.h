#pragma once
/// Sobol' sequences: points that fill the unit cube more evenly than random ones
/// (docs/datasets.md).

#include <array>
#include <cstdint>
#include <vector>

namespace gridcast::design {

/// The most dimensions of a Sobol' sequence.
inline constexpr std::size_t max_sobol_dimensions = 3667;

/// One coordinate of every point.
class SobolCoordinate {
public:
  /// `directions`: point 2^k of the sequence is directions[k] * 2^-32.
  explicit SobolCoordinate(const std::array<std::uint32_t, 32>& directions) noexcept
      : directions_(directions) {}

  /// Changes the digits of all points alike (exclusive or), which keeps every balance.
  void shift(std::uint32_t digits) noexcept { shift_ = digits; }

  /// Coordinate of point `index` < 2^32, a multiple of 2^-32 in 0 ... 1, 1 excluded. The first
  /// 2^m points have one coordinate in each of 2^m equal parts.
  [[nodiscard]] double at(std::uint32_t index) const noexcept;

private:
  std::array<std::uint32_t, 32> directions_;
  std::uint32_t shift_ = 0;
};

/// A sequence of points in so many dimensions, with the direction numbers of Boost (those of Joe
/// and Kuo). Precondition: at most max_sobol_dimensions.
[[nodiscard]] std::vector<SobolCoordinate> sobol_sequence(std::size_t dimensions);

}  // namespace gridcast::design
