#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "evaluator.h"
#include "gridcast/error.h"
#include "gridcast/store/reader.h"
#include "idle.h"
#include "launch.h"
#include "session.h"

namespace {

using namespace gridcast::sweep;
using gridcast::machine::Grid;
using sweep_test::ScratchDirectory;

SweepSettings settings_in(const ScratchDirectory& scratch) {
  const std::string source = GRIDCAST_SOURCE_DIR;
  SweepSettings settings;
  settings.traces = {source + "/tests/data/c_jac2d_8_e1.ptr"};
  settings.machine = source + "/configs/workstations.par";
  settings.store = scratch / "s.h5";
  settings.events = scratch / "events";
  settings.mode = gridcast::search::Mode::all;
  settings.max_processors = 8;
  settings.progress = ProgressMode::never;
  settings.max_failures = 1;
  return settings;
}

Results failed_result(const Grid& grid, const std::string& reason) {
  Results results;
  results.rows.push_back(gridcast::store::make_failed_row(grid, 1.0));
  results.reasons.push_back(reason);
  return results;
}

}  // namespace

TEST_CASE("a prediction that throws becomes a failed row with its reason") {
  const ScratchDirectory scratch;
  const SweepSettings settings = settings_in(scratch);
  const Inputs inputs = read_inputs(settings);
  Evaluator evaluator(inputs.script, inputs.cluster, settings.options, true);
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
  CHECK(results.reasons.front().find("processors") != std::string::npos);
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
    CHECK(session.outcome().failed == 2);
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
  settings.resume = true;
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
  ProgressState state{250, 0, 1000, std::nullopt};
  CHECK(progress_text(state, 10.0) == "250 of 1000 grids (25 %), 10/s, 1 min 15 s left");
  state.total.reset();
  state.failed = 2;
  state.best = gridcast::search::Outcome{Grid::parse("4x2"), false, 0.5, 1.0};
  CHECK(progress_text(state, 0.0) == "250 grids, 2 failed, best 4x2: 0.5 s");
}

TEST_CASE("texts are escaped in events") {
  CHECK(json_string("a\"b\\c\n") == R"("a\"b\\c\u000a")");
}
