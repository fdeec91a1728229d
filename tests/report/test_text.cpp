#include <algorithm>
#include <catch2/catch.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "files.h"
#include "gridcast/report/text.h"
#include "sample.h"

namespace gridcast::report::test {
namespace {

model::IntervalResult lost(double communication, double insufficient, double idle) {
  model::IntervalResult interval;
  model::Characteristics& sums = interval.sums;
  sums.insufficient_parallelism_usr = sums.insufficient_parallelism = insufficient;
  sums.communication = communication;
  sums.operations[1].communication = communication;
  sums.idle = idle;
  sums.lost_time = communication + insufficient + idle;
  sums.productive_time = sums.productive_cpu_time = 10.0;
  sums.total_time = 10.0 + sums.lost_time;
  sums.efficiency = sums.productive_time / sums.total_time;
  return interval;
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> result;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    result.push_back(line);
  }
  return result;
}

}  // namespace

TEST_CASE("the explanation names the largest loss and where processors wait for others") {
  model::IntervalResult interval = lost(0.62, 0.08, 0.3);
  CHECK(explain(interval) ==
        "62 % of the lost time is reduction; 30 % is idle time of processors that finish early or "
        "take no part.");
  interval.sums.operations[1] = {0.4, 0.3, 0.0};
  interval.sums.operations[2] = {0.22, 0.01, 0.0};
  interval.sums.communication_synch = 0.31;
  // Waiting 0.31, of which 0.3 before reductions; reductions themselves 0.1, edges 0.21.
  CHECK(explain(interval) ==
        "31 % of the lost time is waiting for other processors to arrive, mostly before "
        "reductions; 30 % is idle time of processors that finish early or take no part; 21 % is "
        "exchange of shadow edges.");
  interval.sums.operations[2].synch = 0.0;
  CHECK(contains(explain(interval), "to arrive before reductions;"));
  interval.sums.operations[2].synch = 0.2;
  interval.sums.operations[1].synch = 0.2;
  CHECK(contains(explain(interval), "waiting for other processors to arrive;"));
}

TEST_CASE("pipelined loops are told from exchanges of shadow edges") {
  model::IntervalResult interval = lost(1.0, 0.1, 0.0);
  interval.sums.operations[1] = {};
  interval.sums.operations[2] = {1.0, 0.24, 0.0};
  interval.pipelined = {0.9, 0.23, 0.0};
  // Of 1.1: 0.67 in pipelines, 0.24 before, all but 0.01 of it before pipelines.
  CHECK(explain(interval) ==
        "61 % of the lost time is pipelining of loops with dependences; 22 % is waiting for other "
        "processors to arrive, mostly before pipelined loops.");
  model::Prediction prediction = sample_prediction();
  prediction.intervals[0].pipelined = {0.2, 0.0, 0.0};
  const std::vector<std::string> text = lines(text_summary(prediction));
  CHECK(std::find(text.begin(), text.end(),
                  "        of it pipelined loops     200.0 ms    2.5 %") != text.end());
}

TEST_CASE("the explanation of other losses") {
  CHECK(explain(model::IntervalResult{}) == "Hardly any time is lost.");
  CHECK(explain(lost(0.0, 0.0, 0.0)) == "Hardly any time is lost.");
  CHECK(explain(lost(0.05, 0.9, 0.05)) ==
        "90 % of the lost time is computation repeated on several processors.");
  model::IntervalResult uneven = lost(0.0, 0.0, 2.0);
  uneven.sums.load_imbalance = 1.8;
  CHECK(explain(uneven) ==
        "All of the lost time is idle time of processors that finish early or take no part. The "
        "load is uneven: load imbalance is 15 % of the total time.");
}

TEST_CASE("the summary gives the figures of the program") {
  const std::vector<std::string> text = lines(text_summary(sample_prediction()));
  REQUIRE(text.size() > 20);
  CHECK(text[0] ==
        "jac<2d>.ptr, k\uFFFD\uFFFD.ptr on mvs <\"two\" & three>, grid 4x2 (8 processors)");
  CHECK(text[2] == "efficiency                          0.8500");
  CHECK(text[3] == "execution time                     1.000 s");
  CHECK(text[4] == "total time of processors           8.000 s  100.0 %");
  CHECK(text[5] == "  productive                       6.800 s   85.0 %");
  CHECK(text[9] == "  lost                             1.200 s   15.0 %");
}

TEST_CASE("the summary tells which operations end at different times") {
  // 0.01 of the 0.31 s of reductions, nothing of the others.
  const std::vector<std::string> text = lines(text_summary(sample_prediction()));
  const auto head =
      std::find(text.begin(), text.end(), "time variation, by kind           3.100 ms   <0.1 %");
  REQUIRE(text.end() - head > 2);
  CHECK(head[1] == "  Reduction                       3.100 ms   <0.1 %");
  CHECK_FALSE(head[2].starts_with("  "));
  model::Prediction level = sample_prediction();
  level.intervals[0].sums.time_variation = 0.0;
  CHECK(text_summary(level).find("time variation") == std::string::npos);
}

TEST_CASE("the summary lists nested intervals by lost time") {
  const std::vector<std::string> text = lines(text_summary(sample_prediction()));
  std::vector<std::string> ids;
  bool table = false;
  for (const std::string& line : text) {
    if (table) {
      ids.push_back(line.substr(0, 6));
    }
    table = table || line.starts_with("    id  interval");
  }
  // Lost: 0.75 (3), 0.43 (5), 0.32 (2), 0.32 (4), 11 us (6), 0 (7).
  CHECK(ids ==
        std::vector<std::string>{"     3", "     5", "     2", "     4", "     6", "     7"});
  const std::string large = text_summary(large_prediction(40, 50));
  CHECK(large.find("intervals by lost time (10 of 2040)") != std::string::npos);
}

TEST_CASE("names cannot steer the terminal") {
  model::Prediction prediction = sample_prediction();
  prediction.traces = {"a\x1B[31m.ptr"};
  prediction.intervals[2].info.file = "b\x1B]0;c\x07.f";
  const std::string text = text_summary(prediction);
  CHECK(text.starts_with("a\uFFFD[31m.ptr on"));
  CHECK(text.find_first_of("\x1B\x07") == std::string::npos);
}

TEST_CASE("a program without nested intervals has no table, one without any says so") {
  model::Prediction prediction = sample_prediction();
  prediction.intervals.resize(1);
  CHECK(text_summary(prediction).find("intervals by") == std::string::npos);
  prediction.intervals.clear();
  CHECK(text_summary(prediction).find("no interval") != std::string::npos);
}

}  // namespace gridcast::report::test
