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
        f(entry);
      }
    }
  }
  for (const Asked& each : asked_) {
    if (!each.known) {
      f(each.box);
    }
  }
  for (const auto& [grid, entry] : awaited_) {
    // Probes that are still being evaluated lie in the first box.
    if (const auto probe = probes_.find(grid); probe == probes_.end() || !probe->second) {
      f(entry);
    }
  }
}

/// The boxes of grids that are likely, but not proven, not to be what a question asks for.
template <class F>
void ExactStrategy::for_each_unproven(const Stage& stage, F&& f) const {
  const auto look = [&](const BoundedBox& entry) {
    if (entry.is_likely_only() && !stage.may_need(entry) && stage.may_need(entry.proven())) {
      f(entry);
    }
  };
  std::ranges::for_each(unlikely_, look);
  for_each_left(look);
}

/// Candidates of a box without those that were evaluated first, whatever box they are in.
std::uint64_t ExactStrategy::count(const GridBox& box) const {
  std::uint64_t grids = box.count(space_of(box).max_processors);
  for (const auto& [grid, is_evaluated] : probes_) {
    grids -= is_evaluated && !awaited_.contains(grid) && box.contains(grid) ? 1 : 0;
  }
  return grids;
}

std::optional<Proof> ExactStrategy::proof() const {
  Proof proof;
  proof.evaluated = evaluated();
  proof.boxes = boxes_;
  const std::uint64_t known = candidates();
  const std::uint64_t others = known - std::min(known, proof.evaluated);
  if (probing_) {
    proof.open = others;
    return proof;
  }
  const Stage& asked = *stages_.list[stages_.objective_stages - 1];
  double least = std::numeric_limits<double>::infinity();
  const auto bound = [&](const BoundedBox& entry) {
    BoundedBox proven = entry.proven();
    asked.price(proven);
    least = std::min(least, proven.cost);
  };
  for_each_open([&](const BoundedBox& entry) {
    proof.open += count(entry.box);
    bound(entry);
  });
  for_each_unproven(asked, [&](const BoundedBox& entry) {
    proof.left += count(entry.box);
    bound(entry);
  });
  // Boxes count grids that do not meet the conditions, too.
  proof.open = std::min(proof.open, others);
  proof.left = std::min(proof.left, others - proof.open);
  proof.excluded = others - proof.open - proof.left;
  const bool all = proof.open + proof.left == 0;
  if (!all && std::isfinite(least)) {
    proof.least = goal_.objective != Objective::efficiency ? least : -least;
  }
  if (const auto found = best().best()) {
    const double reached = cost(goal_, *found);
    proof.gap =
        all || !(least < reached) || reached == 0.0 ? 0.0 : (reached - least) / std::abs(reached);
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
  const Stage& asked = *stages_.list[stages_.objective_stages - 1];
  const auto add = [&](const BoundedBox& entry) {
    BoundedBox proven = entry.proven();
    asked.price(proven);
    boxes.push_back({entry.box, std::isfinite(proven.cost) ? sign * proven.cost : unknown});
  };
  for_each_open(add);
  for_each_unproven(asked, add);
  return boxes;
}

std::vector<FrontState> ExactStrategy::front_states() const {
  const std::size_t last = stages_.list.size() - 1;
  std::vector<FrontState> states((stages_.list.size() - stages_.first_of_front) / stages_.of_share);
  for (std::size_t share = 0; share < states.size(); ++share) {
    // The largest share is the first; its last question settles it.
    const std::size_t stage = last - share * stages_.of_share;
    const bool settled = done_ || stage < stage_;
    const Outcome* const answer = steps().by_processors.fewest(shares_[share]);
    const std::int64_t found = answer != nullptr ? answer->grid.cores() : most_cores(spaces_);
    states[share] = {settled && is_proven(share, *stages_.list[stage]),
                     probing_ ? 1 : std::min(found, least_open(stage))};
  }
  return states;
}

/// True if no grid that was left may take the place of the answers to a share.
bool ExactStrategy::is_proven(std::size_t share, const Stage& stage) const {
  std::int64_t most = 0;
  for (const Staircase* steps : {&this->steps().by_processors, &this->steps().by_nodes}) {
    const Outcome* const answer = steps->fewest(shares_[share]);
    most = std::max(most, answer != nullptr ? answer->grid.cores() : 0);
  }
  bool proven = true;
  for_each_unproven(
      stage, [&](const BoundedBox& entry) { proven = proven && entry.box.least_cores() > most; });
  return proven;
}

/// No candidate on fewer processors answers the stage of a share: results apart, those left.
std::int64_t ExactStrategy::least_open(std::size_t stage) const {
  std::int64_t least = most_cores(spaces_);
  const auto look = [&](const BoundedBox& entry) {
    if (stages_.list[stage]->may_need(entry.proven())) {
      least = std::min(least, entry.box.least_cores());
    }
  };
  for_each_left(look);
  std::ranges::for_each(unlikely_, look);
  return least;
}

}  // namespace gridcast::search
