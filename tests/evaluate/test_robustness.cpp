// Intervals of the numbers of a machine against closed forms: a loop and a sum on one processor or
// on two on a bus (docs/model.md §5).

#include <algorithm>

#include "fixture.h"
#include "gridcast/evaluate/questions.h"
#include "gridcast/evaluate/robustness.h"

namespace gridcast::sweep {
namespace {

using model::test::Run;

constexpr double work = 400e-6;  // seconds of the loop
constexpr double start = 20.0;   // µs
constexpr double per_byte = 0.5;

/// On two processors work / 2 and two messages of 8 bytes, on one processor the work.
model::Compiled loop_and_sum() {
  Run run;
  run.target({100}).loop(0, {100});
  run(trace::CreateReductionGroup{0})(trace::CreateReduction{0, 8, 1, 0});
  run(trace::InsertReduction{0, 0});
  run(trace::RunLoop{0, false, {}}, work)(trace::EndLoop{0});
  run(trace::StartReduction{0})(trace::WaitReduction{0});
  return model::compile(run.program());
}

machine::Cluster two_on_a_bus() {
  return machine::Cluster::parse(
      "cluster = c; c = {2 x p}; c.CommType = ethernet; c.TStart = 20; c.TByte = 0.5; p = 1;",
      "two.par");
}

Robustness studied(double precision) {
  const model::Compiled compiled = loop_and_sum();
  const machine::Cluster cluster = two_on_a_bus();
  RobustnessQuestion question;
  question.spaces = {search_space(compiled.script, cluster, {}, {})};
  question.precision = precision;
  question.reach = 64.0;
  return find_robustness(compiled.script, cluster, question);
}

const NumberRange& range_of(const Robustness& found, const std::string& name) {
  const auto range = std::ranges::find(found.ranges, name, &NumberRange::name);
  REQUIRE(range != found.ranges.end());
  return *range;
}

}  // namespace

TEST_CASE("between which values of a number two processors are better than one") {
  const double precision = GENERATE(0.1, 0.001);
  const Robustness found = studied(precision);
  const double two = 200e-6 + 2.0 * (20e-6 + 8.0 * 0.5e-6);
  CHECK(found.best->grid.text() == "2");
  CHECK(found.best->execution_time == Approx(two).epsilon(1e-12));
  CHECK(found.runner_up->grid.text() == "1");
  CHECK(found.gap == Approx((work - two) / two).epsilon(1e-9));
  CHECK(found.ranges.size() == 3);
  // 200 µs + 2 (TStart + 8 TByte) < 400 µs / w holds up to ...
  const auto check = [&](const std::string& name, double value, double edge) {
    CAPTURE(name);
    const NumberRange& range = range_of(found, name);
    CHECK(range.value == Approx(value).epsilon(1e-12));
    CHECK(range.high <= edge);
    CHECK(range.high >= edge * (1.0 - precision));
    CHECK(range.above->grid.text() == "1");
    CHECK(range.low == Approx(value / 64.0).epsilon(1e-12));
    CHECK_FALSE(range.below);
  };
  check("c.TStart", start, 100.0 - 8.0 * per_byte);
  check("c.TByte", per_byte, (100.0 - start) / 8.0);
  check("p", 1.0, 100.0 / (start + 8.0 * per_byte));
}

TEST_CASE("how much start times may grow until the run is longer by 1 and by 5 %") {
  const Robustness found = studied(0.1);
  const double total = 200.0 + 2.0 * (start + 8.0 * per_byte);
  REQUIRE(found.tolerances.size() == 2);  // one network is all networks
  for (const LatencyTolerance& each : found.tolerances) {
    CHECK(each.network == "c");
    CHECK(each.times.value() == Approx(1.0 + each.share * total / (2.0 * start)).epsilon(2e-4));
  }
  CHECK(found.tolerances.front().share == 0.01);
  CHECK(found.tolerances.back().share == 0.05);
}

TEST_CASE("without candidates there is nothing to study") {
  const model::Compiled compiled = loop_and_sum();
  const machine::Cluster cluster = two_on_a_bus();
  RobustnessQuestion question;
  Questions conditions;
  conditions.fixed[0] = 7;
  question.spaces = {search_space(compiled.script, cluster, conditions, {})};
  CHECK_THROWS_WITH(find_robustness(compiled.script, cluster, question),
                    Catch::Contains("meets the conditions"));
}

TEST_CASE("one processor has no network to tolerate anything") {
  const model::Compiled compiled = loop_and_sum();
  const machine::Cluster cluster = machine::Cluster::parse("cluster = p; p = 2;", "one.par");
  RobustnessQuestion question;
  question.spaces = {search_space(compiled.script, cluster, {}, {})};
  const Robustness found = find_robustness(compiled.script, cluster, question);
  CHECK(found.best->grid.processors() == 1);
  CHECK_FALSE(found.runner_up);
  REQUIRE(found.ranges.size() == 1);
  CHECK(found.ranges.front().name == "p");
  CHECK_FALSE(found.ranges.front().above);
  CHECK(found.tolerances.empty());
}

}  // namespace gridcast::sweep
