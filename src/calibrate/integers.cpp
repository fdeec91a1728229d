#include "integers.h"

#include <algorithm>
#include <cstdint>

namespace gridcast::calibrate {
namespace {

/// Combinations of integers that are all tried.
constexpr std::size_t most_combinations = 300;

/// Values of one integer that are all tried; beyond, every value in steps of a sixteenth.
constexpr std::int64_t all_tried_below = 128;

class Integers {
public:
  Integers(const Reduced& reduced, Solution& best) : reduced_(reduced), best_(best) {
    for (std::size_t i = 0; i < reduced.problem->numbers.size(); ++i) {
      const Number& number = reduced.problem->numbers[i];
      if (number.integer && number.lower < number.upper) {
        tried_.push_back({i, {}, {}, false});
      }
    }
  }

  std::vector<Tried> run() {
    std::size_t combinations = 1;
    for (Tried& tried : tried_) {
      tried.values = values_of(tried);
      combinations = std::min(most_combinations + 1, combinations * tried.values.size());
    }
    if (tried_.size() > 1 && combinations <= most_combinations) {
      try_combinations(0);
    }
    // One by one: what else would fit as well with the others at their best.
    constexpr int most_rounds = 5;
    bool changed = !tried_.empty();
    for (int round = 0; changed && round < most_rounds; ++round) {
      changed = false;
      for (Tried& tried : tried_) {
        const double before = best_.point[tried.number];
        try_all(tried);
        changed = changed || best_.point[tried.number] != before;
      }
      changed = changed && tried_.size() > 1;
    }
    return std::move(tried_);
  }

private:
  /// The values worth trying: from the least one to the first that predicts what the greatest does.
  std::vector<double> values_of(Tried& tried) const {
    const Number& number = reduced_.problem->numbers[tried.number];
    Point point = best_.point;
    const auto at = [&](double value) {
      point[tried.number] = value;
      return residuals(reduced_, point);
    };
    const Eigen::VectorXd plenty = at(number.upper);
    std::vector<double> values;
    const auto most = static_cast<std::int64_t>(number.upper);
    for (auto count = static_cast<std::int64_t>(number.lower); count <= most;
         count += step_at(count)) {
      const auto value = static_cast<double>(count);
      values.push_back(value);
      constexpr double same = 1e-11;
      if ((at(value) - plenty).cwiseAbs().maxCoeff() < same) {
        tried.enough_at_last = count < most;
        break;
      }
    }
    const auto place = std::ranges::lower_bound(values, number.initial);
    if (place == values.end() && !tried.enough_at_last) {
      values.push_back(number.initial);
    } else if (place != values.end() && *place != number.initial) {
      values.insert(place, number.initial);
    }
    return values;
  }

  static std::int64_t step_at(std::int64_t value) {
    constexpr std::int64_t part = 16;
    return value < all_tried_below ? 1 : value / part;
  }

  /// The best fit with the integers as the point has them, from the best so far and from the
  /// initial values.
  Solution fit_at(const Point& integers) const {
    Point fresh = integers;
    for (const std::size_t number : reduced_.free) {
      fresh[number] = reduced_.problem->numbers[number].initial;
    }
    Solution warm = minimize(reduced_, integers);
    Solution cold = minimize(reduced_, fresh);
    return cold.cost < warm.cost ? cold : warm;
  }

  void keep_better(const Solution& found) {
    constexpr double same = 1e-12;
    if (found.cost < best_.cost * (1.0 - same)) {
      best_ = found;
    }
  }

  void try_combinations(std::size_t from) {
    if (from == tried_.size()) {
      keep_better(fit_at(trial_));
      return;
    }
    if (from == 0) {
      trial_ = best_.point;
    }
    for (const double value : tried_[from].values) {
      trial_[tried_[from].number] = value;
      try_combinations(from + 1);
    }
  }

  void try_all(Tried& tried) {
    tried.costs.clear();
    std::vector<Solution> found;
    for (const double value : tried.values) {
      Point point = best_.point;
      point[tried.number] = value;
      found.push_back(fit_at(point));
      tried.costs.push_back(found.back().cost);
    }
    for (const Solution& solution : found) {
      keep_better(solution);
    }
  }

  const Reduced& reduced_;
  Solution& best_;
  std::vector<Tried> tried_;
  Point trial_;
};

}  // namespace

std::vector<Tried> fit_integers(const Reduced& reduced, Solution& best) {
  return Integers(reduced, best).run();
}

}  // namespace gridcast::calibrate
