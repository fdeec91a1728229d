/// Group masters under mpirun: the same results, and nothing hangs whoever is killed.

#include <signal.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "gridcast/store/reader.h"
#include "launch.h"

namespace {

using namespace sweep_test;
/// A sweep long enough to be interrupted: Σ_{n <= 600} d(n) = 3944 grids.
class LongSweep {
public:
  std::vector<std::string> command(const std::string& store,
                                   const std::vector<std::string>& more) const {
    std::vector<std::string> command{SWEEP_PROGRAM, jacobi, source + "/configs/cluster128x64.par",
                                     (scratch / store).string(), "processors=600"};
    command.insert(command.end(), more.begin(), more.end());
    return command;
  }

  /// Seven ranks, groups of three: masters 1 and 4, workers 2, 3, 5, 6.
  std::vector<std::string> grouped(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all{"group=3", "events=" + events().string(),
                                 "pids=" + (scratch / "pid").string()};
    all.insert(all.end(), more.begin(), more.end());
    return command("s.h5", all);
  }

  std::string expected() const {
    REQUIRE(run(command("whole.h5", {})).exit_code == 0);
    return exported(scratch / "whole.h5");
  }

  std::filesystem::path events() const { return scratch / "events"; }
  int pid(int rank) const { return read_number(scratch / ("pid" + std::to_string(rank))); }

  /// Ranks named by the events of one kind.
  std::set<int> ranks_in(const std::string& kind) const {
    std::set<int> ranks;
    std::istringstream lines(read_text(events()));
    for (std::string line; std::getline(lines, line);) {
      const nlohmann::json event = nlohmann::json::parse(line);
      if (event["event"] == kind) {
        ranks.insert(event["worker"].get<int>());
      }
    }
    return ranks;
  }

  void wait_until_it_works() const { REQUIRE(wait_for_lines(events(), "\"batch\"", 20)); }

  ScratchDirectory scratch;
};

bool is_there(int pid) { return ::kill(pid, 0) == 0; }

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
  Values got = farm(9, {"grids=300", "task=0.001", "hang=50", "lease=2", "group=4"}, recovery);
  CHECK(got["taken"] == "300");
  CHECK(got["given_up"] == "50");
  CHECK(got["lost"] == "2");
  CHECK(got["sum"] == "45100");
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

TEST_CASE("the table of a sweep does not depend on groups") {
  const LongSweep sweep;
  const std::string expected = sweep.expected();
  const Ended ended = run(mpirun(7, sweep.grouped()));
  INFO(ended.output << ended.errors);
  CHECK(ended.exit_code == 0);
  CHECK(exported(sweep.scratch / "s.h5") == expected);
  CHECK(sweep.ranks_in("batch") == std::set<int>{2, 3, 5, 6});
}

TEST_CASE("modes that wait for results work with groups") {
  const LongSweep sweep;
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
  const LongSweep sweep;
  const std::string expected = sweep.expected();
  Running running(mpirun(7, sweep.grouped(), recovery));
  sweep.wait_until_it_works();
  ::kill(sweep.pid(3), SIGKILL);
  const Ended ended = running.wait();
  INFO(ended.output << ended.errors);
  CHECK(read_values(ended.output)["exit"] == "0");
  CHECK(read_values(ended.output)["lost"] == "1");
  CHECK(sweep.ranks_in("lost") == std::set<int>{3});
  CHECK(exported(sweep.scratch / "s.h5") == expected);
}

TEST_CASE("a lost group master takes its group with it, and the others do its work") {
  const LongSweep sweep;
  const std::string expected = sweep.expected();
  std::vector<std::string> more;
  int signal = SIGKILL;
  SECTION("killed") {}
  SECTION("hanging") {
    signal = SIGSTOP;
    more.emplace_back("lease=2");
  }
  Running running(mpirun(7, sweep.grouped(more), recovery));
  sweep.wait_until_it_works();
  ::kill(sweep.pid(1), signal);
  const Ended ended = running.wait();
  INFO(ended.output << ended.errors);
  CHECK(read_values(ended.output)["exit"] == "0");
  CHECK(read_values(ended.output)["evaluated"] == "3944");
  CHECK(sweep.ranks_in("lost") == std::set<int>{1, 2, 3});
  CHECK(exported(sweep.scratch / "s.h5") == expected);
  for (int rank = 0; rank < 7; ++rank) {
    CHECK_FALSE(is_there(sweep.pid(rank)));
  }
}

TEST_CASE("a sweep with groups that is stopped stores everything and is resumed") {
  const LongSweep sweep;
  const std::string expected = sweep.expected();
  std::vector<std::string> first = mpirun(7, sweep.grouped());
  SECTION("SIGTERM") {
    Running running(first);
    sweep.wait_until_it_works();
    ::kill(sweep.pid(0), SIGTERM);
    CHECK(running.wait().exit_code == 3);
  }
  SECTION("time limit") {
    first.emplace_back("time_limit=0.5");
    CHECK(run(first).exit_code == 3);
  }
  SECTION("kill of rank 0, the others are allowed to go on") {
    Running running(mpirun(7, sweep.grouped(), recovery));
    sweep.wait_until_it_works();
    ::kill(sweep.pid(0), SIGKILL);
    static_cast<void>(running.wait());
    for (int rank = 0; rank < 7; ++rank) {
      CHECK_FALSE(is_there(sweep.pid(rank)));
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
