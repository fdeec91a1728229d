#include <catch2/catch.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "launch.h"

namespace {

using namespace sweep_test;

Ended start(const std::vector<std::string>& words, const std::vector<std::string>& options = {}) {
  std::vector<std::string> command{START_PROGRAM};
  command.insert(command.end(), words.begin(), words.end());
  return run(mpirun(3, command, options));
}

std::size_t lines_with(const std::string& text, const std::string& part) {
  std::istringstream lines(text);
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line);) {
    count += line.find(part) != std::string::npos ? 1 : 0;
  }
  return count;
}

}  // namespace

TEST_CASE("ranks of a node see the inputs of rank 0 in one memory") {
  const Ended ended = start({});
  INFO(ended.output << ended.errors);
  CHECK(ended.exit_code == 0);
  std::istringstream lines(ended.output);
  std::set<std::string> ranks;
  std::set<std::string> memories;
  for (std::string line; std::getline(lines, line);) {
    Values got = read_values(line);
    ranks.insert(got["rank"]);
    memories.insert(got["memory"]);
    CHECK(got["wrong"] == "0");
    CHECK(got["last"] == "last");
  }
  CHECK(ranks.size() == 3);
  CHECK(memories.size() == 1);
}

TEST_CASE("a rank that is killed while ranks start ends the others") {
  for (const std::string victim : {"0", "2"}) {
    for (const std::string stage : {"reading", "sharing"}) {
      CAPTURE(stage, victim);
      const Ended ended = start({"stage=" + stage, "victim=" + victim}, recovery);
      INFO(ended.output << ended.errors);
      CHECK(lines_with(ended.errors, "rank " + victim + " was killed at the start") >= 1);
      CHECK(lines_with(ended.output, "rank=") == 0);
    }
  }
}

TEST_CASE("ranks end that wait in MPI_Init for one that does not come") {
  for (const std::string how : {"kill", "hang"}) {
    CAPTURE(how);
    const Ended ended = start({"stage=init", "victim=1", "how=" + how, "start=2"},
                              how == "kill" ? recovery : std::vector<std::string>());
    INFO(ended.output << ended.errors);
    CHECK(lines_with(ended.errors, "do not get on with MPI_Init for 2 s (--start-limit)") >= 1);
    CHECK(lines_with(ended.output, "rank=") == 0);
  }
}

TEST_CASE("reading may take longer than the limit of the start if it gets on") {
  const Ended busy = start({"start=1", "read=3"});
  INFO(busy.output << busy.errors);
  CHECK(busy.exit_code == 0);
  CHECK(lines_with(busy.output, "wrong=0") == 3);
  const Ended stuck = start({"start=1", "read=60", "nap=60"});
  INFO(stuck.output << stuck.errors);
  CHECK(stuck.exit_code == 1);
  CHECK(lines_with(stuck.errors, "get on with reading the inputs for 1 s (--start-limit)") == 1);
}

TEST_CASE("a rank that gives no sign of life ends the others") {
  for (const std::string victim : {"0", "1"}) {
    CAPTURE(victim);
    const Ended ended = start({"stage=work", "victim=" + victim, "how=stop", "peer=2"});
    INFO(ended.output << ended.errors);
    CHECK(ended.exit_code == 1);
    const std::string line = "rank " + victim + " gives no sign of life for 2 s (--peer-limit)";
    CHECK(lines_with(ended.errors, line) >= 1);
  }
}
