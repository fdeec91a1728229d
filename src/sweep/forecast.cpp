#include "forecast.h"

#include <algorithm>

namespace gridcast::sweep {

void Forecast::done(const machine::Grid& grid) noexcept {
  double& left = left_[CostModel::class_of(grid)];
  left = std::max(0.0, left - 1.0);
}

void Forecast::learn(std::span<const Task> tasks, double seconds) {
  costs_.learn(tasks, seconds);
  work_done_ += std::max(0.0, seconds);
}

std::optional<double> Forecast::work_left() const {
  double work = 0.0;
  for (std::size_t number = 0; number < left_.size(); ++number) {
    if (left_[number] > 0.0) {
      const std::optional<double> cost = costs_.estimate(number);
      if (!cost) {
        return std::nullopt;
      }
      work += left_[number] * *cost;
    }
  }
  return work;
}

}  // namespace gridcast::sweep
