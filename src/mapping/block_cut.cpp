#include "gridcast/mapping/block_cut.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace gridcast::mapping {

void BlockCut::assign(std::int64_t n, std::int64_t coordinates, BlockRule rule,
                      std::int64_t multiplier) {
  n_ = n;
  coordinates_ = coordinates;
  multiplier_ = multiplier;
  rule_ = rule;
  boundaries_.clear();
  const std::int64_t units = ceil_div(n, multiplier);
  share_ = rule == BlockRule::ceil ? ceil_div(units, coordinates) : units / coordinates;
  rest_ = rule == BlockRule::ceil ? 0 : units % coordinates;
  repeat_ = {};
  if (rest_ == 0 || rule == BlockRule::balanced) {
    const std::int64_t times = std::gcd(rest_, coordinates);
    repeat_.coordinates = coordinates / times;
    repeat_.elements = (share_ * repeat_.coordinates + rest_ / times) * multiplier;
  }
}

void BlockCut::assign(std::int64_t n, Boundaries boundaries) {
  n_ = n;
  coordinates_ = static_cast<std::int64_t>(boundaries.size()) - 1;
  repeat_ = {};
  boundaries_ = std::move(boundaries);
}

std::int64_t BlockCut::boundary(std::int64_t q) const noexcept {
  if (!boundaries_.empty()) {
    return boundaries_[static_cast<std::size_t>(q)];
  }
  if (repeat_.elements > 0) {
    return std::min(n_, unending_boundary(q));
  }
  const std::int64_t longer = rule_ == BlockRule::first  // of the first q blocks
                                  ? std::min(q, rest_)
                                  : std::max<std::int64_t>(0, q - (coordinates_ - rest_));
  return std::min(n_, (q * share_ + longer) * multiplier_);
}

std::int64_t BlockCut::coordinate_of(std::int64_t element) const noexcept {
  if (element < 0 || element >= n_) {
    return -1;
  }
  if (boundaries_.empty() && rest_ == 0) {
    return element / shortest();
  }
  std::int64_t low = 0;
  std::int64_t high = coordinates_ - 1;
  while (low < high) {
    const std::int64_t middle = low + (high - low + 1) / 2;
    if (boundary(middle) <= element) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

}  // namespace gridcast::mapping
