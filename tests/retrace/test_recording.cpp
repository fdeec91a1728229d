/// The cost of recording (docs/model.md §2.17): taken off line by line, what does not fit is
/// carried.

#include <catch2/catch.hpp>
#include <sstream>

#include "gridcast/retrace/merge.h"
#include "process_traces.h"

using namespace gridcast;
using namespace gridcast::trace;
using namespace gridcast::trace::test;

namespace {

std::string recorded() {
  return test::trace_of(event("getam_", "1", "0.25", {}, "AMRef=f0;") +
                        event("getsiz_", "0.125", "2"));
}

}  // namespace

TEST_CASE("the cost of recording is taken off each line and carried where it does not fit") {
  const Program whole = parse_program(recorded(), "a.ptr");
  CHECK(whole.recording.removed == 0.0);
  CHECK(whole.records[0].call_time == 1.0);

  const Program program = parse_program(recorded(), "a.ptr", {.trace_cost = 0.5});
  REQUIRE(program.records.size() == 2);
  CHECK(program.records[0].call_time == Approx(0.5));
  CHECK(program.records[0].ret_time == 0.0);   // 0.25 carried
  CHECK(program.records[1].call_time == 0.0);  // 0.625 carried
  CHECK(program.records[1].ret_time == Approx(2.0 - 0.5 - 0.625));
  CHECK(program.recording.cost == 0.5);
  CHECK(program.recording.removed == Approx(2.0));
  CHECK(program.recording.recorded == Approx(3.375));
  CHECK(program.duration == Approx(3.375 - 2.0));
  REQUIRE(program.warnings.size() == 1);
  CHECK_THAT(program.warnings.front(), Catch::Contains("59.3 % of the recorded time"));
}

TEST_CASE("a small cost of recording is no warning, one that is left over is") {
  CHECK(parse_program(recorded(), "a.ptr", {.trace_cost = 0.01}).warnings.empty());
  const Program program = parse_program(recorded(), "a.ptr", {.trace_cost = 1.0});
  CHECK(program.duration == 0.0);
  REQUIRE(program.warnings.size() == 2);
  CHECK_THAT(program.warnings.back(), Catch::Contains("625.0 ms") && Catch::Contains("too large"));
}

TEST_CASE("the call_time that --startup=skip leaves out costs nothing") {
  const Program program =
      parse_program(recorded(), "a.ptr", {.skip_startup = true, .trace_cost = 0.125});
  CHECK(program.records[0].call_time == 0.0);
  CHECK(program.records[0].ret_time == Approx(0.125));
  CHECK(program.recording.recorded == Approx(2.375));
  CHECK(program.recording.removed == Approx(0.375));
}
