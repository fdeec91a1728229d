#include <catch2/catch.hpp>

#include "launch.h"

using namespace sweep_test;

TEST_CASE("every grid comes back once, whatever the number of ranks") {
  for (const int ranks : {2, 3, 8}) {
    Values got = farm(ranks, {"grids=20000"});
    CAPTURE(ranks);
    CHECK(got["taken"] == "20000");
    CHECK(got["sum"] == "200010000");
    CHECK(got["repeated"] == "0");
    CHECK(got["alone"] == "0");
  }
}

TEST_CASE("a message whose sender was killed in the midst of it holds up no other") {
  const ScratchDirectory scratch;
  const Ended ended = run(mpirun(3, {MAILBOX_PROGRAM, (scratch / "board").string()}, recovery));
  INFO(ended.output << ended.errors);
  CHECK(read_values(ended.output)["order"] == "aabbccddee");
}

TEST_CASE("rank 0 leaves its core to the workers") {
  // Processor time per time that passes while there is nothing to do: of a rank 0 that spins it is
  // 1 where each rank has a core, of one that sleeps some hundredths, wherever it runs.
  // MPI's start, in which the ranks do spin, the longer the busier the machine, is not counted.
  Values got = farm(3, {"grids=60", "batch=1", "quiet=1000"});
  CHECK(got["taken"] == "60");
  CHECK(std::stod(got["busy"]) < 0.5);
}

TEST_CASE("a grid without an end is given up when the run is stopped") {
  for (const auto& more : std::vector<std::string>{"group=0", "group=3"}) {
    for (const int ranks : {2, 5}) {
      CAPTURE(ranks, more);
      Values got = farm(ranks, {"grids=40", "endless=7", more});
      CHECK(std::stoi(got["taken"]) < 40);
      CHECK(got["lost"] == "0");
      CHECK(got["repeated"] == "0");
    }
  }
}

TEST_CASE("a grid that kills its workers is given up and the rest goes on") {
  SECTION("with workers left") {
    Values got = farm(4, {"grids=300", "task=0.001", "kill=50"}, recovery);
    CHECK(got["taken"] == "300");
    CHECK(got["given_up"] == "50");
    CHECK(got["lost"] == "2");
    CHECK(got["repeated"] == "0");
    CHECK(got["sum"] == "45100");  // 300 * 301 / 2 - 50
  }
  SECTION("rank 0 finishes alone when no worker is left") {
    Values got = farm(3, {"grids=300", "task=0.001", "kill=50"}, recovery);
    CHECK(got["taken"] == "300");
    CHECK(got["given_up"] == "50");
    CHECK(got["lost"] == "2");
    CHECK(got["sum"] == "45100");
  }
}

TEST_CASE("a worker that hangs is ended when its lease is over") {
  Values got = farm(4, {"grids=300", "task=0.001", "hang=300", "batch=1"}, recovery);
  CHECK(got["taken"] == "300");
  CHECK(got["given_up"] == "300");
  CHECK(got["lost"] == "2");
  CHECK(got["repeated"] == "0");
  CHECK(got["sum"] == "44850");  // 299 * 300 / 2
}

TEST_CASE("an error of rank 0 ends all ranks") {
  Values got = farm(3, {"grids=100000", "task=0.001", "fail_after=100"}, {}, 1);
  CHECK(got["taken"].size() <= 4);
}
