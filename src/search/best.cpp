#include "gridcast/search/best.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "gridcast/base/comparable.h"
#include "gridcast/base/error.h"

namespace gridcast::search {

const char* name(Objective objective) noexcept {
  switch (objective) {
    case Objective::efficiency:
      return "efficiency";
    case Objective::node_hours:
      return "node-hours";
    case Objective::time:
      break;
  }
  return "time";
}

double Goal::cost(const machine::Grid& grid, double execution_time,
                  double efficiency) const noexcept {
  if (objective == Objective::efficiency) {
    return -efficiency;
  }
  return objective == Objective::node_hours && nodes ? execution_time * nodes->rate(grid)
                                                     : execution_time;
}

double Goal::highest_cost(double best_cost) const noexcept {
  const double factor = 1.0 + within.value_or(0.0);
  return comparable(best_cost < 0.0 ? best_cost / factor : best_cost * factor);
}

double cost(const Goal& goal, const Outcome& outcome) noexcept {
  return comparable(goal.cost(outcome.grid, outcome.execution_time, outcome.efficiency));
}

bool is_comparable(const Goal& goal, const Outcome& outcome) noexcept {
  return !outcome.failed && std::isfinite(outcome.execution_time) &&
         std::isfinite(outcome.efficiency) &&
         (goal.objective != Objective::efficiency || outcome.grid.processors() > 1);
}

bool is_eligible(const Goal& goal, const Outcome& outcome) noexcept {
  return is_comparable(goal, outcome) &&
         (!goal.min_efficiency ||
          comparable(outcome.efficiency) >= comparable(*goal.min_efficiency));
}

bool is_better(const Goal& goal, const Outcome& a, const Outcome& b) noexcept {
  const double cost_a = cost(goal, a);
  const double cost_b = cost(goal, b);
  return cost_a < cost_b || (cost_a == cost_b && machine::compare(a.grid, b.grid) < 0);
}

bool Best::FewerProcessors::operator()(const Outcome& a, const Outcome& b) const noexcept {
  const std::int64_t number_a = a.grid.cores();
  const std::int64_t number_b = b.grid.cores();
  return number_a < number_b || (number_a == number_b && is_better(*goal, a, b));
}

Best::Best(const Goal& goal, std::size_t keep)
    : goal_(std::make_shared<Goal>(goal)), keep_(keep), near_(FewerProcessors{goal_.get()}) {
  if (keep == 0) {
    throw InputError("the best 0 grids were asked for", "expected at least 1");
  }
  if (goal.min_efficiency && !(*goal.min_efficiency >= 0.0 && *goal.min_efficiency <= 1.0)) {
    throw InputError("a least efficiency of " + std::to_string(*goal.min_efficiency),
                     "expected a number from 0 to 1");
  }
  if (goal.within && !(*goal.within >= 0.0 && std::isfinite(*goal.within))) {
    throw InputError("grids within " + std::to_string(100.0 * *goal.within) + " % of the best",
                     "expected 0 % or more");
  }
}

void Best::add(const Outcome& outcome) {
  if (!is_comparable(*goal_, outcome)) {
    return;
  }
  if (!unconstrained_ || is_better(*goal_, outcome, *unconstrained_)) {
    unconstrained_ = outcome;
  }
  if (!is_eligible(*goal_, outcome)) {
    return;
  }
  const auto place = std::lower_bound(
      top_.begin(), top_.end(), outcome,
      [this](const Outcome& a, const Outcome& b) { return is_better(*goal_, a, b); });
  if (place != top_.end() && place->grid == outcome.grid) {
    return;
  }
  if (top_.size() < keep_ || place != top_.end()) {
    top_.insert(place, outcome);
    if (top_.size() > keep_) {
      top_.pop_back();
    }
  }
  if (goal_->within) {
    add_near(outcome);
  }
}

/// Keeps what is within the limit. The limit only falls: what is beyond it never comes back.
void Best::add_near(const Outcome& outcome) {
  const double limit = goal_->highest_cost(cost(*goal_, top_.front()));
  if (cost(*goal_, outcome) <= limit) {
    near_.insert(outcome);
  }
  while (cost(*goal_, *near_.begin()) > limit) {  // the best itself is in the set
    near_.erase(near_.begin());
  }
  constexpr std::size_t few = 1024;
  if (near_.size() > 2 * near_after_cleaning_ + few) {
    std::erase_if(near_, [&](const Outcome& each) { return cost(*goal_, each) > limit; });
    near_after_cleaning_ = near_.size();
  }
}

std::optional<Outcome> Best::best() const {
  if (!near_.empty()) {
    return *near_.begin();
  }
  return top_.empty() ? std::nullopt : std::optional<Outcome>(top_.front());
}

std::vector<Outcome> Best::choices() const {
  if (!goal_->within || top_.empty()) {
    return top_;
  }
  const double limit = goal_->highest_cost(cost(*goal_, top_.front()));
  std::vector<Outcome> result;
  for (auto each = near_.begin(); each != near_.end() && result.size() < keep_; ++each) {
    if (cost(*goal_, *each) <= limit) {
      result.push_back(*each);
    }
  }
  return result;
}

}  // namespace gridcast::search
