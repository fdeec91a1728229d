#include <signal.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

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

/// Long enough to be interrupted.
const std::string long_run = "processors=900";
// Σ_{n <= 900} d(n): ordered grids of two dimensions.
constexpr std::size_t candidates = 6276;

}  // namespace

TEST_CASE("the table of a sweep does not depend on the number of ranks") {
  const ScratchDirectory scratch;
  const Ended alone = run(sweep_command(scratch / "1.h5", {"processors=256"}));
  INFO(alone.output << alone.errors);
  REQUIRE(alone.exit_code == 0);
  // Table 5 of seed 004.
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
      // The heuristic of seed 004 took 123.
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

TEST_CASE("interrupted sweeps, resumed, leave the table of an uninterrupted one") {
  const ScratchDirectory scratch;
  const std::filesystem::path store = scratch / "s.h5";
  const std::filesystem::path events = scratch / "events";
  const std::string pids = (scratch / "pid").string();
  const std::vector<std::string> more{long_run, "events=" + events.string(), "pids=" + pids};
  REQUIRE(run(sweep_command(scratch / "whole.h5", {long_run})).exit_code == 0);
  const std::string expected = exported(scratch / "whole.h5");
  REQUIRE(lines_of(expected) == candidates + 1);

  const auto wait_until_it_works = [&] { REQUIRE(wait_for_lines(events, "\"batch\"", 20)); };
  const auto resume = [&](int ranks) {
    std::vector<std::string> again = more;
    again.push_back("resume");
    const Ended ended = run(mpirun(ranks, sweep_command(store, again)));
    INFO(ended.output << ended.errors);
    REQUIRE(ended.exit_code == 0);
    CHECK(exported(store) == expected);
    // What was stored was not evaluated again.
    std::istringstream lines(read_text(events));
    std::size_t resumed = 0;
    std::size_t evaluated = 0;
    for (std::string line; std::getline(lines, line);) {
      const nlohmann::json event = nlohmann::json::parse(line);
      if (event["event"] == "start") {
        resumed = event["resumed"];
        evaluated = resumed;
      } else if (event["event"] == "batch") {
        evaluated += event["grids"].get<std::size_t>();
      }
    }
    CHECK(resumed > 0);
    CHECK(evaluated == candidates);
  };

  SECTION("kill of rank 0") {
    Running running(mpirun(3, sweep_command(store, more)));
    wait_until_it_works();
    ::kill(read_number(pids + "0"), SIGKILL);
    CHECK(running.wait().exit_code != 0);
    resume(3);
  }
  SECTION("kill of rank 0, the others are allowed to go on") {
    Running running(mpirun(3, sweep_command(store, more), {"--enable-recovery"}));
    wait_until_it_works();
    ::kill(read_number(pids + "0"), SIGKILL);
    static_cast<void>(running.wait());
    resume(2);
  }
  SECTION("kill of a worker that takes the job with it") {
    Running running(mpirun(3, sweep_command(store, more)));
    wait_until_it_works();
    ::kill(read_number(pids + "2"), SIGKILL);
    CHECK(running.wait().exit_code != 0);
    resume(2);
  }
  SECTION("kill of a worker with a launcher that allows it") {
    Running running(mpirun(3, sweep_command(store, more), {"--enable-recovery"}));
    wait_until_it_works();
    ::kill(read_number(pids + "1"), SIGKILL);
    const Ended ended = running.wait();
    INFO(ended.output << ended.errors);
    CHECK(read_values(ended.output)["exit"] == "0");
    CHECK(read_values(ended.output)["lost"] == "1");
    CHECK(exported(store) == expected);
  }
  SECTION("a signal to rank 0 alone") {
    Running running(sweep_command(store, more));
    wait_until_it_works();
    running.send(SIGTERM);
    const Ended ended = running.wait();
    CHECK(ended.exit_code == 3);
    CHECK(gridcast::store::read_store(store).state == gridcast::store::StoreState::stopped);
    resume(3);
  }
  SECTION("SIGUSR1 through mpirun") {
    Running running(mpirun(3, sweep_command(store, more)));
    wait_until_it_works();
    running.send(SIGUSR1);
    const Ended ended = running.wait();
    CHECK(ended.exit_code == 3);
    CHECK(gridcast::store::read_store(store).state == gridcast::store::StoreState::stopped);
    resume(1);
  }
  SECTION("SIGTERM to a rank 0 with workers") {
    Running running(mpirun(3, sweep_command(store, more)));
    wait_until_it_works();
    ::kill(read_number(pids + "0"), SIGTERM);
    const Ended ended = running.wait();
    CHECK(ended.exit_code == 3);
    resume(3);
  }
  SECTION("time limit") {
    std::vector<std::string> limited = more;
    limited.emplace_back("time_limit=0.5");
    const Ended ended = run(mpirun(3, sweep_command(store, limited)));
    CHECK(ended.exit_code == 3);
    CHECK(read_values(ended.output)["exit"] == "3");
    resume(3);
  }
}
