#pragma once
/// Sobol' sequences: points that fill the unit cube more evenly than random ones
/// (docs/datasets.md).

#include <array>
#include <cstdint>
#include <span>

namespace gridcast::search {

/// The most dimensions of a Sobol' sequence.
inline constexpr int max_sobol_dimensions = 32;

/// What one dimension of the sequence is made from: a primitive polynomial over GF(2) and odd
/// initial numbers m_k < 2^k, one per degree.
struct SobolDimension {
  int degree = 0;
  std::uint32_t polynomial = 0;  ///< bit i: coefficient of x^i
  std::array<std::uint32_t, 8> initial{};
};

/// Dimensions 2, 3, … (the first is the van der Corput sequence); derived by
/// tools/sobol-directions.
[[nodiscard]] std::span<const SobolDimension> sobol_dimensions() noexcept;

/// One coordinate of every point.
class SobolCoordinate {
public:
  /// `dimension` from 0. With `shift` the digits of all points are changed alike (exclusive or),
  /// which keeps every balance of the sequence. Precondition: dimension < max_sobol_dimensions.
  explicit SobolCoordinate(int dimension, std::uint32_t shift = 0) noexcept;

  /// Coordinate of point `index` < 2^32, a multiple of 2^-32 in 0 ... 1, 1 excluded. The first
  /// 2^m points have one coordinate in each of 2^m equal parts.
  [[nodiscard]] double at(std::uint32_t index) const noexcept;

private:
  std::array<std::uint32_t, 32> directions_{};
  std::uint32_t shift_;
};

}  // namespace gridcast::search
