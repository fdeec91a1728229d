#include "gridcast/search/front.h"

#include <algorithm>
#include <utility>

namespace gridcast::search {

Staircase::Staircase(const Goal& goal, std::shared_ptr<const machine::NodeList> nodes)
    : goal_{Objective::time, goal.min_efficiency, {}, {}}, nodes_(std::move(nodes)) {}

std::int64_t Staircase::number_of(const machine::Grid& grid) const {
  return nodes_ != nullptr ? nodes_->nodes(grid) : grid.cores();
}

void Staircase::add(const Outcome& outcome) {
  if (!is_eligible(goal_, outcome)) {
    return;
  }
  const std::int64_t number = number_of(outcome.grid);
  if (const Outcome* below = fastest(number);
      below != nullptr && !is_better(goal_, outcome, *below)) {
    return;
  }
  auto slower = steps_.insert_or_assign(number, outcome).first;
  for (++slower; slower != steps_.end() && is_better(goal_, outcome, slower->second);) {
    slower = steps_.erase(slower);
  }
}

const Outcome* Staircase::fastest(std::int64_t number) const noexcept {
  const auto beyond = steps_.upper_bound(number);
  return beyond == steps_.begin() ? nullptr : &std::prev(beyond)->second;
}

double Staircase::limit(double share) const noexcept {
  Goal goal = goal_;
  goal.within = share;
  return steps_.empty() ? std::numeric_limits<double>::infinity()
                        : goal.highest_cost(cost(goal_, steps_.rbegin()->second));
}

const Outcome* Staircase::fewest(double share) const noexcept {
  const double longest = limit(share);
  const auto first = std::ranges::find_if(
      steps_, [&](const auto& step) { return cost(goal_, step.second) <= longest; });
  return first == steps_.end() ? nullptr : &first->second;
}

std::vector<FrontEntry> make_front(const FrontSteps& steps, std::span<const double> shares,
                                   std::span<const FrontState> states) {
  std::vector<FrontEntry> front;
  if (steps.by_processors.fastest() == nullptr) {
    return front;
  }
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const Outcome& fewest = *steps.by_processors.fewest(shares[i]);
    FrontState state = i < states.size() ? states[i] : FrontState{};
    if (state.proven) {
      state.at_least = fewest.grid.cores();
    }
    for (const bool by_nodes : {false, true}) {
      FrontEntry& entry = front.emplace_back();
      entry.within = shares[i];
      entry.by_nodes = by_nodes;
      entry.outcome = by_nodes ? *steps.by_nodes.fewest(shares[i]) : fewest;
      entry.nodes = steps.nodes->nodes(entry.outcome.grid);
      entry.proven = state.proven;
      entry.at_least = !by_nodes ? state.at_least
                       : state.proven
                           ? entry.nodes
                           : std::min(entry.nodes, steps.nodes->fewest_nodes(state.at_least));
    }
  }
  return front;
}

}  // namespace gridcast::search
