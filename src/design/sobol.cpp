#include "gridcast/design/sobol.h"

#include <boost/random/sobol.hpp>

#include "gridcast/base/contract.h"

namespace gridcast::design {

double SobolCoordinate::at(std::uint32_t index) const noexcept {
  std::uint32_t point = shift_;
  for (std::size_t k = 0; index != 0; ++k, index >>= 1U) {
    if ((index & 1U) != 0) {
      point ^= directions_[k];
    }
  }
  return static_cast<double>(point) * 0x1p-32;
}

std::vector<SobolCoordinate> sobol_sequence(std::size_t dimensions) {
  expects(dimensions <= max_sobol_dimensions, "the sequence has the dimensions");
  std::vector<std::array<std::uint32_t, 32>> directions(dimensions);
  boost::random::sobol_engine<std::uint32_t, 32> engine(dimensions);
  // The engine goes through the points in the order of a Gray code and leaves out the first, 0:
  // after seed(i) comes the point with the number whose Gray code is i + 1. That of 2^(k+1) - 1 is
  // 2^k, a single digit, so the point is direction k.
  for (unsigned k = 0; k < 32; ++k) {
    engine.seed(static_cast<std::uint32_t>((std::uint64_t{2} << k) - 2));
    for (std::array<std::uint32_t, 32>& of_dimension : directions) {
      of_dimension[k] = engine();
    }
  }
  return {directions.begin(), directions.end()};
}

}  // namespace gridcast::design
