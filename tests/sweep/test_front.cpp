// The front in stores: over all rows of mode 3, by bounds in mode 4, and of searches that are
// stopped and go on.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "gridcast/evaluate/bounds.h"
#include "gridcast/evaluate/evaluator.h"
#include "gridcast/farm/idle.h"
#include "gridcast/store/reader.h"
#include "gridcast/store/repair.h"
#include "gridcast/sweep/session.h"
#include "launch.h"

namespace {

using namespace gridcast::sweep;
using gridcast::store::Front;
using gridcast::store::FrontEntry;
using gridcast::store::ResultRow;
using sweep_test::ScratchDirectory;

constexpr std::int64_t node_size = 64;

SweepSettings front_settings(const ScratchDirectory& scratch, const std::string& name,
                             gridcast::search::Mode mode) {
  const std::string source = GRIDCAST_SOURCE_DIR;
  SweepSettings settings;
  settings.traces = {source + "/tests/data/c_jac2d_1000x10.ptr.gz"};
  settings.machine = source + "/configs/cluster128x64.par";
  settings.store = scratch / name;
  settings.mode = mode;
  settings.questions.max_processors = 500;
  settings.progress = ProgressMode::never;
  return settings;
}

/// The fewest processors, or nodes, of a row at most a share slower than the fastest: by a look at
/// all rows.
std::int64_t fewest(const std::vector<ResultRow>& rows, double share, bool by_nodes) {
  const auto rounded = [](double seconds) {
    const double unit = std::pow(10.0, std::floor(std::log10(seconds)) - 10.0);
    return std::round(seconds / unit) * unit;
  };
  double shortest = HUGE_VAL;
  for (const ResultRow& row : rows) {
    shortest = std::min(shortest, row.characteristics.execution_time);
  }
  std::int64_t least = INT64_MAX;
  for (const ResultRow& row : rows) {
    if (rounded(row.characteristics.execution_time) <=
        rounded((1.0 + share) * shortest) * (1.0 + 1e-15)) {
      const std::int64_t number = row.processors;
      least = std::min(least, by_nodes ? (number + node_size - 1) / node_size : number);
    }
  }
  return least;
}

/// Does so many tasks of a sweep, and stops it as a time limit does.
SweepOutcome stopped_sweep(SweepSettings settings, std::size_t tasks) {
  settings.time_limit = 0.0;
  const Inputs inputs = read_inputs(settings);
  const StopSignals signals(StopSignals::Reaction::request);
  Session session(settings, inputs, signals, seconds_now(), 1);
  Evaluator evaluator(inputs.script, inputs.cluster, inputs.resolved.options, false);
  Bounder bounder({inputs.script, inputs.cluster, inputs.resolved.options, settings.margin},
                  *settings.questions.max_processors, 0);
  for (std::size_t done = 0; done < tasks && !session.finished(); ++done) {
    const std::vector<Task> next = session.next(1);
    Results results;
    if (next.front().bounds != 0) {
      bounder(next.front(), results);
    } else {
      evaluator(next.front().grid, results);
    }
    session.take(next, results, 1, 0.001);
  }
  CHECK(session.should_stop());
  session.finish();
  return session.outcome();
}

}  // namespace

TEST_CASE("the front of mode 4 in the store is that of all rows of mode 3") {
  const ScratchDirectory scratch;
  std::map<std::string, Front> fronts;
  std::vector<ResultRow> rows;
  for (const std::string options : {"time", "efficiency"}) {
    for (const auto mode : {gridcast::search::Mode::all, gridcast::search::Mode::exact}) {
      SweepSettings settings =
          front_settings(scratch, options + std::to_string(static_cast<int>(mode)), mode);
      if (options == "efficiency") {
        settings.goal.objective = gridcast::search::Objective::efficiency;
      }
      const SweepOutcome outcome = run_sweep(settings);
      REQUIRE(outcome.exit_code == 0);
      const auto store = gridcast::store::read_store(settings.store);
      REQUIRE(store.front.has_value());
      CHECK(store.front->size() == 16);
      CHECK(gridcast::store::inspect_store(settings.store).sound);
      if (mode == gridcast::search::Mode::all) {
        rows = store.table.rows;
        fronts[options] = *store.front;
      } else {
        CHECK(outcome.evaluated < rows.size());
        CHECK(*store.front == fronts[options]);
      }
      for (const FrontEntry& entry : *store.front) {
        CAPTURE(entry.within, entry.by_nodes);
        CHECK(entry.proven);
        const std::int64_t right = fewest(rows, entry.within, entry.by_nodes);
        CHECK((entry.by_nodes ? entry.nodes : entry.processors) == right);
        CHECK(entry.at_least == right);
      }
    }
  }
}

