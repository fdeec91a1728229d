#include "gridcast/farm/cost_model.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace gridcast::sweep {
std::size_t CostModel::class_of(const machine::Grid& grid) noexcept {
  return static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(grid.processors()))) -
         1U;
}

void CostModel::learn(std::span<const Task> tasks, double seconds) {
  if (tasks.empty() || !(seconds >= 0.0)) {
    return;
  }
  // A clock may see nothing of a very short evaluation.
  constexpr double least = 1e-8;
  const double count = static_cast<double>(tasks.size());
  std::array<std::size_t, classes> tasks_of{};
  for (const Task& task : tasks) {
    ++tasks_of[class_of(task.grid)];
  }
  // Each class as its first task has it: a class has one estimate.
  std::array<double, classes> estimated{};
  double expected = 0.0;
  for (const Task& task : tasks) {
    const std::size_t own = class_of(task.grid);
    if (estimated[own] == 0.0) {
      estimated[own] = std::max(estimate(task.grid).value_or(seconds / count), least);
      expected += estimated[own] * static_cast<double>(tasks_of[own]);
    }
  }
  const double factor = std::max(seconds, least * count) / expected;
  for (std::size_t i = 0; i < classes; ++i) {
    if (tasks_of[i] > 0) {
      const double observed = estimated[i] * factor;
      seconds_[i] = seconds_[i] > 0.0 ? 0.5 * (seconds_[i] + observed) : observed;
    }
  }
}

std::optional<double> CostModel::estimate(const machine::Grid& grid) const {
  const std::size_t wanted = class_of(grid);
  for (std::size_t i = wanted + 1; i-- > 0;) {
    if (seconds_[i] > 0.0) {
      return std::ldexp(seconds_[i], static_cast<int>(wanted - i));
    }
  }
  for (std::size_t i = wanted + 1; i < classes; ++i) {
    if (seconds_[i] > 0.0) {
      return seconds_[i];
    }
  }
  return std::nullopt;
}

}  // namespace gridcast::sweep
