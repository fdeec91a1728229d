#include "gridcast/search/front.h"

#include <algorithm>

namespace gridcast::search {

Staircase::Staircase(const Goal& goal) : goal_{Objective::time, goal.min_efficiency, {}, {}} {}

void Staircase::add(const Outcome& outcome) {
  if (!is_eligible(goal_, outcome)) {
    return;
  }
  const std::int64_t processors = outcome.grid.processors();
  if (const Outcome* below = fastest(processors);
      below != nullptr && !is_better(goal_, outcome, *below)) {
    return;
  }
  auto slower = steps_.insert_or_assign(processors, outcome).first;
  for (++slower; slower != steps_.end() && is_better(goal_, outcome, slower->second);) {
    slower = steps_.erase(slower);
  }
}

const Outcome* Staircase::fastest(std::int64_t processors) const noexcept {
  const auto beyond = steps_.upper_bound(processors);
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

std::int64_t end_of_nodes(const machine::NodeList& nodes, std::int64_t processors,
                          std::int64_t most) noexcept {
  return std::min(nodes.next_full(processors).value_or(most), most);
}

std::vector<FrontEntry> make_front(const Staircase& steps, std::span<const double> shares,
                                   std::span<const FrontState> states,
                                   const machine::NodeList& nodes, std::int64_t most) {
  std::vector<FrontEntry> front;
  if (steps.fastest() == nullptr) {
    return front;
  }
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const Outcome fewest = *steps.fewest(shares[i]);
    const std::int64_t processors = fewest.grid.processors();
    FrontState state = i < states.size() ? states[i] : FrontState{};
    state.at_least = state.proven ? processors : std::min(state.at_least, processors);
    for (const bool by_nodes : {false, true}) {
      FrontEntry& entry = front.emplace_back();
      entry.within = shares[i];
      entry.by_nodes = by_nodes;
      entry.outcome = by_nodes ? *steps.fastest(end_of_nodes(nodes, processors, most)) : fewest;
      entry.nodes = nodes.nodes(entry.outcome.grid.processors());
      entry.proven = state.proven;
      entry.at_least = by_nodes ? nodes.nodes(state.at_least) : state.at_least;
    }
  }
  return front;
}

}  // namespace gridcast::search
