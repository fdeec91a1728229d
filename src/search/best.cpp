#include "gridcast/search/best.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "gridcast/base/comparable.h"
#include "gridcast/base/error.h"

namespace gridcast::search {

double cost(Objective objective, const Outcome& outcome) noexcept {
  return comparable(objective == Objective::time ? outcome.execution_time : -outcome.efficiency);
}

bool is_comparable(Objective objective, const Outcome& outcome) noexcept {
  return !outcome.failed && std::isfinite(outcome.execution_time) &&
         std::isfinite(outcome.efficiency) &&
         (objective == Objective::time || outcome.grid.processors() > 1);
}

bool is_eligible(const Goal& goal, const Outcome& outcome) noexcept {
  return is_comparable(goal.objective, outcome) &&
         (!goal.min_efficiency ||
          comparable(outcome.efficiency) >= comparable(*goal.min_efficiency));
}

bool is_better(Objective objective, const Outcome& a, const Outcome& b) noexcept {
  const double cost_a = cost(objective, a);
  const double cost_b = cost(objective, b);
  return cost_a < cost_b || (cost_a == cost_b && machine::compare(a.grid, b.grid) < 0);
}

Best::Best(const Goal& goal, std::size_t keep) : goal_(goal), keep_(keep) {
  if (keep == 0) {
    throw InputError("the best 0 grids were asked for", "expected at least 1");
  }
  if (goal.min_efficiency && !(*goal.min_efficiency >= 0.0 && *goal.min_efficiency <= 1.0)) {
    throw InputError("a least efficiency of " + std::to_string(*goal.min_efficiency),
                     "expected a number from 0 to 1");
  }
}

void Best::add(const Outcome& outcome) {
  if (!is_comparable(goal_.objective, outcome)) {
    return;
  }
  if (!unconstrained_ || is_better(goal_.objective, outcome, *unconstrained_)) {
    unconstrained_ = outcome;
  }
  if (!is_eligible(goal_, outcome)) {
    return;
  }
  const auto place = std::lower_bound(
      top_.begin(), top_.end(), outcome,
      [this](const Outcome& a, const Outcome& b) { return is_better(goal_.objective, a, b); });
  if (place != top_.end() && place->grid == outcome.grid) {
    return;
  }
  if (top_.size() < keep_ || place != top_.end()) {
    top_.insert(place, outcome);
    if (top_.size() > keep_) {
      top_.pop_back();
    }
  }
}

std::optional<Outcome> Best::best() const {
  return top_.empty() ? std::nullopt : std::optional<Outcome>(top_.front());
}

}  // namespace gridcast::search
