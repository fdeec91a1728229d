#include "exact.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "gridcast/base/comparable.h"
#include "gridcast/base/contract.h"
#include "gridcast/base/error.h"

namespace gridcast::search {

using machine::Grid;
using machine::GridBox;

namespace {

/// A round grows with what was done before it, whatever the number of workers: the set of grids is
/// the same on every machine, and few of them are evaluated, few boxes split, only because results
/// were still awaited.
constexpr std::uint64_t done_per_one = 4;
constexpr std::uint64_t most_grids = 256;
constexpr std::uint64_t most_boxes = 2048;

/// Beyond this many boxes (of 56 bytes) one after the other is finished.
constexpr std::size_t most_queued = 300'000;

/// Grids of powers of two that are evaluated first, those with the least bounds.
constexpr std::size_t evaluated_probes = 4;

double number_or(double value, double otherwise) { return std::isnan(value) ? otherwise : value; }

}  // namespace

bool ExactStrategy::comes_later(const Entry& a, const Entry& b) noexcept {
  return a.cost > b.cost ||
         (a.cost == b.cost && machine::compare(a.box.first_grid(), b.box.first_grid()) > 0);
}

ExactStrategy::ExactStrategy(const SearchSpace& space, const StrategyOptions& options)
    : Strategy(space, options), space_(space), goal_(options.goal) {
  add_probes();
  end_round();  // conditions may have left no probe
}

// --- the first grids
// ---------------------------------------------------------------------------------

/// The most even grids of powers of two: a good one early shortens what comes.
void ExactStrategy::add_probes() {
  std::vector<std::int64_t> extents(static_cast<std::size_t>(space_.rank), 1);
  std::size_t dim = 0;
  for (std::int64_t processors = 1; processors <= space_.max_processors; processors *= 2) {
    const Grid grid{std::span<const std::int64_t>(extents)};
    probes_.emplace(grid, false);
    ask(GridBox(grid), -std::numeric_limits<double>::infinity());
    extents[dim] *= 2;
    dim = (dim + 1) % extents.size();
  }
}

void ExactStrategy::choose_probes() {
  std::sort(bounded_.begin(), bounded_.end(),
            [](const Entry& a, const Entry& b) { return comes_later(b, a); });
  for (const Entry& entry : bounded_) {
    if (costs_.size() < evaluated_probes) {
      look_at(entry);
    }
  }
  for (const Grid& grid : grids_) {
    probes_[grid] = true;
  }
  bounded_.clear();
  ask(GridBox(space_.rank, space_.max_processors), -std::numeric_limits<double>::infinity());
}

// --- rounds
// ------------------------------------------------------------------------------------------

/// Whether no grid of the box meets the conditions.
bool ExactStrategy::is_excluded(const GridBox& box) const {
  std::vector<std::int64_t> first;
  std::vector<std::int64_t> last;
  for (int dim = 0; dim < box.rank(); ++dim) {
    first.push_back(box.first(dim));
    last.push_back(box.last(dim));
  }
  return space_.conditions.any() && space_.conditions.excludes(first, last);
}

void ExactStrategy::ask(GridBox box, double parent) {
  if (box.fit(space_.max_processors) && !is_excluded(box)) {
    asked_.push_back({box, parent, false});
    ++asked_missing_;
  }
}

std::vector<GridBox> ExactStrategy::next_boxes(std::size_t max) {
  std::vector<GridBox> boxes;
  for (; boxes.size() < max && asked_given_ < asked_.size(); ++asked_given_) {
    boxes.push_back(asked_[asked_given_].box);
  }
  return boxes;
}

std::vector<Grid> ExactStrategy::choose(std::size_t max) {
  const std::size_t count = std::min(max, grids_.size() - grids_given_);
  const auto first = grids_.begin() + static_cast<std::ptrdiff_t>(grids_given_);
  grids_given_ += count;
  return {first, first + static_cast<std::ptrdiff_t>(count)};
}

void ExactStrategy::report(const GridBox& box, const BoxBounds& bounds) {
  // Answers come about in the order of questions.
  const auto asked =
      std::find_if(asked_.begin() + static_cast<std::ptrdiff_t>(asked_known_), asked_.end(),
                   [&](const Asked& each) { return !each.known && each.box == box; });
  expects(asked != asked_.end(), "bounds were reported that nobody asked for");
  asked->known = true;
  while (asked_known_ < asked_.size() && asked_[asked_known_].known) {
    ++asked_known_;
  }
  ++boxes_;
  // What is not a number proves nothing.
  const double time = number_or(bounds.time, 0.0);
  const double efficiency = number_or(bounds.efficiency, std::numeric_limits<double>::infinity());
  // More processors are on no fewer nodes: the first grid of the box has the cheapest.
  const double cost = goal_.cost(box.first_grid(), time, efficiency);
  bounded_.push_back({box, std::max(asked->parent, comparable(cost)), efficiency});
  --asked_missing_;
  end_round();
}

void ExactStrategy::take(const Outcome& outcome) {
  const auto known = costs_.find(outcome.grid);
  expects(known != costs_.end(), "a result was reported that nobody asked for");
  if (const double least = known->second;
      is_comparable(goal_, outcome) && cost(goal_, outcome) < least) {
    throw RunError("grid " + outcome.grid.text(),
                   goal_.objective != Objective::efficiency
                       ? "its predicted time of " + std::to_string(outcome.execution_time) +
                             " s is below the bound " + std::to_string(least) + " s"
                       : "its predicted efficiency of " + std::to_string(outcome.efficiency) +
                             " is above the bound " + std::to_string(-least),
                   "use mode 3, which needs no bounds, and report the trace and the machine");
  }
  costs_.erase(known);
  --grids_missing_;
  end_round();
}

void ExactStrategy::end_round() {
  while (!done_ && asked_missing_ == 0 && grids_missing_ == 0) {
    asked_.clear();
    grids_.clear();
    costs_.clear();
    asked_given_ = asked_known_ = grids_given_ = 0;
    if (probing_) {
      probing_ = false;
      choose_probes();
      continue;
    }
    // In the order of bounds and grids, not in that of answers.
    std::sort(bounded_.begin(), bounded_.end(), comes_later);
    for (const Entry& entry : bounded_) {
      if (!stack_.empty() || queue_.size() >= most_queued) {
        stack_.push_back(entry);
      } else {
        queue_.push_back(entry);
        std::push_heap(queue_.begin(), queue_.end(), comes_later);
      }
    }
    bounded_.clear();
    begin_round();
  }
}

ExactStrategy::Entry ExactStrategy::next_entry() {
  std::vector<Entry>& from = stack_.empty() ? queue_ : stack_;
  if (stack_.empty()) {
    std::pop_heap(queue_.begin(), queue_.end(), comes_later);
  }
  const Entry entry = from.back();
  from.pop_back();
  return entry;
}

void ExactStrategy::begin_round() {
  const std::uint64_t grids = std::clamp<std::uint64_t>(evaluated() / done_per_one, 1, most_grids);
  const std::uint64_t boxes = std::clamp<std::uint64_t>(split_ / done_per_one, 1, most_boxes);
  std::uint64_t split = 0;
  while (grids_.size() < grids && split < boxes && !(queue_.empty() && stack_.empty())) {
    const bool first_of_all = stack_.empty();
    const Entry entry = next_entry();
    if (loses(entry)) {
      if (first_of_all) {
        // The queue ascends in the very order in which results are compared: the rest loses too.
        queue_.clear();
      }
    } else if (!is_useless(entry)) {
      split += entry.box.single() ? 0 : 1;
      look_at(entry);
    }
  }
  split_ += split;
  done_ = asked_.empty() && grids_.empty() && queue_.empty() && stack_.empty();
  if (done_) {
    spdlog::debug("search: {} boxes bounded, {} grids evaluated", boxes_, evaluated());
  }
}

void ExactStrategy::look_at(const Entry& entry) {
  if (!entry.box.single()) {
    const auto [low, high] = entry.box.split();
    ask(low, entry.cost);
    ask(high, entry.cost);
    return;
  }
  const Grid grid = entry.box.first_grid();
  const auto probe = probes_.find(grid);
  const bool counts = (goal_.objective != Objective::efficiency || grid.processors() > 1) &&
                      space_.conditions.admits(grid);
  if (counts && (probe == probes_.end() || !probe->second)) {
    grids_.push_back(grid);
    costs_.emplace(grid, entry.cost);
    ++grids_missing_;
  }
}

// --- what is excluded
// ------------------------------------------------------------------------------

/// Whether all grids of the box are certainly worse than `rival`.
bool ExactStrategy::loses(const Entry& entry, const Outcome& rival) const {
  const double rival_cost = cost(goal_, rival);
  return entry.cost > rival_cost ||
         (entry.cost == rival_cost && machine::compare(entry.box.first_grid(), rival.grid) > 0);
}

/// Such grids cannot become the unconstrained best either: that is no worse than the top.
bool ExactStrategy::loses(const Entry& entry) const {
  if (goal_.within) {
    // All that is hardly worse than the best is looked at: fewer processors count more.
    const auto top = best().top();
    return !top.empty() && entry.cost > goal_.highest_cost(cost(goal_, top.front()));
  }
  return best().top().size() == best().keep() && loses(entry, best().top().back());
}

/// None is efficient enough for the condition, or the unconstrained best.
bool ExactStrategy::is_useless(const Entry& entry) const {
  return goal_.min_efficiency && comparable(entry.efficiency) < comparable(*goal_.min_efficiency) &&
         best().unconstrained() && loses(entry, *best().unconstrained());
}

template <class F>
void ExactStrategy::for_each_open(F&& f) const {
  for (const auto* entries : {&queue_, &stack_, &bounded_}) {
    for (const Entry& entry : *entries) {
      if (!loses(entry) && !is_useless(entry)) {
        f(entry.box, entry.cost);
      }
    }
  }
  for (const Asked& asked : asked_) {
    if (!asked.known && !probing_) {
      f(asked.box, asked.parent);
    }
  }
  for (const auto& [grid, least] : costs_) {
    // Probes that are still being evaluated lie in the first box.
    if (const auto probe = probes_.find(grid); probe == probes_.end() || !probe->second) {
      f(GridBox(grid), least);
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
    proof.open += box.count(space_.max_processors);
    for (const auto& [grid, is_evaluated] : probes_) {
      proof.open -= is_evaluated && !costs_.contains(grid) && box.contains(grid) ? 1 : 0;
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
  if (probing_) {
    return {{GridBox(space_.rank, space_.max_processors), unknown}};
  }
  const double sign = goal_.objective == Objective::efficiency ? -1.0 : 1.0;
  std::vector<OpenBox> boxes;
  for_each_open([&](const GridBox& box, double cost) {
    boxes.push_back({box, std::isfinite(cost) ? sign * cost : unknown});
  });
  return boxes;
}

}  // namespace gridcast::search
