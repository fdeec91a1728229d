/// Group masters under mpirun: the same results, and nothing hangs whoever is killed.

#include <signal.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "event_gate.h"
#include "gridcast/store/reader.h"
#include "launch.h"

namespace {

using namespace sweep_test;
/// A sweep that the test holds and lets go by its events: one for each grid.
class HeldSweep {
public:
  std::vector<std::string> command(const std::string& store,
                                   const std::vector<std::string>& more) const {
    std::vector<std::string> command{SWEEP_PROGRAM, jacobi, source + "/configs/cluster128x64.par",
                                     (scratch / store).string(), "processors=300"};
    command.insert(command.end(), more.begin(), more.end());
    return command;
  }

  /// Seven ranks, groups of three: masters 1 and 4, workers 2, 3, 5, 6.
  std::vector<std::string> grouped(const std::vector<std::string>& more = {}) const {
    // No lease runs out however long a rank waits for a core.
    std::vector<std::string> all{"group=3", "batch=1", "lease=1000000",
                                 "pids=" + (scratch / "pid").string()};
    all.insert(all.end(), more.begin(), more.end());
    return command("s.h5", all);
  }

  /// ... whose events go through the gate.
  std::vector<std::string> held(std::vector<std::string> more = {}) const {
    more.push_back("events=" + (scratch / "events").string());
    return grouped(more);
  }

  std::string expected() const {
    REQUIRE(run(command("whole.h5", {})).exit_code == 0);
    return exported(scratch / "whole.h5");
  }

  int pid(int rank) const { return read_number(scratch / ("pid" + std::to_string(rank))); }

  /// Ranks named by the events of one kind, when the sweep has ended.
  std::set<int> ranks_in(const std::string& kind) {
    std::set<int> ranks;
    std::istringstream lines(gate.text());
    for (std::string line; std::getline(lines, line);) {
      const nlohmann::json event = nlohmann::json::parse(line);
      if (event["event"] == kind) {
        ranks.insert(event["worker"].get<int>());
      }
    }
    return ranks;
  }

  /// Until rows of it are stored; then it goes on only when it is let.
  void wait_until_it_works(const Running& running) {
    REQUIRE(gate.pass_until(running, [&] { return has_journal(scratch / "s.h5", some_rows); }));
  }

  static constexpr int grids = 1767;  ///< Σ_{n <= 300} d(n): ordered grids of two dimensions
  ScratchDirectory scratch;
  EventGate gate{scratch / "events"};

private:
  static constexpr std::uintmax_t some_rows = 2000;  // bytes
};

}  // namespace

TEST_CASE("with groups every grid comes back once, with the rank that evaluated it") {
  // Ranks, ranks per group, workers: what is left of a group without its master.
  for (const auto& [ranks, group, workers] : {std::tuple{7, 3, "4"}, {6, 2, "3"}, {9, 4, "6"}}) {
    Values got = farm(ranks, {"grids=20000", "group=" + std::to_string(group)});
    CAPTURE(ranks);
    CHECK(got["taken"] == "20000");
    CHECK(got["sum"] == "200010000");
    CHECK(got["repeated"] == "0");
    CHECK(got["mixed_up"] == "0");
    CHECK(got["alone"] == "0");
    CHECK(got["evaluators"] == workers);
  }
}

TEST_CASE("a grid that kills its workers is given up by their group") {
  Values got = farm(9, {"grids=300", "task=0.001", "kill=50", "group=4"}, recovery);
  CHECK(got["taken"] == "300");
  CHECK(got["given_up"] == "50");
  CHECK(got["lost"] == "2");
  CHECK(got["repeated"] == "0");
  CHECK(got["mixed_up"] == "0");
  CHECK(got["sum"] == "45100");  // 300 * 301 / 2 - 50
}

TEST_CASE("a group that hangs on a grid ends those workers only") {
  Values got = farm(9, {"grids=300", "task=0.001", "hang=300", "batch=1", "group=4"}, recovery);
  CHECK(got["taken"] == "300");
  CHECK(got["given_up"] == "300");
  CHECK(got["lost"] == "2");
  CHECK(got["repeated"] == "0");
  CHECK(got["sum"] == "44850");  // 299 * 300 / 2
}

TEST_CASE("a group without workers gives back what it had, suspects included") {
  // Two groups of a master and one worker each: the grid ends one worker, then the other; rank 0
  // goes on alone.
  Values got = farm(5, {"grids=300", "task=0.001", "kill=50", "group=2"}, recovery);
  CHECK(got["taken"] == "300");
  CHECK(got["given_up"] == "50");
  CHECK(got["lost"] == "2");
  CHECK(got["repeated"] == "0");
  CHECK(got["sum"] == "45100");
}

TEST_CASE("an error of rank 0 ends all groups") {
  const Ended ended =
      run(mpirun(7, {FARM_PROGRAM, "grids=100000", "task=0.001", "fail_after=100", "group=3"}));
  CHECK(ended.exit_code == 1);
  CHECK(ended.output.find("error: the job fails") != std::string::npos);
}

