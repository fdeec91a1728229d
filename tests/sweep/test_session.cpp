#include <catch2/catch.hpp>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "gridcast/base/error.h"
#include "gridcast/evaluate/evaluator.h"
#include "gridcast/farm/idle.h"
#include "gridcast/store/reader.h"
#include "gridcast/sweep/session.h"
#include "launch.h"

namespace {

using namespace gridcast::sweep;
using gridcast::machine::Grid;
using gridcast::store::FailureCause;
using sweep_test::ScratchDirectory;

SweepSettings settings_in(const ScratchDirectory& scratch) {
  const std::string source = GRIDCAST_SOURCE_DIR;
  SweepSettings settings;
  settings.traces = {source + "/tests/data/c_jac2d_8_e1.ptr"};
  settings.machine = source + "/configs/workstations.par";
  settings.store = scratch / "s.h5";
  settings.events = scratch / "events";
  settings.mode = gridcast::search::Mode::all;
  settings.questions.max_processors = 8;
  settings.progress = ProgressMode::never;
  settings.max_failures = 1;
  return settings;
}

Results failed_result(const Grid& grid, const std::string& reason,
                      FailureCause cause = FailureCause::prediction) {
  Results results;
  results.rows.push_back(gridcast::store::make_failed_row(grid, 1.0));
  results.reasons.push_back({reason, cause});
  return results;
}

}  // namespace

TEST_CASE("a prediction that throws becomes a failed row with its reason") {
  const ScratchDirectory scratch;
  const SweepSettings settings = settings_in(scratch);
  const Inputs inputs = read_inputs(settings);
  Evaluator evaluator(inputs.script, inputs.cluster, inputs.resolved.options, true);
  Results results;
  evaluator(Grid::parse("2x2"), results);
  // More processors than the cluster has.
  evaluator(Grid::parse("40000x40000"), results);
  evaluator(Grid::parse("1x2"), results);
  const std::size_t intervals = inputs.script.tables().intervals.size();
  REQUIRE(results.rows.size() == 3);
  CHECK(results.rows[0].status == gridcast::store::Status::done);
  CHECK(results.rows[1].status == gridcast::store::Status::failed);
  CHECK(results.rows[2].status == gridcast::store::Status::done);
  CHECK(results.intervals.size() == 3 * intervals);
  REQUIRE(results.reasons.size() == 1);
  CHECK(results.reasons.front().text.find("processors") != std::string::npos);
}

TEST_CASE("more failed grids than tolerated stop the sweep with everything stored") {
  const ScratchDirectory scratch;
  const SweepSettings settings = settings_in(scratch);
  const Inputs inputs = read_inputs(settings);
  const StopSignals signals(StopSignals::Reaction::request);
  {
    Session session(settings, inputs, signals, seconds_now(), 1);
    const std::vector<Task> tasks = session.next(3);
    REQUIRE(tasks.size() == 3);
    session.take(std::span(tasks).first(1), failed_result(tasks[0].grid, "first \"reason\""), 1,
                 0.1);
    CHECK_FALSE(session.should_stop());
    session.give_up(tasks[1], "second reason");
    CHECK(session.should_stop());
    session.finish();
    CHECK(session.outcome().exit_code == 1);
    CHECK(session.outcome().failed == 1);
    CHECK(session.outcome().postponed == 1);
    CHECK_FALSE(session.outcome().best.has_value());
  }
  const gridcast::store::Store made = gridcast::store::read_store(settings.store);
  CHECK(made.state == gridcast::store::StoreState::stopped);
  REQUIRE(made.failures.size() == 2);
  CHECK(made.failures[0].reason == "first \"reason\"");
  CHECK(made.failures[1].reason == "second reason");
  std::istringstream lines(sweep_test::read_text(*settings.events));
  std::vector<std::string> kinds;
  for (std::string line; std::getline(lines, line);) {
    kinds.push_back(nlohmann::json::parse(line)["event"]);
  }
  CHECK(kinds == std::vector<std::string>{"start", "failure", "batch", "failure", "end"});
}

