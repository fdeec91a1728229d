#include "gridcast/mapping/block_cut.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "gridcast/mapping/index_range.h"

namespace gridcast::mapping {

void BlockCut::assign(std::int64_t n, std::int64_t coordinates, BlockRule rule,
                      std::int64_t multiplier) {
  n_ = n;
  coordinates_ = coordinates;
  multiplier_ = multiplier;
  boundaries_.clear();
  block_ = 0;
  const std::int64_t units = ceil_div(n, multiplier);
  if (rule == BlockRule::ceil || units % coordinates == 0) {
    block_ = ceil_div(ceil_div(n, coordinates), multiplier) * multiplier;
    shortest_ = longest_ = block_;
    repeat_ = {1, block_};
    return;
  }
  rule_ = rule;
  share_ = units / coordinates;
  rest_ = units % coordinates;
  shortest_ = share_ * multiplier;
  longest_ = shortest_ + multiplier;
  const std::int64_t times = std::gcd(units, coordinates);
  repeat_ = rule == BlockRule::balanced ? Repeat{coordinates / times, units / times * multiplier}
                                        : Repeat{};
}

void BlockCut::assign(std::int64_t n, Boundaries boundaries) {
  n_ = n;
  coordinates_ = static_cast<std::int64_t>(boundaries.size()) - 1;
  block_ = 0;
  repeat_ = {};
  boundaries_ = std::move(boundaries);
}

std::int64_t BlockCut::boundary(std::int64_t q) const noexcept {
  if (!boundaries_.empty()) {
    return boundaries_[static_cast<std::size_t>(q)];
  }
  if (block_ > 0) {
    return std::min(n_, q * block_);
  }
  const std::int64_t longer = rule_ == BlockRule::first ? std::min(q, rest_)
                              : rule_ == BlockRule::last
                                  ? std::max<std::int64_t>(0, q - (coordinates_ - rest_))
                                  : q * rest_ / coordinates_;
  return std::min(n_, (q * share_ + longer) * multiplier_);
}

std::int64_t BlockCut::coordinate_of(std::int64_t element) const noexcept {
  if (element < 0 || element >= n_) {
    return -1;
  }
  if (block_ > 0) {
    return element / block_;
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
