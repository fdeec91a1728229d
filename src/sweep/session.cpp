#include "session.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "gridcast/base/error.h"
#include "gridcast/base/readable.h"
#include "gridcast/evaluate/bounds.h"
#include "gridcast/evaluate/evaluator.h"
#include "gridcast/rules/idle_dimensions.h"
#include "gridcast/store/reader.h"

namespace gridcast::sweep {
namespace {

/// Adds the candidates of a space by class of processors.
void add_by_class(search::SearchSpace space, search::Selection selection, GridCounts& counts) {
  if (space.conditions.any()) {
    search::CandidateStream stream(space, selection);
    while (const auto grid = stream.next()) {
      counts[static_cast<std::size_t>(
                 std::bit_width(static_cast<std::uint64_t>(grid->processors()))) -
             1] += 1.0;
    }
    return;
  }
  const std::int64_t most = space.max_processors;
  std::uint64_t below = 0;
  for (std::size_t number = 0; number < counts.size() && most >> number != 0; ++number) {
    space.max_processors = std::min(most, (std::int64_t{2} << number) - 1);
    const std::uint64_t until = search::count_candidates(space, selection);
    counts[number] += static_cast<double>(until - below);
    below = until;
  }
}

GridCounts grids_by_class(std::span<const search::SearchSpace> spaces,
                          search::Selection selection) {
  GridCounts counts{};
  for (const search::SearchSpace& space : spaces) {
    add_by_class(space, selection, counts);
  }
  return counts;
}

/// Whether a search begins with the given grid.
bool uses_start(search::Mode mode) {
  return mode == search::Mode::none || mode == search::Mode::heuristic ||
         mode == search::Mode::comparison;
}

std::unique_ptr<search::Strategy> start_search(const SweepSettings& settings, const Inputs& inputs,
                                               std::span<const search::SearchSpace> spaces,
                                               const search::Goal& goal,
                                               std::shared_ptr<const machine::NodeList> nodes) {
  const search::Mode mode = search_mode(settings.mode, inputs.cluster);
  search::StrategyOptions options;
  options.heuristic = settings.heuristic;
  options.goal = goal;
  options.close = model::has_close_bounds(inputs.resolved.options);
  options.keep = std::max<std::size_t>(settings.best, 2);  // the runner-up is proven, too
  if (nodes != nullptr) {
    options.front = settings.front;
    options.nodes = std::move(nodes);
  }
  std::unique_ptr<search::Strategy> strategy = search::make_strategy(mode, spaces, options);
  if (mode != search::Mode::none) {
    require_candidates(spaces, strategy->candidates());
  }
  return strategy;
}

}  // namespace

std::size_t GridHash::operator()(const machine::Grid& grid) const noexcept {
  std::size_t hash = static_cast<std::size_t>(grid.rank());
  for (const std::int32_t extent : grid.extents()) {
    hash = hash * 0x9E3779B97F4A7C15ULL + static_cast<std::size_t>(extent);
  }
  hash = hash * 0x9E3779B97F4A7C15ULL + static_cast<std::size_t>(grid.threads());
  return hash ^ (hash >> 29U);
}

Session::Session(const SweepSettings& settings, const Inputs& inputs, const StopSignals& signals,
                 double begin, int ranks)
    : StoredJob(settings, signals, begin, "grid",
                settings.intervals ? inputs.script.tables().intervals.size() : 0),
      settings_(&settings),
      options_(inputs.resolved.options),
      columns_(run_columns(settings, inputs)),
      extents_(reference_extents(inputs.script)),
      rule_(inputs.resolved.options.block_rule),
      mode_(search_mode(settings.mode, inputs.cluster)),
      spaces_(search_spaces(settings, inputs)),
      goal_(goal_on(inputs.clusters, settings.goal, search::most_cores(spaces_))),
      nodes_(mode_ == search::Mode::none || settings.front.empty()
                 ? nullptr
                 : std::make_shared<machine::NodeList>(inputs.cluster, search::most_cores(spaces_),
                                                       inputs.clusters.numbers())),
      strategy_(start_search(settings, inputs, spaces_, goal_, nodes_)),
      best_(goal_, settings.best),
      steps_(goal_, nodes_) {
  store::StoreSetup setup = store_setup(settings, inputs, spaces_);
  setup.description.candidates = static_cast<std::int64_t>(strategy_->candidates());
  setup.description.not_bad = static_cast<std::int64_t>(strategy_->not_bad());
  outcome_.candidates = strategy_->candidates();
  outcome_.not_bad = strategy_->not_bad();
  outcome_.warnings = inputs.warnings;
  outcome_.assumed = inputs.resolved.assumed;
  outcome_.mode = mode_;
  if (uses_start(mode_)) {
    if (const auto idle = model::idle_dimensions(inputs.script, spaces_.front().start)) {
      outcome_.warnings.push_back(*idle);
    }
  } else if (settings.grid) {
    outcome_.warnings.push_back(
        fmt::format("mode {} does not use the given grid {}: it looks at all by itself",
                    static_cast<int>(mode_), settings.grid->text()));
  }
  if (mode_ == search::Mode::all || mode_ == search::Mode::not_bad) {
    const bool all = mode_ == search::Mode::all;
    total_ = all ? outcome_.candidates : outcome_.not_bad;
    forecast_ = Forecast(
        grids_by_class(spaces_, all ? search::Selection::all : search::Selection::not_bad));
  }
  if (const auto& numbers = settings.questions.processors;
      numbers && numbers->last() > inputs.cluster.processors()) {
    outcome_.warnings.push_back(
        fmt::format("--processors {}: numbers above the {} of {} are left out", numbers->text(),
                    counted(inputs.cluster.processors(), "processor"), inputs.cluster.name()));
  }
  if (open_store(setup)) {
    take_stored_rows();
  }
  events_.start(static_cast<int>(mode_), outcome_.candidates, outcome_.not_bad, known_.size(),
                ranks);
}

/// The writer has taken over all rows of the earlier run, so the store as it lies there has them.
void Session::take_stored_rows() {
  store::StoreReader reader(settings_->store);
  reader.read_rows([this](const store::RowBatch& batch) {
    for (const store::ResultRow& row : batch.rows) {
      const search::Outcome outcome = outcome_of(row);
      known_.emplace(outcome.grid, Known{outcome.execution_time, outcome.efficiency, outcome.failed,
                                         outcome.placement});
      outcome_.failed += outcome.failed ? 1 : 0;
      ++outcome_.evaluated;
      forecast_.done(outcome.grid);
      note_best(row);
    }
  });
}

std::vector<Task> Session::next(std::size_t max) {
  std::vector<Task> wanted;
  bool any = true;
  while (any && wanted.size() < max) {
    const std::vector<search::AskedBox> boxes = strategy_->next_boxes(max - wanted.size());
    for (const search::AskedBox& asked : boxes) {
      wanted.push_back(bound_task(asked));
    }
    const std::vector<machine::Grid> grids = strategy_->next(max - wanted.size());
    for (const machine::Grid& grid : grids) {
      const auto known = known_.find(grid);
      if (known == known_.end()) {
        wanted.push_back({grid});
        continue;
      }
      // Each grid is asked for once.
      const Known result = known->second;
      known_.erase(known);
      strategy_->report(
          {grid, result.failed, result.execution_time, result.efficiency, result.placement});
    }
    any = !boxes.empty() || !grids.empty();
  }
  return wanted;
}

void Session::take_bounds(const Task& task, const store::ResultRow& row) {
  strategy_->report(task.box, bounds_of(row));
}

void Session::take_row(const Task&, const store::ResultRow& row, const Reason& reason,
                       std::span<const model::Characteristics> intervals) {
  const search::Outcome outcome = outcome_of(row);
  store_row(row, reason, store::run_values(columns_, row), intervals, {});
  if (note_best(row)) {
    events_.best(outcome);
  }
  strategy_->report(outcome);
}

bool Session::note_best(const store::ResultRow& row) {
  const search::Outcome outcome = outcome_of(row);
  best_.add(outcome);
  steps_.add(outcome);
  const std::optional<search::Outcome> best = best_.best();
  const bool is_best = best && best->grid == outcome.grid;
  if (is_best) {
    best_row_ = row;
  }
  if (best_.unconstrained() && best_.unconstrained()->grid == outcome.grid) {
    unconstrained_row_ = row;
  }
  return is_best;
}

void Session::give_up(const Task& task, const std::string& reason) {
  if (task.bounds != 0) {
    strategy_->report(task.box, {0.0, std::numeric_limits<double>::infinity()});
    return;
  }
  const double evenness = search::evenness(task.grid, extents_, rule_);
  take_row(task, store::make_failed_row(task.grid, evenness), {reason, store::FailureCause::lost},
           {});
}

}  // namespace gridcast::sweep
