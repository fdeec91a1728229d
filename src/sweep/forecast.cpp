#include "forecast.h"

#include <algorithm>
#include <cmath>

namespace gridcast::sweep {
namespace {

/// Evaluations of a class whose mean says something.
constexpr double enough = 8.0;

}  // namespace

void Forecast::done(const machine::Grid& grid) noexcept {
  double& left = left_[CostModel::class_of(grid)];
  left = std::max(0.0, left - 1.0);
}

void Forecast::learn(std::span<const Task> tasks, double seconds) {
  if (tasks.empty() || !(seconds >= 0.0)) {
    return;
  }
  work_done_ += seconds;
  // Seconds of a batch are shared as the costs known so far are.
  GridCounts count{};
  for (const Task& task : tasks) {
    count[CostModel::class_of(task.grid)] += 1.0;
  }
  GridCounts share{};
  double all = 0.0;
  for (std::size_t number = 0; number < count.size(); ++number) {
    if (count[number] > 0.0) {
      share[number] = count[number] * std::max(cost(number).value_or(1.0), 1e-12);
      all += share[number];
    }
  }
  for (std::size_t number = 0; number < count.size(); ++number) {
    evaluated_[number] += count[number];
    seconds_[number] += share[number] / all * seconds;
  }
}

/// How much more a grid costs than one of the class before, from the last two classes with enough
/// evaluations before `number`; 2 while there are none.
double Forecast::growth(std::size_t number) const {
  constexpr double most = 4.0;
  for (std::size_t above = number; above-- > 1;) {
    if (left_[above] < 1.0 && evaluated_[above] >= enough && evaluated_[above - 1] >= enough &&
        seconds_[above - 1] > 0.0) {
      const double ratio =
          seconds_[above] / evaluated_[above] / (seconds_[above - 1] / evaluated_[above - 1]);
      return std::clamp(ratio, 1.0, most);
    }
  }
  return 2.0;
}

std::optional<double> Forecast::cost(std::size_t number) const {
  for (std::size_t below = number + 1; below-- > 0;) {
    if (evaluated_[below] > 0.0) {
      double each = seconds_[below] / evaluated_[below];
      if (left_[below] > 0.0 && below > 0 && evaluated_[below - 1] >= enough) {
        // The smallest grids of a class come first.
        each = std::max(each, seconds_[below - 1] / evaluated_[below - 1] * growth(below));
      }
      return each * std::pow(growth(number), static_cast<double>(number - below));
    }
  }
  for (std::size_t above = number + 1; above < evaluated_.size(); ++above) {
    if (evaluated_[above] > 0.0) {
      return seconds_[above] / evaluated_[above];
    }
  }
  return std::nullopt;
}

std::optional<double> Forecast::work_left() const {
  double work = 0.0;
  for (std::size_t number = 0; number < left_.size(); ++number) {
    if (left_[number] > 0.0) {
      const std::optional<double> each = cost(number);
      if (!each) {
        return std::nullopt;
      }
      work += left_[number] * *each;
    }
  }
  return work;
}

}  // namespace gridcast::sweep
