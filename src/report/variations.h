#pragma once
/// Internal: time variation by kind of operation, where it is known.

#include "gridcast/predict/prediction.h"

namespace gridcast::report {

/// Stores keep the time variation of all kinds together only; where the kinds are known they add up
/// to it.
[[nodiscard]] inline bool variations_known(const model::IntervalResult& interval) noexcept {
  double sum = 0.0;
  for (const double time : interval.time_variations) {
    sum += time;
  }
  const double all = interval.sums.time_variation;
  return sum >= all * (1.0 - 1e-9);
}

}  // namespace gridcast::report