TEST_CASE("a search that is stopped before its front is settled says so, and goes on") {
  const ScratchDirectory scratch;
  SweepSettings settings = front_settings(scratch, "all.h5", gridcast::search::Mode::all);
  REQUIRE(run_sweep(settings).exit_code == 0);
  const Front right = *gridcast::store::read_store(settings.store).front;
  std::size_t open = 0;
  std::size_t settled = 0;
  settings = front_settings(scratch, "stopped.h5", gridcast::search::Mode::exact);
  for (std::size_t tasks = 5;; tasks += 10) {
    const SweepOutcome outcome = stopped_sweep(settings, tasks);
    settings.resume = Resume::automatic;
    if (outcome.exit_code == 0) {
      break;
    }
    CHECK(outcome.exit_code == 3);
    const auto store = gridcast::store::read_store(settings.store);
    CHECK(store.state == gridcast::store::StoreState::stopped);
    if (store.table.rows.empty()) {
      CHECK_FALSE(store.front.has_value());
      continue;
    }
    REQUIRE(store.front->size() == right.size());
    for (std::size_t i = 0; i < right.size(); ++i) {
      const FrontEntry& entry = (*store.front)[i];
      CHECK(entry.at_least <= right[i].at_least);
      CHECK((!entry.proven || entry == right[i]));
      open += entry.proven ? 0 : 1;
      settled += entry.proven ? 1 : 0;
    }
  }
  CHECK(open > 0);
  CHECK(settled > 0);
  CHECK(run_sweep(settings).exit_code == 0);
  CHECK(*gridcast::store::read_store(settings.store).front == right);
}

TEST_CASE("without a front the store has an empty one, and the search ends earlier") {
  const ScratchDirectory scratch;
  SweepSettings settings = front_settings(scratch, "a.h5", gridcast::search::Mode::exact);
  const SweepOutcome with = run_sweep(settings);
  settings.store = scratch / "b.h5";
  settings.front.clear();
  const SweepOutcome without = run_sweep(settings);
  CHECK(without.front.empty());
  CHECK(with.best->grid == without.best->grid);
  CHECK(without.evaluated < with.evaluated);
  CHECK(gridcast::store::read_store(settings.store).front->empty());
}

TEST_CASE("the front costs at most four times what the best grid costs alone") {
  const ScratchDirectory scratch;
  SweepSettings settings = front_settings(scratch, "a.h5", gridcast::search::Mode::exact);
  settings.traces = {GRIDCAST_SOURCE_DIR "/configs/programs/jacobi2d.toml"};
  settings.parameters = {{"n", "10000"}};
  settings.questions.max_processors = 8192;
  const SweepOutcome with = run_sweep(settings);
  settings.store = scratch / "b.h5";
  settings.front.clear();
  const SweepOutcome without = run_sweep(settings);
  CAPTURE(with.evaluated, without.evaluated);
  CHECK(with.front.size() == 16);  // eight shares, by processors and by nodes
  CHECK(with.evaluated <= 5 * without.evaluated);
}

TEST_CASE("the chosen row is in the store whatever the durability") {
  const ScratchDirectory scratch;
  for (const auto durability :
       {gridcast::store::Durability::none, gridcast::store::Durability::process,
        gridcast::store::Durability::second}) {
    for (const auto mode : {gridcast::search::Mode::all, gridcast::search::Mode::exact}) {
      SweepSettings settings = front_settings(
          scratch,
          std::to_string(static_cast<int>(durability)) + std::to_string(static_cast<int>(mode)),
          mode);
      settings.durability = durability;
      settings.goal.within = 0.05;
      const SweepOutcome outcome = run_sweep(settings);
      REQUIRE(outcome.exit_code == 0);
      const auto store = gridcast::store::read_store(settings.store);
      CHECK(store.best->chosen.grid() == outcome.best->grid);
      CHECK(store.best->chosen.characteristics.execution_time == outcome.best->execution_time);
      CHECK(store.best->chosen.processors == fewest(store.table.rows, 0.05, false));
      CHECK(gridcast::store::inspect_store(settings.store).sound);
    }
  }
}