TEST_CASE("failed grids of an earlier run are not tried again and count") {
  const ScratchDirectory scratch;
  SweepSettings settings = settings_in(scratch);
  settings.max_failures = 2;
  const Inputs inputs = read_inputs(settings);
  const StopSignals signals(StopSignals::Reaction::request);
  Task failed;
  {
    Session session(settings, inputs, signals, seconds_now(), 1);
    failed = session.next(1).front();
    session.take(std::span(&failed, 1), failed_result(failed.grid, "reason"), 1, 0.1);
    session.finish();
  }
  settings.resume = Resume::yes;
  const SweepOutcome outcome = run_sweep(settings);
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.failed == 1);
  // Σ d(n) for n <= 8.
  CHECK(outcome.evaluated == 20);
  const gridcast::store::Store made = gridcast::store::read_store(settings.store);
  CHECK(made.state == gridcast::store::StoreState::complete);
  REQUIRE(made.failures.size() == 1);
  CHECK(made.failures[0].grid == failed.grid.text());
}

TEST_CASE("what failed for want of memory or with its workers is tried again by the next start") {
  const ScratchDirectory scratch;
  SweepSettings settings = settings_in(scratch);
  settings.max_failures = 100;
  const Inputs inputs = read_inputs(settings);
  const StopSignals signals(StopSignals::Reaction::request);
  Evaluator evaluator(inputs.script, inputs.cluster, inputs.resolved.options, false);
  {
    Session session(settings, inputs, signals, seconds_now(), 1);
    const std::vector<Task> tasks = session.next(100);
    REQUIRE(tasks.size() == 20);  // Σ d(n) for n <= 8
    session.take(std::span(tasks).first(1),
                 failed_result(tasks[0].grid, "no room", FailureCause::memory), 1, 0.1);
    session.give_up(tasks[1], "killed");
    session.take(std::span(tasks).subspan(2, 1), failed_result(tasks[2].grid, "wrong"), 1, 0.1);
    for (std::size_t i = 3; i < tasks.size(); ++i) {
      Results results;
      evaluator(tasks[i].grid, results);
      session.take(std::span(tasks).subspan(i, 1), results, 1, 0.1);
    }
    CHECK(session.finished());
    session.finish();
    // Nothing is left to be handed out, and yet the search is not complete.
    CHECK(session.outcome().exit_code == 3);
    CHECK(session.outcome().evaluated == 18);
    CHECK(session.outcome().failed == 1);
    CHECK(session.outcome().postponed == 2);
    CHECK(session.outcome().message.find("1 for want of memory, 1 because") != std::string::npos);
  }
  const gridcast::store::Store stopped = gridcast::store::read_store(settings.store);
  CHECK(stopped.state == gridcast::store::StoreState::stopped);
  CHECK(stopped.table.rows.size() == 18);
  REQUIRE(stopped.failures.size() == 3);
  settings.resume = Resume::yes;
  const SweepOutcome again = run_sweep(settings);
  CHECK(again.exit_code == 0);
  CHECK(again.evaluated == 20);
  CHECK(again.failed == 1);
  CHECK(gridcast::store::read_store(settings.store).state == gridcast::store::StoreState::complete);
  // What failed by itself is tried again only if that is asked for.
  settings.resume = Resume::automatic;
  settings.retry_failed = true;
  const SweepOutcome retried = run_sweep(settings);
  CHECK(retried.exit_code == 0);
  CHECK(retried.evaluated == 20);
  CHECK(retried.failed == 0);
  SweepSettings whole = settings;
  whole.store = scratch / "whole.h5";
  whole.retry_failed = false;
  CHECK(run_sweep(whole).exit_code == 0);
  CHECK(sweep_test::exported(settings.store) == sweep_test::exported(whole.store));
}

