#include "gridcast/network/class_ends.h"

#include <algorithm>
#include <cmath>

namespace gridcast::network {

void ClassEnds::start(std::size_t classes) {
  silent_ = false;
  again_ = nullptr;
  busy_ = 0.0;
  least_.assign(classes, 0.0);
  most_.assign(classes, 0.0);
  sums_.assign(classes, -HUGE_VAL);
  overheads_.clear();
  within_.clear();
}

void ClassEnds::set_overhead(std::size_t which, double seconds) {
  if (seconds > 0.0) {
    overheads_.resize(least_.size(), 0.0);
    overheads_[which] = seconds;
  } else if (!overheads_.empty()) {
    overheads_[which] = 0.0;
  }
}

Settled ClassEnds::settle(std::size_t which, double clock) const {
  const double own = overhead(which);
  const double limit = clock + own;
  const EndsBelow early = below(which, limit);
  return {early.count, early.sum, early.count * own, std::max(least(which), limit),
          std::max(most(which), limit)};
}

bool ClassEnds::ends_after_overheads() const noexcept {
  bool after = true;
  for (std::size_t which = 0; which < least_.size() && after; ++which) {
    after = waits_until(which) >= 0.0;
  }
  return after;
}

void ClassEnds::set_overheads(std::span<const ClassOverheads> each) {
  overheads_.clear();
  within_.clear();
  for (std::size_t which = 0; which < each.size(); ++which) {
    set_overhead(which, each[which].most);
  }
  if (std::any_of(each.begin(), each.end(),
                  [](const ClassOverheads& own) { return own.least < own.most; })) {
    within_.assign(each.begin(), each.end());
  }
}

void ClassEnds::find_last() { last_ = *std::max_element(most_.begin(), most_.end()); }

}  // namespace gridcast::network
