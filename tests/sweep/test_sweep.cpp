#include <signal.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "event_gate.h"
#include "gridcast/store/reader.h"
#include "launch.h"

namespace {

using namespace sweep_test;

const std::string cluster = source + "/configs/cluster128x64.par";

std::vector<std::string> sweep_command(const std::filesystem::path& store,
                                       const std::vector<std::string>& more,
                                       const std::string& trace = jacobi) {
  std::vector<std::string> command{SWEEP_PROGRAM, trace, cluster, store.string()};
  command.insert(command.end(), more.begin(), more.end());
  return command;
}

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

/// A sweep that is interrupted when it has stored something, and resumed. Its events, one for each
/// grid, hold it there.
class InterruptedSweep {
public:
  InterruptedSweep() {
    REQUIRE(run(sweep_command(scratch_ / "whole.h5", {size})).exit_code == 0);
    expected_ = exported(scratch_ / "whole.h5");
    REQUIRE(lines_of(expected_) == candidates + 1);
  }

  std::vector<std::string> command(const std::string& option = "max_failures=0") const {
    return sweep_command(
        store, {size, "batch=1", "lease=1000000", option,
                "events=" + (scratch_ / "events").string(), "pids=" + (scratch_ / "pid").string()});
  }

  void wait_until_it_works(const Running& running) {
    constexpr std::uintmax_t some_rows = 2000;  // bytes
    REQUIRE(gate.pass_until(running, [&] { return has_journal(store, some_rows); }));
  }

  [[nodiscard]] int pid(int rank) const {
    return read_number(scratch_ / ("pid" + std::to_string(rank)));
  }
  void signal(int rank, int number) const { ::kill(pid(rank), number); }

