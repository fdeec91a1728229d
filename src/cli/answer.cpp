#include "answer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gridcast/base/error.h"
#include "gridcast/machine/cluster.h"
#include "gridcast/machine/placement.h"
#include "stored_search.h"

namespace gridcast::cli {
namespace {

constexpr double near_share = 0.01;
constexpr std::size_t most_near = 100;
constexpr double seconds_per_hour = 3600.0;

/// Extents of an array; nothing if they are none.
std::optional<std::vector<std::int64_t>> possible(
    std::optional<std::vector<std::int64_t>> extents) {
  const bool wrong =
      extents &&
      (extents->empty() || extents->size() > static_cast<std::size_t>(machine::max_grid_rank) ||
       std::ranges::any_of(*extents, [](std::int64_t extent) { return extent < 0; }));
  return wrong ? std::nullopt : std::move(extents);
}

}  // namespace

AnsweredRun::AnsweredRun(const store::RunDescription& description) {
  if (description.objective == search::name(search::Objective::node_hours)) {
    objective_ = search::Objective::node_hours;
  }
  const auto options = store::StoredOptions::read(description.options);
  if (options.word("ranks") == "column") {
    ranks_ = machine::Placement::Kind::column;
  }
  reference_ = possible(options.reference);
  rule_ = options.balanced ? mapping::BlockRule::balanced : mapping::BlockRule::ceil;
  if (description.machine.empty()) {
    return;  // several runs, merged
  }
  try {
    const auto cluster = machine::Cluster::parse(description.machine, description.machine_name);
    nodes_ = std::make_shared<machine::NodeList>(cluster, cluster.processors(),
                                                 stored_threads(description));
    note_ = machine::node_note(cluster);
  } catch (const InputError& error) {
    note_ = "nodes are not known: " + error.problem() + " (" + error.remedy() + ")";
  }
}

bool AnsweredRun::is_full(const machine::Grid& grid) const noexcept {
  return !reference_ || search::busy_processors(grid, *reference_, rule_) == grid.processors();
}

report::AnsweredGrid AnsweredRun::answered(const search::Outcome& outcome) const {
  report::AnsweredGrid grid;
  grid.grid = outcome.grid;
  grid.placement = machine::placement_of(outcome.grid, outcome.placement);
  grid.execution_time = outcome.execution_time;
  grid.efficiency = outcome.efficiency;
  const std::int64_t processors = outcome.grid.processors();
  if (reference_) {
    grid.idle_processors = processors - search::busy_processors(outcome.grid, *reference_, rule_);
  }
  if (nodes_ == nullptr) {
    return grid;
  }
  const machine::NodeList& nodes = nodes_->of(outcome.grid.threads());
  if (nodes.holds(processors)) {
    grid.nodes = nodes.first(processors);
    if (objective_ == search::Objective::node_hours) {
      grid.cost = nodes.rate(processors) * outcome.execution_time / seconds_per_hour;
      grid.cost_is_price = nodes.priced();
    }
  }
  return grid;
}

std::optional<machine::Job> AnsweredRun::job(const report::AnsweredGrid& grid,
                                             const std::string& rankfile) const {
  return grid.nodes.empty()
             ? std::nullopt
             : std::optional(machine::job_of(*nodes_, grid.grid, grid.placement, rankfile, ranks_));
}

AnswerMaker::AnswerMaker(const AnsweredRun& run, const search::Goal& goal)
    : run_(&run), goal_(goal), best_(goal, 2), full_(goal) {}

void AnswerMaker::add(const search::Outcome& outcome) {
  best_.add(outcome);
  if (run_->is_full(outcome.grid)) {
    full_.add(outcome);
  }
}

void AnswerMaker::choose(const std::optional<search::Outcome>& best,
                         const std::optional<search::Outcome>& unconstrained) {
  chosen_ = best ? best : best_.best();
  unconstrained_ = unconstrained ? unconstrained : best_.unconstrained();
}

double AnswerMaker::gap_to(const search::Outcome& other) const {
  const double reached = cost(goal_, *chosen_);
  return reached == 0.0 ? 0.0 : (cost(goal_, other) - reached) / std::abs(reached);
}

void AnswerMaker::compare(const search::Outcome& outcome) {
  if (!chosen_) {
    return;
  }
  // What the store says of these two does not tell their placement.
  if (unconstrained_ && outcome.grid == unconstrained_->grid) {
    unconstrained_ = outcome;
  }
  if (outcome.grid == chosen_->grid) {
    chosen_ = outcome;
    return;
  }
  if (!search::is_eligible(goal_, outcome) || !(std::abs(gap_to(outcome)) <= near_share)) {
    return;
  }
  ++near_count_;
  const auto better = [this](const search::Outcome& a, const search::Outcome& b) {
    return search::is_better(goal_, a, b);
  };
  near_.insert(std::upper_bound(near_.begin(), near_.end(), outcome, better), outcome);
  if (near_.size() > most_near) {
    near_.pop_back();
  }
}

report::Answer AnswerMaker::answer(const std::string& rankfile) const {
  report::Answer answer;
  answer.note = run_->note();
  if (unconstrained_) {
    answer.unconstrained = run_->answered(*unconstrained_);
  }
  if (!chosen_) {
    return answer;
  }
  answer.best = run_->answered(*chosen_);
  answer.job = run_->job(*answer.best, rankfile);
  answer.limited = goal_.min_efficiency || goal_.within;
  if (!run_->is_full(chosen_->grid) && full_.best()) {
    answer.full = run_->answered(*full_.best());
  }
  for (const search::Outcome& other : best_.choices()) {
    if (other.grid != chosen_->grid) {
      answer.runner_up = run_->answered(other);
      answer.gap = gap_to(other);
      break;
    }
  }
  for (const search::Outcome& other : near_) {
    answer.near_best.push_back(run_->answered(other));
  }
  answer.near_count = near_count_;
  return answer;
}

}  // namespace gridcast::cli
