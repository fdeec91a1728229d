#include <catch2/catch.hpp>
#include <cmath>
#include <sstream>

#include "gridcast/retrace/average.h"
#include "process_traces.h"

using namespace gridcast;
using namespace gridcast::trace;
using namespace gridcast::trace::test;

namespace {

std::string run(const std::string& call_time, const std::string& ret_time) {
  return test::trace_of(event("getam_", call_time, ret_time, {}, "AMRef=f0;") +
                        event("getsiz_", "3", "3"));
}

}  // namespace

TEST_CASE("the spread of a few times") {
  const Spread spread = spread_of(std::vector<double>{2, 4, 4, 4, 5, 5, 7, 9});
  CHECK(spread.mean == Approx(5.0));
  CHECK(spread.smallest == 2.0);
  CHECK(spread.largest == 9.0);
  CHECK(spread.deviation == Approx(std::sqrt(32.0 / 7.0)));
  CHECK(spread.relative() == Approx(std::sqrt(32.0 / 7.0) / 5.0));
}

TEST_CASE("averaged runs have the mean of each time and keep the spread") {
  const Directory directory;
  const std::vector<std::filesystem::path> runs = {directory.file("a.ptr", run("1", "0.5")),
                                                   directory.file("b.ptr", run("2", "0.5")),
                                                   directory.file("c.ptr", run("6", "2"))};
  std::ostringstream mean;
  const AverageResult result = average_traces(runs, mean);
  const auto averaged = directory.file("mean.ptr", mean.str());
  const Program program = read_program(averaged);
  REQUIRE(program.records.size() == 2);
  CHECK(program.records[0].call_time == Approx(3.0));
  CHECK(program.records[0].ret_time == Approx(1.0));
  CHECK(program.warnings.empty());
  // The reader knows by how much the times differ.
  REQUIRE(program.deviations.size() == 2);
  CHECK(program.deviations[0].call_time == Approx(std::sqrt(7.0)));  // of 1, 2 and 6
  CHECK(program.deviations[0].ret_time == Approx(std::sqrt(0.75)));  // of 0.5, 0.5 and 2
  CHECK(program.deviations[1].call_time == 0.0);
  CHECK(shifted(program, 1.0).records[0].call_time == Approx(3.0 + std::sqrt(7.0)));
  CHECK(shifted(program, -2.0).records[0].call_time == 0.0);
  CHECK(shifted(program, -1.0).records[1].call_time == Approx(3.0));
  CHECK(all<GetMachine>(program).size() == 1);

  CHECK(result.runs == 3);
  REQUIRE(result.calls.size() == 2);
  CHECK(result.calls[0].call_time.largest == 6.0);
  CHECK(result.calls[0].call_time.deviation == Approx(std::sqrt(7.0)));  // (4 + 1 + 9) / 2
  CHECK(result.calls[1].call_time.deviation == 0.0);
  CHECK(result.duration.mean == Approx(10.0));
  CHECK(result.duration.smallest == Approx(7.5));
  CHECK(result.duration.largest == Approx(14.0));
  REQUIRE(result.functions.size() == 2);
  CHECK(result.functions[0].name == "getsiz_");

  CHECK_THAT(mean.str(),
             Catch::Matchers::Contains("#gridcast spread call 3 1 6 2.64575131 ret 1 0.5 2 "));
  CHECK_THAT(to_text(result), Catch::Matchers::Contains("average of 3 runs"));

  // The notes of an averaged trace do not pile up.
  std::ostringstream again;
  average_traces(std::vector<std::filesystem::path>(2, averaged), again);
  CHECK_THAT(again.str(), !Catch::Matchers::Contains("2.64575131"));
}

TEST_CASE("runs that differ cannot be averaged") {
  const Directory directory;
  const auto first = directory.file("a.ptr", run("1", "1"));
  const auto other = directory.file(
      "b.ptr",
      test::trace_of(event("getam_", "1", "1", {}, "AMRef=f0;") + event("getrnk_", "1", "1")));
  std::ostringstream out;
  CHECK_THROWS_AS(average_traces(std::vector<std::filesystem::path>{first}, out), InputError);
  try {
    average_traces(std::vector<std::filesystem::path>{first, other}, out);
    FAIL("no error");
  } catch (const InputError& error) {
    CHECK(error.file() == other.string());
    CHECK(error.line() == 11);
    CHECK_THAT(error.what(), Catch::Matchers::Contains("a.ptr:11 calls getsiz_"));
  }
}

namespace {

/// The same calls, compiled from other files.
std::string compiled_from(const std::string& main, const std::string& rest) {
  const auto from = [](std::string text, const std::string& file) {
    for (std::size_t at = text.find("a.cdv"); at != std::string::npos; at = text.find("a.cdv")) {
      text.replace(at, 5, file);
    }
    return text;
  };
  return test::trace_of(from(event("getam_", "1", "1", {}, "AMRef=f0;"), main) +
                        from(event("getsiz_", "1", "1"), rest) +
                        from(event("getsiz_", "3", "1"), main));
}

}  // namespace

TEST_CASE("source files whose names differ are taken for one, with a warning that says which") {
  const Directory directory;
  const auto average = [&](const std::string& first, const std::string& second) {
    std::ostringstream out;
    return average_traces(std::vector<std::filesystem::path>{directory.file("a.ptr", first),
                                                             directory.file("b.ptr", second)},
                          out);
  };
  const std::string first = compiled_from("jac1.cdv", "sub.cdv");
  const AverageResult result = average(first, compiled_from("jac2.cdv", "sub.cdv"));
  CHECK(result.calls.size() == 3);
  REQUIRE(result.warnings.size() == 1);
  CHECK(result.warnings[0] == (directory / "b.ptr").string() +
                                  ": source file jac2.cdv is taken for jac1.cdv of " +
                                  (directory / "a.ptr").string());
  CHECK(average(first, compiled_from("jac2.cdv", "sub2.cdv")).warnings.size() == 2);
  CHECK(average(first, first).warnings.empty());
  // One file cannot stand for two.
  CHECK_THROWS_AS(average(first, compiled_from("jac2.cdv", "jac2.cdv")), InputError);
  CHECK_THROWS_AS(average(compiled_from("jac2.cdv", "jac2.cdv"), first), InputError);
}