  /// Until a stopped rank has been sent the signal.
  void wait_for_pending(int rank, int number) const {
    const std::string status = "/proc/" + std::to_string(pid(rank)) + "/status";
    const std::string field = "ShdPnd:";
    for (;;) {
      const std::string text = read_text(status);
      const std::size_t at = text.find(field);
      REQUIRE(at != std::string::npos);
      constexpr int hexadecimal = 16;
      if ((std::stoull(text.substr(at + field.size()), nullptr, hexadecimal) >> (number - 1)) &
          1U) {
        return;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  /// What was stored is not evaluated again. Returns how many rows that were.
  std::size_t resume(int ranks) const {
    const std::filesystem::path events = scratch_ / "resumed";
    const Ended ended =
        run(mpirun(ranks, sweep_command(store, {size, "resume", "events=" + events.string()})));
    INFO(ended.output << ended.errors);
    REQUIRE(ended.exit_code == 0);
    CHECK(exported(store) == expected_);
    std::istringstream lines(read_text(events));
    std::size_t resumed = 0;
    std::size_t evaluated = 0;
    for (std::string line; std::getline(lines, line);) {
      const nlohmann::json event = nlohmann::json::parse(line);
      if (event["event"] == "start") {
        resumed = event["resumed"];
      } else if (event["event"] == "batch") {
        evaluated += event["grids"].get<std::size_t>();
      }
    }
    CHECK(resumed + evaluated == candidates);
    return resumed;
  }

  void check_table() const { CHECK(exported(store) == expected_); }

private:
  inline static const std::string size = "processors=300";
  // Σ_{n <= 300} d(n): ordered grids of two dimensions.
  static constexpr std::size_t candidates = 1767;
  ScratchDirectory scratch_;
  std::string expected_;

public:
  const std::filesystem::path store = scratch_ / "s.h5";
  EventGate gate{scratch_ / "events"};
};

}  // namespace

TEST_CASE("the table of a sweep does not depend on the number of ranks") {
  const ScratchDirectory scratch;
  const Ended alone = run(sweep_command(scratch / "1.h5", {"processors=256"}));
  INFO(alone.output << alone.errors);
  REQUIRE(alone.exit_code == 0);
  // Table 5 of [Forecasting].
  CHECK(read_values(alone.output)["evaluated"] == "1466");
  CHECK(read_values(alone.output)["not_bad"] == "1260");
  const std::string expected = exported(scratch / "1.h5");
  CHECK(lines_of(expected) == 1467);
  for (const int ranks : {2, 3, 5}) {
    CAPTURE(ranks);
    const std::filesystem::path store = scratch / (std::to_string(ranks) + ".h5");
    const Ended ended = run(mpirun(ranks, sweep_command(store, {"processors=256"})));
    INFO(ended.output << ended.errors);
    CHECK(ended.exit_code == 0);
    CHECK(exported(store) == expected);
    const gridcast::store::Store made = gridcast::store::read_store(store);
    CHECK(made.state == gridcast::store::StoreState::complete);
    REQUIRE(made.best.has_value());
    CHECK(made.best->chosen.grid().text() == read_values(alone.output)["best"]);
  }
}

TEST_CASE("modes 1, 2 and 5 evaluate the same grids with any number of ranks") {
  const ScratchDirectory scratch;
  for (const std::string mode : {"1", "2", "5"}) {
    CAPTURE(mode);
    const std::vector<std::string> more{"processors=256", "mode=" + mode};
    const Ended alone = run(sweep_command(scratch / (mode + "a.h5"), more));
    const Ended farmed = run(mpirun(4, sweep_command(scratch / (mode + "b.h5"), more)));
    REQUIRE(alone.exit_code == 0);
    REQUIRE(farmed.exit_code == 0);
    CHECK(alone.output.substr(alone.output.find("exit=")) ==
          farmed.output.substr(farmed.output.find("exit=")));
    CHECK(exported(scratch / (mode + "a.h5")) == exported(scratch / (mode + "b.h5")));
    if (mode == "1") {
      // The heuristic of [Forecasting] took 123.
      CHECK(std::stoi(read_values(alone.output)["evaluated"]) <= 123);
    } else {
      CHECK(read_values(alone.output)["evaluated"] == "1260");
    }
  }
}

TEST_CASE("mode 4 finds the optimum of mode 3 with any number of ranks") {
  const ScratchDirectory scratch;
  const Ended all = run(sweep_command(scratch / "all.h5", {"processors=256"}));
  const Ended alone = run(sweep_command(scratch / "a.h5", {"processors=256", "mode=4"}));
  const Ended farmed =
      run(mpirun(4, sweep_command(scratch / "b.h5", {"processors=256", "mode=4"})));
  INFO(alone.output << alone.errors << farmed.errors);
  REQUIRE(alone.exit_code == 0);
  REQUIRE(farmed.exit_code == 0);
  CHECK(exported(scratch / "a.h5") == exported(scratch / "b.h5"));
  CHECK(std::stoi(read_values(alone.output)["evaluated"]) < 1466);
  const gridcast::store::ResultRow best =
      gridcast::store::read_store(scratch / "all.h5").best.value().chosen;
  const gridcast::store::ResultRow exact =
      gridcast::store::read_store(scratch / "b.h5").best.value().chosen;
  CHECK(exact.grid() == best.grid());
  CHECK(exact.characteristics.execution_time == best.characteristics.execution_time);
}

TEST_CASE("mode 4 over 8192 processors stops at once, bounding or not, and goes on") {
  const ScratchDirectory scratch;
  const std::vector<std::string> space{"processors=8192", "mode=4"};
  const Ended whole = run(sweep_command(scratch / "a.h5", space));
  REQUIRE(whole.exit_code == 0);
  std::vector<std::string> limited = space;
  limited.emplace_back("time_limit=0");
  for (const int ranks : {1, 3}) {
    const auto store = scratch / (std::to_string(ranks) + ".h5");
    const auto command = [&](const std::vector<std::string>& options) {
      return ranks == 1 ? sweep_command(store, options)
                        : mpirun(ranks, sweep_command(store, options));
    };
    const Ended stopped = run(command(limited));
    INFO(stopped.output << stopped.errors);
    REQUIRE(stopped.exit_code == 3);
    std::vector<std::string> resumed = space;
    resumed.emplace_back("resume");
    const Ended ended = run(command(resumed));
    INFO(ended.output << ended.errors);
    REQUIRE(ended.exit_code == 0);
    CHECK(exported(store) == exported(scratch / "a.h5"));
  }
}

TEST_CASE("results of intervals are stored by every rank") {
  const ScratchDirectory scratch;
  const std::string trace = source + "/tests/data/c_jac2d_8_e1.ptr";
  const std::vector<std::string> more{"processors=16", "intervals"};
  REQUIRE(run(sweep_command(scratch / "1.h5", more, trace)).exit_code == 0);
  REQUIRE(run(mpirun(3, sweep_command(scratch / "3.h5", more, trace))).exit_code == 0);
  using Row = std::pair<std::string, std::vector<double>>;
  const auto rows_of = [](const std::filesystem::path& path) {
    std::vector<Row> rows;
    gridcast::store::StoreReader reader(path);
    const std::size_t intervals = reader.about().setup.intervals.size();
    CHECK(intervals > 1);
    reader.read_rows([&](const gridcast::store::RowBatch& batch) {
      REQUIRE(batch.intervals.size() == batch.rows.size() * intervals);
      for (std::size_t i = 0; i < batch.rows.size(); ++i) {
        Row row{batch.rows[i].grid().text(), {}};
        for (std::size_t k = 0; k < intervals; ++k) {
          row.second.push_back(batch.intervals[i * intervals + k].execution_time);
        }
        // The first interval is the whole program.
        CHECK(row.second.front() == batch.rows[i].characteristics.execution_time);
        rows.push_back(std::move(row));
      }
    });
    std::sort(rows.begin(), rows.end());
    return rows;
  };
  CHECK(rows_of(scratch / "1.h5") == rows_of(scratch / "3.h5"));
}

TEST_CASE("bad input ends all ranks with one line and exit code 2") {
  const ScratchDirectory scratch;
  const auto messages = [](const Ended& ended) {
    std::istringstream stream(ended.errors);
    std::vector<std::string> ours;
    for (std::string line; std::getline(stream, line);) {
      if (line.find("gridcast: ") != std::string::npos) {
        ours.push_back(line);
      }
    }
    CHECK(ended.errors.find("MPI_ABORT") == std::string::npos);
    return ours;
  };
  SECTION("no such trace") {
    const Ended ended = run(mpirun(3, sweep_command(scratch / "s.h5", {}, "nowhere.ptr")));
    CHECK(ended.exit_code == 2);
    const std::vector<std::string> lines = messages(ended);
    REQUIRE(lines.size() == 1);
    CHECK(lines.front().find("nowhere.ptr") != std::string::npos);
  }
  SECTION("no such directory for the store") {
    const Ended ended = run(mpirun(3, sweep_command(scratch / "no/s.h5", {"processors=4"})));
    CHECK(ended.exit_code == 2);
    CHECK(messages(ended).size() == 1);
  }
  SECTION("the store exists") {
    REQUIRE(run(sweep_command(scratch / "s.h5", {"processors=4"})).exit_code == 0);
    CHECK(run(sweep_command(scratch / "s.h5", {"processors=4"})).exit_code == 2);
  }
  SECTION("resumed with other options") {
    REQUIRE(run(sweep_command(scratch / "s.h5", {"processors=4"})).exit_code == 0);
    const Ended ended = run(mpirun(2, sweep_command(scratch / "s.h5", {"processors=5", "resume"})));
    CHECK(ended.exit_code == 2);
    CHECK(messages(ended).size() == 1);
  }
}

TEST_CASE("a sweep whose ranks are killed, resumed, leaves the table of an uninterrupted one") {
  InterruptedSweep sweep;
  SECTION("rank 0") {
    Running running(mpirun(3, sweep.command()));
    sweep.wait_until_it_works(running);
    sweep.signal(0, SIGKILL);
    CHECK(running.wait().exit_code != 0);
    CHECK(sweep.resume(3) > 0);
  }
  SECTION("rank 0, the others are allowed to go on") {
    Running running(mpirun(3, sweep.command(), recovery));
    sweep.wait_until_it_works(running);
    sweep.signal(0, SIGKILL);
    static_cast<void>(running.wait());
    CHECK(sweep.resume(2) > 0);
  }
  SECTION("a worker that takes the job with it") {
    Running running(mpirun(3, sweep.command()));
    sweep.wait_until_it_works(running);
    sweep.signal(2, SIGKILL);
    sweep.gate.open();
    CHECK(running.wait().exit_code != 0);
    CHECK(sweep.resume(2) > 0);
  }
  SECTION("a worker with a launcher that allows it") {
    Running running(mpirun(3, sweep.command(), recovery));
    sweep.wait_until_it_works(running);
    sweep.signal(1, SIGKILL);
    sweep.gate.open();
    const Ended ended = running.wait();
    INFO(ended.output << ended.errors);
    CHECK(read_values(ended.output)["exit"] == "0");
    CHECK(read_values(ended.output)["lost"] == "1");
    sweep.check_table();
  }
}

TEST_CASE("a sweep that is told to stop, resumed, leaves the table of an uninterrupted one") {
  using gridcast::store::read_store;
  using gridcast::store::StoreState;
  InterruptedSweep sweep;
  SECTION("SIGTERM to a sweep without MPI") {
    Running running(sweep.command());
    sweep.wait_until_it_works(running);
    running.send(SIGTERM);
    sweep.gate.open();
    CHECK(running.wait().exit_code == 3);
    CHECK(read_store(sweep.store).state == StoreState::stopped);
    CHECK(sweep.resume(3) > 0);
  }
  SECTION("SIGUSR1 through mpirun") {
    Running running(mpirun(3, sweep.command()));
    sweep.wait_until_it_works(running);
    // mpirun hands it on in its own time: rank 0 must not go on before.
    stop_and_wait(sweep.pid(0));
    running.send(SIGUSR1);
    sweep.wait_for_pending(0, SIGUSR1);
    sweep.signal(0, SIGCONT);
    sweep.gate.open();
    CHECK(running.wait().exit_code == 3);
    CHECK(read_store(sweep.store).state == StoreState::stopped);
    CHECK(sweep.resume(1) > 0);
  }
  SECTION("SIGTERM to a rank 0 with workers") {
    Running running(mpirun(3, sweep.command()));
    sweep.wait_until_it_works(running);
    sweep.signal(0, SIGTERM);
    sweep.gate.open();
    CHECK(running.wait().exit_code == 3);
    CHECK(sweep.resume(3) > 0);
  }
  SECTION("time limit") {
    Running running(mpirun(3, sweep.command("time_limit=0.5")));
    // So slowly that the time is over before the sweep is.
    CHECK_FALSE(sweep.gate.pass_until(running, [] { return false; }));
    const Ended ended = running.wait();
    CHECK(ended.exit_code == 3);
    CHECK(read_values(ended.output)["exit"] == "3");
    sweep.resume(3);
  }
}
