#include "gridcast/search/sobol.h"

#include "gridcast/base/contract.h"

namespace gridcast::search {
namespace {

constexpr int digits = 32;

}  // namespace

SobolCoordinate::SobolCoordinate(int dimension, std::uint32_t shift) noexcept : shift_(shift) {
  expects(dimension >= 0 && dimension < max_sobol_dimensions, "the sequence has the dimension");
  if (dimension == 0) {
    for (int k = 0; k < digits; ++k) {
      directions_[static_cast<std::size_t>(k)] = std::uint32_t{1} << (digits - 1 - k);
    }
    return;
  }
  const SobolDimension& numbers = sobol_dimensions()[static_cast<std::size_t>(dimension - 1)];
  const int degree = numbers.degree;
  // Direction k is the binary fraction m_k / 2^k. In these terms the recurrence of the polynomial
  // x^s + a_1 x^(s-1) + ... + a_s is v_k = a_1 v_(k-1) + ... + a_s v_(k-s) + v_(k-s) / 2^s.
  for (int k = 0; k < digits; ++k) {
    std::uint32_t& direction = directions_[static_cast<std::size_t>(k)];
    if (k < degree) {
      direction = numbers.initial[static_cast<std::size_t>(k)] << (digits - 1 - k);
      continue;
    }
    direction = directions_[static_cast<std::size_t>(k - degree)] >> degree;
    for (int i = 1; i <= degree; ++i) {
      if ((numbers.polynomial >> (degree - i) & 1U) != 0) {
        direction ^= directions_[static_cast<std::size_t>(k - i)];
      }
    }
  }
}

double SobolCoordinate::at(std::uint32_t index) const noexcept {
  std::uint32_t point = shift_;
  for (std::size_t k = 0; index != 0; ++k, index >>= 1U) {
    if ((index & 1U) != 0) {
      point ^= directions_[k];
    }
  }
  return static_cast<double>(point) * 0x1p-32;
}

}  // namespace gridcast::search
