// What mode 4 has shown so far, and what is left.
#include <algorithm>
#include <cmath>
#include <limits>

#include "exact.h"

namespace gridcast::search {

using machine::GridBox;

/// Calls `f` with all boxes that are left: bounded, or parts of bounded ones.
template <class F>
void ExactStrategy::for_each_left(F&& f) const {
  for (const auto* entries : {&queue_, &stack_, &aside_, &bounded_}) {
    std::ranges::for_each(*entries, f);
  }
  for (const Asked& asked : asked_) {
    if (!asked.known) {
      f(asked.box);
    }
  }
  for (const auto& [grid, entry] : awaited_) {
    f(entry);
  }
}

/// The boxes of grids that the objective may choose.
template <class F>
void ExactStrategy::for_each_open(F&& f) const {
  if (stage_ >= stages_.objective_stages) {
    return;
  }
  const Stage& asked = *stages_.list[stages_.objective_stages - 1];
  for (const auto* entries : {&queue_, &stack_, &aside_, &bounded_}) {
    for (const BoundedBox& entry : *entries) {
      if (asked.may_need(entry)) {
        f(entry.box, entry.cost);
      }
    }
  }
  for (const Asked& each : asked_) {
    if (!each.known) {
      f(each.box.box, each.box.cost);
    }
  }
  for (const auto& [grid, entry] : awaited_) {
    // Probes that are still being evaluated lie in the first box.
    if (const auto probe = probes_.find(grid); probe == probes_.end() || !probe->second) {
      f(entry.box, entry.cost);
    }
  }
}

std::optional<Proof> ExactStrategy::proof() const {
  Proof proof;
  proof.evaluated = evaluated();
  proof.boxes = boxes_;
  const std::uint64_t known = candidates();
  if (probing_) {
    proof.open = known - proof.evaluated;
    return proof;
  }
  double least = std::numeric_limits<double>::infinity();
  for_each_open([&](const GridBox& box, double cost) {
    proof.open += box.count(space_of(box).max_processors);
    for (const auto& [grid, is_evaluated] : probes_) {
      proof.open -= is_evaluated && !awaited_.contains(grid) && box.contains(grid) ? 1 : 0;
    }
    least = std::min(least, cost);
  });
  // Boxes count grids that do not meet the conditions, too.
  proof.open = std::min(proof.open, known - std::min(known, proof.evaluated));
  proof.excluded = known - std::min(known, proof.evaluated) - proof.open;
  if (proof.open > 0 && std::isfinite(least)) {
    proof.least = goal_.objective != Objective::efficiency ? least : -least;
  }
  if (const auto found = best().best()) {
    const double reached = cost(goal_, *found);
    proof.gap = proof.open == 0 || !(least < reached) || reached == 0.0
                    ? 0.0
                    : (reached - least) / std::abs(reached);
  }
  return proof;
}

std::vector<OpenBox> ExactStrategy::open_boxes() const {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  std::vector<OpenBox> boxes;
  if (probing_) {
    for (const SearchSpace& space : spaces_) {
      boxes.push_back({whole(space), unknown});
    }
    return boxes;
  }
  const double sign = goal_.objective == Objective::efficiency ? -1.0 : 1.0;
  for_each_open([&](const GridBox& box, double cost) {
    boxes.push_back({box, std::isfinite(cost) ? sign * cost : unknown});
  });
  return boxes;
}

std::vector<FrontState> ExactStrategy::front_states() const {
  const std::size_t last = stages_.list.size() - 1;
  std::vector<FrontState> states((stages_.list.size() - stages_.first_of_front) / stages_.of_share);
  for (std::size_t share = 0; share < states.size(); ++share) {
    // The largest share is the first; its last question settles it.
    const std::size_t stage = last - share * stages_.of_share;
    states[share] = {done_ || stage < stage_, probing_ ? 1 : least_open(stage)};
  }
  return states;
}

/// No candidate on fewer processors answers the stage of a share: results apart, those left.
std::int64_t ExactStrategy::least_open(std::size_t stage) const {
  std::int64_t least = most_cores(spaces_);
  for_each_left([&](const BoundedBox& entry) {
    if (stages_.list[stage]->may_need(entry)) {
      least = std::min(least, entry.box.least_cores());
    }
  });
  return least;
}

}  // namespace gridcast::search