TEST_CASE("resume needs a store, resume=auto begins one") {
  const ScratchDirectory scratch;
  SweepSettings settings = settings_in(scratch);
  settings.resume = Resume::yes;
  CHECK(run_sweep(settings).exit_code == 2);
  settings.resume = Resume::automatic;
  CHECK(run_sweep(settings).evaluated == 20);
  CHECK(run_sweep(settings).exit_code == 0);
  settings.resume = Resume::no;
  CHECK(run_sweep(settings).exit_code == 2);
  settings.retry_failed = true;
  settings.store = scratch / "other.h5";
  CHECK(run_sweep(settings).exit_code == 2);
}

TEST_CASE("a sweep that nobody asks for more searches exactly") {
  const ScratchDirectory scratch;
  SweepSettings settings = settings_in(scratch);
  settings.mode.reset();
  const auto mode_with = [&](const std::string& line) {
    std::istringstream lines(sweep_test::read_text(settings.machine));
    std::ofstream out(scratch / "m.par");
    for (std::string other; std::getline(lines, other);) {
      out << (other.starts_with("search") ? line : other) << "\n";
    }
    out.close();
    SweepSettings changed = settings;
    changed.machine = scratch / "m.par";
    return search_mode(changed.mode, read_inputs(changed).cluster);
  };
  CHECK(mode_with("") == gridcast::search::Mode::exact);
  CHECK(mode_with("search = 0;") == gridcast::search::Mode::exact);
  CHECK(mode_with("search = 2;") == gridcast::search::Mode::not_bad);
  settings.mode = gridcast::search::Mode::none;
  CHECK(mode_with("search = 2;") == gridcast::search::Mode::none);
}

TEST_CASE("a signal stops the sweep so that it can be resumed") {
  const ScratchDirectory scratch;
  const SweepSettings settings = settings_in(scratch);
  const Inputs inputs = read_inputs(settings);
  const StopSignals signals(StopSignals::Reaction::request);
  Session session(settings, inputs, signals, seconds_now(), 1);
  CHECK_FALSE(session.should_stop());
  ::raise(SIGUSR1);
  CHECK(session.should_stop());
  session.finish();
  CHECK(session.outcome().exit_code == 3);
  CHECK(session.outcome().message.find("--resume") != std::string::npos);
}

TEST_CASE("progress shows rate, time left and the best so far") {
  RateMeter meter;
  CHECK(meter.rate() == 0.0);
  meter.add(10.0, 100);
  meter.add(20.0, 400);
  CHECK(meter.rate() == Approx(30.0));
  // Only the last half minute counts.
  meter.add(60.0, 400);
  meter.add(90.0, 700);
  CHECK(meter.rate() == Approx(10.0));
  ProgressState state;
  state.evaluated = 250;
  state.total = 1000;
  CHECK(progress_text(progress_of(state, 10.0, 2.0)) == "250 of 1000 grids (25 %), 10/s");
  CHECK(progress_of(state, 10.0, 2.0).share == 0.25);
  // 150 s of work, of which 2 s are done per second.
  state.work_left = 150.0;
  CHECK(progress_text(progress_of(state, 10.0, 2.0)) ==
        "250 of 1000 grids (25 %), 10/s, 1 min 15 s left");
  state = {};
  state.evaluated = 250;
  state.failed = 2;
  state.best = gridcast::search::Outcome{Grid::parse("4x2"), false, 0.5, 1.0};
  CHECK(progress_text(progress_of(state, 0.0, 0.0)) == "250 grids, 2 failed, best 4x2: 500.0 ms");
  CHECK_FALSE(progress_of(state, 0.0, 0.0).share);
  // 250 candidates have results, 350 are excluded, 400 open.
  state.proof = gridcast::search::Proof{250, 350, 0, 400, 99, 0.4, 0.2};
  CHECK(progress_text(progress_of(state, 0.0, 0.0)) ==
        "250 grids, 2 failed, best 4x2: 500.0 ms, gap 20.00 %, 400 grids open");
  CHECK(progress_of(state, 0.0, 0.0).share == 0.6);
  // Nothing is known of some boxes.
  state.proof->gap = std::numeric_limits<double>::infinity();
  CHECK(progress_of(state, 0.0, 0.0).answer == "best 4x2: 500.0 ms, 400 grids open");
}