TEST_CASE("a group master that hangs is ended when its lease is over, and others do its work") {
  // Master 1 is stopped when its workers 2 and 3 have a grid each; they get no more.
  Values got = farm(7, {"grids=40", "group=3", "freeze=1"}, recovery);
  CHECK(got["held"] == "2");
  CHECK(got["taken"] == "40");
  CHECK(got["lost"] == "3");
  CHECK(got["given_up"].empty());
  CHECK(got["repeated"] == "0");
  CHECK(got["sum"] == "820");  // 40 * 41 / 2
}

TEST_CASE("the table of a sweep does not depend on groups") {
  HeldSweep sweep;
  const std::string expected = sweep.expected();
  Running running(mpirun(7, sweep.held()));
  sweep.gate.open();
  const Ended ended = running.wait();
  INFO(ended.output << ended.errors);
  CHECK(ended.exit_code == 0);
  CHECK(exported(sweep.scratch / "s.h5") == expected);
  CHECK(sweep.ranks_in("batch") == std::set<int>{2, 3, 5, 6});
}

TEST_CASE("modes that wait for results work with groups") {
  HeldSweep sweep;
  for (const std::string mode : {"mode=1", "mode=4"}) {
    CAPTURE(mode);
    const Ended alone = run(sweep.command(mode + "a.h5", {mode}));
    const Ended grouped = run(mpirun(7, sweep.command(mode + "b.h5", {mode, "group=3"})));
    INFO(alone.errors << grouped.errors);
    REQUIRE(alone.exit_code == 0);
    REQUIRE(grouped.exit_code == 0);
    CHECK(read_values(alone.output)["best"] == read_values(grouped.output)["best"]);
    CHECK(exported(sweep.scratch / (mode + "a.h5")) == exported(sweep.scratch / (mode + "b.h5")));
  }
}

TEST_CASE("a group loses a worker and goes on") {
  HeldSweep sweep;
  const std::string expected = sweep.expected();
  Running running(mpirun(7, sweep.held(), recovery));
  sweep.wait_until_it_works(running);
  ::kill(sweep.pid(3), SIGKILL);
  sweep.gate.open();
  const Ended ended = running.wait();
  INFO(ended.output << ended.errors);
  CHECK(read_values(ended.output)["exit"] == "0");
  CHECK(read_values(ended.output)["lost"] == "1");
  CHECK(sweep.ranks_in("lost") == std::set<int>{3});
  CHECK(exported(sweep.scratch / "s.h5") == expected);
}

TEST_CASE("a lost group master takes its group with it, and the others do its work") {
  HeldSweep sweep;
  const std::string expected = sweep.expected();
  Running running(mpirun(7, sweep.held(), recovery));
  sweep.wait_until_it_works(running);
  ::kill(sweep.pid(1), SIGKILL);
  sweep.gate.open();
  const Ended ended = running.wait();
  INFO(ended.output << ended.errors);
  CHECK(read_values(ended.output)["exit"] == "0");
  CHECK(read_values(ended.output)["evaluated"] == std::to_string(sweep.grids));
  CHECK(sweep.ranks_in("lost") == std::set<int>{1, 2, 3});
  CHECK(exported(sweep.scratch / "s.h5") == expected);
  for (int rank = 0; rank < 7; ++rank) {
    wait_until_gone(sweep.pid(rank));
  }
}

TEST_CASE("a sweep with groups that is stopped stores everything and is resumed") {
  HeldSweep sweep;
  const std::string expected = sweep.expected();
  SECTION("SIGTERM") {
    Running running(mpirun(7, sweep.held()));
    sweep.wait_until_it_works(running);
    ::kill(sweep.pid(0), SIGTERM);
    sweep.gate.open();
    CHECK(running.wait().exit_code == 3);
  }
  SECTION("time limit") {
    Running running(mpirun(7, sweep.held({"time_limit=0.5"})));
    // So slowly that the time is over before the sweep is.
    CHECK_FALSE(sweep.gate.pass_until(running, [] { return false; }));
    CHECK(running.wait().exit_code == 3);
  }
  SECTION("kill of rank 0, the others are allowed to go on") {
    Running running(mpirun(7, sweep.held(), recovery));
    sweep.wait_until_it_works(running);
    ::kill(sweep.pid(0), SIGKILL);
    static_cast<void>(running.wait());
    for (int rank = 0; rank < 7; ++rank) {
      wait_until_gone(sweep.pid(rank));
    }
  }
  const Ended ended = run(mpirun(7, sweep.grouped({"resume"})));
  INFO(ended.output << ended.errors);
  CHECK(ended.exit_code == 0);
  CHECK(exported(sweep.scratch / "s.h5") == expected);
}

TEST_CASE("a data set does not depend on groups") {
  const ScratchDirectory scratch;
  const std::string design = source + "/configs/designs/screening.toml";
  REQUIRE(run({DATASET_PROGRAM, design, (scratch / "a.h5").string()}).exit_code == 0);
  const Ended ended =
      run(mpirun(7, {DATASET_PROGRAM, design, (scratch / "b.h5").string(), "group=3"}));
  INFO(ended.output << ended.errors);
  CHECK(ended.exit_code == 0);
  CHECK(exported(scratch / "a.h5") == exported(scratch / "b.h5"));
}
