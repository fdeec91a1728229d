#include "exact.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include "gridcast/base/comparable.h"
#include "gridcast/base/contract.h"
#include "gridcast/base/error.h"

namespace gridcast::search {

using machine::Grid;
using machine::GridBox;

namespace {

/// A round grows with what was done before it for the same question, whatever the number of
/// workers: the set of grids is the same on every machine, and little of it is done only because
/// results were still awaited.
constexpr std::uint64_t done_per_one = 4;
constexpr std::uint64_t most_grids = 256;
constexpr std::uint64_t most_boxes = 2048;

/// Beyond this many boxes (of 64 bytes) one after the other is finished.
constexpr std::size_t most_queued = 300'000;

/// Grids of powers of two that are evaluated first, those with the least bounds.
constexpr std::size_t evaluated_probes = 4;

/// Candidates that are likely to be worse are looked at after all if there are no more than these.
constexpr std::uint64_t most_proven = 100;

double number_or(double value, double otherwise) { return std::isnan(value) ? otherwise : value; }

/// What is certain of a result must not contradict it.
void require_bounds(const Goal& goal, const Outcome& outcome, const BoundedBox& bounds) {
  const bool by_efficiency = goal.objective == Objective::efficiency;
  if (!outcome.failed && std::isfinite(outcome.execution_time) &&
      comparable(outcome.execution_time) < comparable(bounds.proven_time)) {
    throw RunError("grid " + outcome.grid.text(),
                   "its predicted time of " + std::to_string(outcome.execution_time) +
                       " s is below the bound " + std::to_string(bounds.proven_time) + " s",
                   "use mode 3, which needs no bounds, and report the trace and the machine");
  }
  if (by_efficiency && is_comparable(goal, outcome) &&
      comparable(outcome.efficiency) > comparable(bounds.proven_efficiency)) {
    throw RunError("grid " + outcome.grid.text(),
                   "its predicted efficiency of " + std::to_string(outcome.efficiency) +
                       " is above the bound " + std::to_string(bounds.proven_efficiency),
                   "use mode 3, which needs no bounds, and report the trace and the machine");
  }
}

}  // namespace

ExactStrategy::ExactStrategy(std::span<const SearchSpace> spaces, const StrategyOptions& options)
    : Strategy(spaces, options),
      spaces_(spaces.begin(), spaces.end()),
      goal_(options.goal),
      stages_(make_stages(options, best(), steps())),
      shares_(options.front),
      close_(options.close) {
  add_probes();
  end_round();  // conditions may have left no probe
}

// --- the first grids
// ---------------------------------------------------------------------------------

/// The most even grids of powers of two: a good one early shortens what comes.
void ExactStrategy::add_probes() {
  for (const SearchSpace& space : spaces_) {
    std::vector<std::int64_t> extents(static_cast<std::size_t>(space.rank), 1);
    std::size_t dim = 0;
    for (std::int64_t processors = 1; processors <= space.max_processors; processors *= 2) {
      const Grid grid = Grid(std::span<const std::int64_t>(extents)).with_threads(space.threads);
      probes_.emplace(grid, false);
      ask(GridBox(grid), {});
      extents[dim] *= 2;
      dim = (dim + 1) % extents.size();
    }
  }
}

void ExactStrategy::choose_probes() {
  for (const BoundedBox& entry : bounded_) {
    if (awaited_.size() < evaluated_probes && stage().may_need(entry) && is_wanted(entry.box)) {
      evaluate(entry);
    }
  }
  for (const Grid& grid : grids_) {
    probes_[grid] = true;
  }
  bounded_.clear();
  for (const SearchSpace& space : spaces_) {
    ask(whole(space), {});
  }
}

// --- rounds
// ------------------------------------------------------------------------------------------

/// True if no grid of the box meets the conditions.
bool ExactStrategy::is_excluded(const GridBox& box) const {
  std::vector<std::int64_t> first;
  std::vector<std::int64_t> last;
  for (int dim = 0; dim < box.rank(); ++dim) {
    first.push_back(box.first(dim));
    last.push_back(box.last(dim));
  }
  const Conditions& conditions = space_of(box).conditions;
  return conditions.any() && conditions.excludes(first, last);
}

void ExactStrategy::ask(GridBox box, const BoundedBox& parent) {
  if (box.fit(space_of(box).max_processors) && !is_excluded(box)) {
    Asked& asked = asked_.emplace_back(Asked{parent, false});
    asked.box.box = box;
    ++asked_missing_;
  }
}

void ExactStrategy::ask_closely(const BoundedBox& entry) {
  asked_.push_back({entry, false});
  asked_.back().box.close = true;
  ++asked_missing_;
}

std::vector<AskedBox> ExactStrategy::next_boxes(std::size_t max) {
  std::vector<AskedBox> boxes;
  for (; boxes.size() < max && asked_given_ < asked_.size(); ++asked_given_) {
    const BoundedBox& asked = asked_[asked_given_].box;
    boxes.push_back({asked.box, asked.close});
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
                   [&](const Asked& each) { return !each.known && each.box.box == box; });
  expects(asked != asked_.end(), "bounds were reported that nobody asked for");
  asked->known = true;
  while (asked_known_ < asked_.size() && asked_[asked_known_].known) {
    ++asked_known_;
  }
  ++boxes_;
  // What is not a number proves nothing.
  constexpr double infinity = std::numeric_limits<double>::infinity();
  BoundedBox entry = asked->box;
  entry.time = std::max(entry.time, number_or(bounds.likely_time, 0.0));
  entry.efficiency = std::min(entry.efficiency, number_or(bounds.likely_efficiency, infinity));
  entry.proven_time = std::max(entry.proven_time, number_or(bounds.time, 0.0));
  entry.proven_efficiency =
      std::min(entry.proven_efficiency, number_or(bounds.efficiency, infinity));
  if (proving_) {
    entry = entry.proven();
  }
  stage().price(entry);
  bounded_.push_back(entry);
  --asked_missing_;
  end_round();
}

void ExactStrategy::take(const Outcome& outcome) {
  const auto known = awaited_.find(outcome.grid);
  expects(known != awaited_.end(), "a result was reported that nobody asked for");
  require_bounds(goal_, outcome, known->second);
  awaited_.erase(known);
  end_round();
}

void ExactStrategy::end_round() {
  while (!done_ && asked_missing_ == 0 && awaited_.empty()) {
    asked_.clear();
    grids_.clear();
    asked_given_ = asked_known_ = grids_given_ = 0;
    // In the order of the stage, not in that of answers.
    std::sort(bounded_.begin(), bounded_.end(), [this](const BoundedBox& a, const BoundedBox& b) {
      return stage().comes_later(b, a);
    });
    if (probing_) {
      probing_ = false;
      choose_probes();
      continue;
    }
    const bool full = !stack_.empty() || queue_.size() >= most_queued;
    if (full) {
      stack_.insert(stack_.end(), bounded_.rbegin(), bounded_.rend());
    } else {
      std::ranges::for_each(bounded_, [this](const BoundedBox& entry) { enqueue(entry); });
    }
    bounded_.clear();
    begin_round();
  }
}

void ExactStrategy::enqueue(BoundedBox entry) {
  stage().price(entry);
  queue_.push_back(entry);
  std::push_heap(queue_.begin(), queue_.end(), [this](const BoundedBox& a, const BoundedBox& b) {
    return stage().comes_later(a, b);
  });
}

BoundedBox ExactStrategy::next_entry() {
  std::vector<BoundedBox>& from = stack_.empty() ? queue_ : stack_;
  if (stack_.empty()) {
    std::pop_heap(queue_.begin(), queue_.end(), [this](const BoundedBox& a, const BoundedBox& b) {
      return stage().comes_later(a, b);
    });
  }
  const BoundedBox entry = from.back();
  from.pop_back();
  return entry;
}

void ExactStrategy::begin_round() {
  const std::uint64_t grids =
      std::clamp<std::uint64_t>((evaluated() - evaluated_before_) / done_per_one, 1, most_grids);
  const std::uint64_t boxes = std::clamp<std::uint64_t>(split_ / done_per_one, 1, most_boxes);
  std::uint64_t split = 0;
  stages_.list[stage_]->look();
  while (grids_.size() < grids && split < boxes) {
    if (queue_.empty() && stack_.empty()) {
      if (!asked_.empty() || !grids_.empty() || !find_more()) {
        break;
      }
      continue;
    }
    const bool first_of_all = stack_.empty();
    const BoundedBox entry = next_entry();
    const Verdict verdict = stage().judge(entry);
    if (verdict == Verdict::needed) {
      split += entry.box.single() && (entry.close || !close_) ? 0 : 1;
      look_at(entry);
      continue;
    }
    put_aside(entry);
    if (verdict == Verdict::over && first_of_all) {
      std::ranges::for_each(queue_, [this](const BoundedBox& each) { put_aside(each); });
      queue_.clear();
    }
  }
  split_ += split;
  done_ = asked_.empty() && grids_.empty() && queue_.empty() && stack_.empty();
  if (done_ && !proving_) {
    prove_the_rest();
  }
  if (done_) {
    spdlog::debug("search: {} boxes bounded, {} grids evaluated", boxes_, evaluated());
  }
}

/// Where few candidates are left that are likely to be worse, the questions are asked once more
/// with what is proven of these alone: all questions, or what the objective asks for.
void ExactStrategy::prove_the_rest() {
  for (const std::size_t stages : {stages_.list.size(), stages_.objective_stages}) {
    const auto needed =
        std::partition(unlikely_.begin(), unlikely_.end(), [this, stages](const BoundedBox& entry) {
          const BoundedBox proven = entry.proven();
          return std::ranges::none_of(std::span(stages_.list).first(stages),
                                      [&](const auto& each) { return each->may_need(proven); });
        });
    std::uint64_t left = 0;
    std::for_each(needed, unlikely_.end(),
                  [&](const BoundedBox& entry) { left += count(entry.box); });
    // Boxes count grids that do not meet the conditions, too.
    left = std::min(left, candidates() - std::min(candidates(), evaluated()));
    if (left > 0 && left <= most_proven) {
      std::transform(needed, unlikely_.end(), std::back_inserter(aside_),
                     [](const BoundedBox& entry) { return entry.proven(); });
      unlikely_.erase(needed, unlikely_.end());
      proving_ = true;
      done_ = false;
      stage_ = 0;
      return;
    }
  }
}

/// This stage or a later one may need it.
bool ExactStrategy::may_be_needed(const BoundedBox& entry) const {
  return std::any_of(stages_.list.begin() + static_cast<std::ptrdiff_t>(stage_), stages_.list.end(),
                     [&](const auto& each) { return each->may_need(entry); });
}

/// Keeps what may be needed, and what is not proven not to be.
void ExactStrategy::put_aside(const BoundedBox& entry) {
  if (may_be_needed(entry)) {
    aside_.push_back(entry);
  } else if (entry.is_likely_only() && std::ranges::any_of(stages_.list, [&](const auto& each) {
               return each->may_need(entry.proven());
             })) {
    unlikely_.push_back(entry);
  }
}

/// Fills the queue for this stage, or for the first one after it that needs something. Results may
/// have made needed what was put aside before them. False: no stage needs anything.
bool ExactStrategy::find_more() {
  for (;;) {
    std::vector<BoundedBox> left;
    left.swap(aside_);
    for (BoundedBox& entry : left) {
      stage().price(entry);
      if (stage().judge(entry) == Verdict::needed) {
        enqueue(entry);
      } else {
        put_aside(entry);
      }
    }
    if (!queue_.empty()) {
      return true;
    }
    if (stage_ + 1 == stages_.list.size()) {
      return false;
    }
    ++stage_;
    evaluated_before_ = evaluated();
    stages_.list[stage_]->look();
  }
}

void ExactStrategy::look_at(const BoundedBox& entry) {
  if (!entry.box.single()) {
    const auto [low, high] = entry.box.split();
    ask(low, entry);
    ask(high, entry);
  } else if (!is_wanted(entry.box)) {
    return;
  } else if (close_ && !entry.close) {
    ask_closely(entry);
  } else {
    evaluate(entry);
  }
}

bool ExactStrategy::is_wanted(const GridBox& single) const {
  const Grid grid = single.first_grid();
  const auto probe = probes_.find(grid);
  return space_of(single).conditions.admits(grid) && (probe == probes_.end() || !probe->second);
}

void ExactStrategy::evaluate(const BoundedBox& entry) {
  const Grid grid = entry.box.first_grid();
  grids_.push_back(grid);
  awaited_.emplace(grid, entry);
}

}  // namespace gridcast::search
