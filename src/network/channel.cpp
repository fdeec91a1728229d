#include <algorithm>

#include "gridcast/network/networks.h"

namespace gridcast::network {

double Channel::earlier_gap(double start, double length) const noexcept {
  auto next = std::partition_point(periods_.begin(), periods_.end(),
                                   [start](const Period& period) { return period.end <= start; });
  double begin = start;
  // A gap that is too short by rounding only is long enough: messages of equal length fit exactly,
  // in whatever order their times were added up.
  for (; next != periods_.end() && begin + length > next->begin * (1.0 + relative_slack); ++next) {
    begin = next->end;
  }
  return begin;
}

void Channel::take_earlier(double begin, double end) {
  auto next = std::partition_point(periods_.begin(), periods_.end(),
                                   [begin](const Period& period) { return period.end < begin; });
  const bool joins_next_after = next != periods_.end() && next->end == begin;
  if (joins_next_after) {
    next->end = end;
    if (const auto following = next + 1; following != periods_.end() && following->begin <= end) {
      next->end = following->end;
      periods_.erase(following);
    }
  } else if (next != periods_.end() && next->begin <= end) {
    next->begin = begin;
  } else {
    periods_.insert(next, {begin, end});
  }
}

void Channel::shift(double seconds) noexcept {
  for (Period& period : periods_) {
    period.begin += seconds;
    period.end += seconds;
  }
}

void Channel::forget_before(double time) {
  const auto keep =
      std::partition_point(periods_.begin(), periods_.end(),
                           [time](const Period& period) { return period.end <= time; });
  periods_.erase(periods_.begin(), keep);
}

}  // namespace gridcast::network
