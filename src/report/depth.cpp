#include "gridcast/report/depth.h"

namespace gridcast::report {

void limit_depth(model::Prediction& prediction, std::int32_t levels) {
  std::vector<std::int32_t> number(prediction.intervals.size(), -1);
  std::vector<model::IntervalResult> kept;
  for (std::size_t i = 0; i < prediction.intervals.size(); ++i) {
    model::IntervalResult& interval = prediction.intervals[i];
    if (interval.info.level > levels) {
      continue;
    }
    number[i] = static_cast<std::int32_t>(kept.size());
    if (interval.info.parent >= 0) {
      // A parent has a lower level and comes first: it was kept.
      interval.info.parent = number[static_cast<std::size_t>(interval.info.parent)];
    }
    kept.push_back(std::move(interval));
  }
  prediction.intervals = std::move(kept);
}

}  // namespace gridcast::report
