// Predictions read back from JSON, and what differs between two of them.

#include <catch2/catch.hpp>
#include <sstream>
#include <string>

#include "files.h"
#include "gridcast/base/error.h"
#include "gridcast/report/difference.h"
#include "gridcast/report/json.h"
#include "gridcast/report/prediction_file.h"
#include "sample.h"

namespace gridcast::report::test {
namespace {

std::string written(const model::Prediction& prediction) {
  std::ostringstream out;
  write_json(out, prediction);
  return out.str();
}

model::Prediction read_back(const std::string& text) {
  std::istringstream in(text);
  return read_prediction(in, "p.json");
}

/// The text with the first `old` replaced.
std::string edited(std::string text, const std::string& old, const std::string& now) {
  const std::size_t at = text.find(old);
  REQUIRE(at != std::string::npos);
  return text.replace(at, old.size(), now);
}

/// What is said about a text that is no prediction.
std::string complaint(const std::string& text) {
  try {
    static_cast<void>(read_back(text));
  } catch (const InputError& error) {
    return error.what();
  }
  return "taken";
}

model::IntervalResult nested(std::int32_t parent, trace::IntervalType type, std::int64_t line,
                             double time) {
  model::IntervalResult interval;
  interval.info = {parent, parent + 1, type, 1, "a.c", line, std::nullopt};
  interval.sums.execution_time = time;
  return interval;
}

/// So many processors; productive and idle time, the latter lost in line 7 by imbalance.
model::Prediction simple_prediction(const std::string& grid, double productive, double idle) {
  model::Prediction prediction;
  prediction.grid = machine::Grid::parse(grid);
  prediction.machine = "m<1>";
  model::IntervalResult program;
  program.info.file = "a.c";
  program.sums.productive_time = program.sums.productive_cpu_time = productive;
  program.sums.lost_time = program.sums.idle = idle;
  program.sums.total_time = productive + idle;
  program.sums.execution_time =
      (productive + idle) / static_cast<double>(prediction.grid.processors());
  prediction.intervals.push_back(program);
  prediction.losses.emplace();
  prediction.losses->lost_time = idle;
  prediction.losses->losses = {
      {"a.c", 7, model::Activity::loop, model::Cause::imbalance, "", idle, {}}};
  return prediction;
}

/// 8 s on 2 processors against 6 s on 4: intervals of the same line are told apart by number.
Difference sample_difference() {
  using enum trace::IntervalType;
  model::Prediction a = simple_prediction("2", 12.0, 4.0);
  a.intervals.push_back(nested(0, parallel, 3, 1.0));
  a.intervals.push_back(nested(0, parallel, 3, 2.0));
  a.intervals.push_back(nested(2, user, 9, 0.5));
  model::Prediction b = simple_prediction("2x2", 12.0, 10.0);
  b.intervals.push_back(nested(0, sequential, 2, 0.25));
  b.intervals.push_back(nested(0, parallel, 3, 1.5));
  b.intervals.push_back(nested(0, parallel, 3, 5.0));
  b.losses->losses.push_back(
      {"a.c", 8, model::Activity::shadow, model::Cause::latency, "net", 2.0, {}});
  b.intervals.front().sums.lost_time += 2.0;
  b.intervals.front().sums.operations[2].communication = 2.0;
  b.intervals.front().sums.total_time += 2.0;
  b.intervals.front().sums.execution_time = 6.0;
  return difference_of({"a.json", a}, {"b.json", b});
}

}  // namespace

TEST_CASE("a prediction that is read back from its JSON is the same") {
  model::Prediction prediction = sample_prediction();
  prediction.memory_per_processor = 1234.0;
  prediction.placement = machine::Placement::parse("blocked:2x1");
  prediction.losses.emplace();
  prediction.losses->lost_time = 1.5;
  prediction.losses->alternatives = {{"grid 2x4", 0.9, 7.2, 0.4}};
  prediction.losses->losses = {
      {"a.c", 12, model::Activity::sweep, model::Cause::fill, "", 0.1, {0.36}},
      {"a.c", 14, model::Activity::shadow, model::Cause::contention, "net&work", 0.4, {0.4}}};
  for (model::IntervalResult& interval : prediction.intervals) {
    interval.per_processor.clear();
  }
  prediction.intervals.front().execution_time_low = 0.5;
  prediction.intervals.front().execution_time_high = 1.75;
  const std::string text = written(prediction);
  CHECK(written(read_back(text)) == text);
  prediction.losses->omitted = "it takes long";
  prediction.losses->losses.clear();
  CHECK(read_back(written(prediction)).losses->omitted == "it takes long");
}

TEST_CASE("what is no prediction is named with its place") {
  const std::string good = written(sample_prediction());
  REQUIRE(complaint(good) == "taken");
  CHECK(contains(complaint("{\n\"a\": 1,\n}"), "p.json:3: is no JSON"));
  CHECK(contains(complaint(good.substr(0, good.size() / 2)), "is no JSON"));
  CHECK(contains(complaint("[]"), "the prediction is no object"));
  CHECK(contains(complaint("{}"), "is not of the schema gridcast.prediction/1"));
  CHECK(
      contains(complaint(edited(good, "\"idle\": ", "\"gone\": ")), "interval 1 has no \"idle\""));
  CHECK(contains(complaint(edited(good, "\"parent\": 1", "\"parent\": 9")),
                 "is inside of one that does not come before it"));
  CHECK(contains(complaint(edited(good, "\"type\": \"main\"", "\"type\": \"odd\"")),
                 "interval 1 has an unknown \"type\""));
  CHECK(contains(complaint(edited(good, "\"operations\": 2", "\"operations\": 2.5")),
                 "interval 1, io has no integer for \"operations\""));
  CHECK(contains(complaint(edited(good, "\"machine\": \"", "\"machine\": 3, \"was\": \"")),
                 "has no text for \"machine\""));
}

TEST_CASE("the difference of two predictions is taken apart by place, cause and part") {
  const Difference difference = sample_difference();
  // 16 s on 2 processors, 24 s on 4: 8 s against 6 s.
  CHECK(difference.time.difference() == -2.0);
  CHECK(difference.productive_effect == 12.0 / 4 - 12.0 / 2);
  REQUIRE(difference.omitted.empty());
  REQUIRE(difference.losses.size() == 2);
  // Line 7: 10 s / 4 - 4 s / 2, and line 8: 2 s / 4; equal effects stay in the order of places.
  CHECK(difference.losses[0].loss.line == 7);
  CHECK(difference.losses[0].effect == 0.5);
  CHECK(difference.losses[1].loss.line == 8);
  CHECK(difference.losses[1].a == 0.0);
  CHECK(difference.losses[1].effect == 0.5);
  REQUIRE(difference.causes.size() == 2);
  CHECK(difference.causes[0].name == "imbalance");
  double sum = 0.0;
  for (const PartDifference& part : difference.parts) {
    sum += part.effect;
  }
  CHECK(sum == Approx(-2.0).epsilon(1e-12));
}

TEST_CASE("intervals of two predictions are matched by what they are") {
  const Difference difference = sample_difference();
  REQUIRE(difference.intervals.size() == 3);
  CHECK(difference.intervals[0].a == 2);  // 2 s became 5 s
  CHECK(difference.intervals[0].b == 3);
  CHECK(difference.intervals[0].time.ratio() == 2.5);
  CHECK(difference.intervals[1].a == 0);  // the whole program, 2 s less
  CHECK(difference.intervals[2].a == 1);
  CHECK(difference.intervals[2].b == 2);
  CHECK(difference.only_a == std::vector<std::size_t>{3});
  CHECK(difference.only_b == std::vector<std::size_t>{1});
  // Of the whole program idle time changed by 6 s, most after lost and total time with 8 s each.
  const std::vector<FigureDifference>& figures = difference.intervals[1].figures;
  CHECK(figures[0].name == "total_time");
  CHECK(figures[1].name == "lost_time");
  CHECK(figures[2].name == "idle");
  CHECK(figures[2].difference() == 6.0);
  const std::string text = difference_text(difference);
  CHECK(contains(text, "B takes 2.000 s less than A, 0.750 times as long"));
  CHECK(contains(text, "a.c:7  loop, imbalance"));
  CHECK(contains(text, "only in A: User a.c:9"));
  CHECK(contains(text, "only in B: Seq a.c:2"));
}

TEST_CASE("the page of a difference is well-formed, also without losses") {
  for (const bool known : {true, false}) {
    Difference difference = sample_difference();
    if (!known) {
      difference.b.prediction.losses.reset();
      difference = difference_of(difference.a, difference.b);
      CHECK(contains(difference.omitted, "b.json has no losses"));
    }
    std::ostringstream out;
    write_difference_html(out, difference);
    CHECK(contains(out.str(), "m&lt;1&gt;"));
    CHECK(contains(out.str(), "id=\"interval-3\""));
    CHECK(contains(out.str(), "id=\"only-A\""));
    const auto path =
        write_sample("difference.html", [&](std::ostream& file) { file << out.str(); });
    CHECK(python_accepts("check_html.py", path));
  }
}

}  // namespace gridcast::report::test
