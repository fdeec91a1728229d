#include <catch2/catch.hpp>
#include <sstream>

#include "gridcast/retrace/generate.h"
#include "gridcast/retrace/interpolate.h"
#include "process_traces.h"

using namespace gridcast;
using namespace gridcast::trace;
using namespace gridcast::trace::test;

namespace {

namespace fs = std::filesystem;

fs::path generated(const Directory& directory, const std::string& program, int n) {
  const fs::path from = fs::path(GRIDCAST_SOURCE_DIR) / "configs/programs" / (program + ".toml");
  std::ostringstream out;
  generate_trace(description_text(from), from.string(), out, {{"n", std::to_string(n)}});
  return directory.file(program + std::to_string(n) + ".ptr", out.str());
}

/// A program of one call with a parameter and a time.
fs::path single(const Directory& directory, const std::string& name, const std::string& extent,
                const std::string& time, const std::string& parameters = "StaticSign=1;") {
  return directory.file(name, test::trace_of(event("crtamv_", time, "0",
                                                   "AMRef=0; Rank=1; " + parameters +
                                                       "\nSizeArray[0]=" + extent + ";",
                                                   "AMViewRef=c0;")));
}

std::string error_of(const std::vector<SizedTrace>& traces, double size) {
  std::ostringstream out;
  try {
    interpolate_traces(traces, size, out);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("interpolation is exact where times are polynomial in the size") {
  // Bounds and extents are linear in n; times of the 2-D program quadratic, of the 3-D one cubic.
  const auto [program, sizes] =
      GENERATE(std::pair<std::string, std::vector<int>>{"jacobi2d", {100, 200, 400}},
               std::pair<std::string, std::vector<int>>{"sor", {50, 80, 200, 300}},
               std::pair<std::string, std::vector<int>>{"jacobi3d", {20, 40, 60, 100, 120}});
  const Directory directory;
  std::vector<SizedTrace> traces;
  for (const int n : sizes) {
    traces.push_back({generated(directory, program, n), static_cast<double>(n)});
  }
  for (const int n : {160, 1000}) {
    std::ostringstream between;
    const InterpolateResult result = interpolate_traces(traces, n, between);
    const Program found = parse_program(between.str(), "between.ptr");
    const Program expected = read_program(generated(directory, program, n));
    CHECK(calls_of(found) == calls_of(expected));
    CHECK(result.varying_parameters > 0);
    CHECK(result.clamped_times == 0);
    CHECK(result.warnings.empty() == (n <= sizes.back()));
    REQUIRE(found.records.size() == expected.records.size());
    for (std::size_t i = 0; i < found.records.size(); ++i) {
      CHECK(found.records[i].call_time ==
            Approx(expected.records[i].call_time).epsilon(1e-9).margin(1e-15));
      CHECK(found.records[i].ret_time ==
            Approx(expected.records[i].ret_time).epsilon(1e-9).margin(1e-15));
    }
  }
}

TEST_CASE("times between more sizes than the degree needs are a least-squares fit") {
  const Directory directory;
  const std::vector<SizedTrace> traces = {{single(directory, "1.ptr", "10", "1"), 1},
                                          {single(directory, "2.ptr", "20", "2"), 2},
                                          {single(directory, "3.ptr", "30", "6"), 3}};
  std::ostringstream out;
  interpolate_traces(traces, 2, out, {.degree = 1});
  // The line through (1,1), (2,2), (3,6) by least squares takes the mean, 3, in the middle.
  CHECK(parse_program(out.str(), "t.ptr").records[0].call_time == Approx(3.0));
}

TEST_CASE("negative times are clamped with a warning") {
  const Directory directory;
  const std::vector<SizedTrace> traces = {{single(directory, "1.ptr", "10", "1"), 1},
                                          {single(directory, "2.ptr", "20", "3"), 2}};
  std::ostringstream out;
  CHECK_THROWS_AS(interpolate_traces(traces, 0.25, out), InputError);  // SizeArray[0] = 2.5
  std::ostringstream low;
  const InterpolateResult clamped = interpolate_traces(traces, 0.1, low);
  CHECK(clamped.clamped_times == 1);  // 1 - 1.8
  CHECK(clamped.warnings.size() == 2);
  CHECK(parse_program(low.str(), "t.ptr").records[0].call_time == 0.0);
}

TEST_CASE("what cannot be interpolated is an error with its place") {
  const Directory directory;
  const auto at10 = single(directory, "a.ptr", "10", "1");
  const auto at20 = single(directory, "b.ptr", "20", "1");
  CHECK_THAT(
      error_of({{at10, 10}, {at20, 20}}, 12.5),
      Catch::Matchers::Contains("a.ptr:8: crtamv_: SizeArray[0] would be 12.5 at size 12.5"));
  const auto at30 = single(directory, "c.ptr", "47", "1");
  const auto at40 = single(directory, "d.ptr", "13", "1");
  const auto at50 = single(directory, "e.ptr", "99", "1");
  CHECK_THAT(error_of({{at10, 10}, {at20, 20}, {at30, 30}, {at40, 40}, {at50, 50}}, 25),
             Catch::Matchers::Contains("SizeArray[0] follows no polynomial of degree 3"));
  const auto other = single(directory, "f.ptr", "20", "1", "StaticSign=0;");
  CHECK_THAT(error_of({{at10, 10}, {other, 20}}, 15),
             Catch::Matchers::Contains("f.ptr:8: crtamv_: StaticSign=0 where "));
  CHECK_THAT(error_of({{at10, 10}, {at20, 10}}, 15), Catch::Matchers::Contains("given twice"));
  CHECK_THAT(error_of({{at10, 10}}, 15), Catch::Matchers::Contains("fewer than two"));

  const auto longer = directory.file(
      "g.ptr", test::trace_of(event("crtamv_", "1", "0", "AMRef=0; Rank=1;\nSizeArray[0]=20;",
                                    "AMViewRef=c0;") +
                              event("getam_", "1", "0", {}, "AMRef=f0;")));
  CHECK_THAT(error_of({{at10, 10}, {longer, 20}}, 15),
             Catch::Matchers::Contains("g.ptr:13: goes on with getam_") &&
                 Catch::Matchers::Contains("the number of iterations must not depend on the size"));
}

TEST_CASE("one program compiled for several sizes may have a source file per size") {
  const Directory directory;
  const auto compiled = [&](int n) {
    std::string text = test::trace_of(
        event("crtamv_", std::to_string(n), "0",
              "AMRef=0; Rank=1;\nSizeArray[0]=" + std::to_string(n) + ";", "AMViewRef=c0;"));
    text.replace(text.find("a.cdv"), 5, "jac" + std::to_string(n) + ".cdv");
    const std::size_t second = text.find("a.cdv");
    text.replace(second, 5, "jac" + std::to_string(n) + ".cdv");
    return directory.file("j" + std::to_string(n) + ".ptr", text);
  };
  const std::vector<SizedTrace> traces = {
      {compiled(10), 10}, {compiled(20), 20}, {compiled(30), 30}};
  std::ostringstream out;
  const InterpolateResult result = interpolate_traces(traces, 25, out);
  const Program program = parse_program(out.str(), "t.ptr");
  CHECK(call_at(program, 0) == Call(CreateTemplate{0, {25}}));
  CHECK(program.records[0].call_time == Approx(25.0));
  REQUIRE(result.warnings.size() == 2);
  CHECK_THAT(result.warnings[0], Catch::Matchers::Contains(
                                     "j20.ptr: source file jac20.cdv is taken for jac10.cdv of "));
  CHECK_THAT(result.warnings[1], Catch::Matchers::Contains("jac30.cdv is taken for jac10.cdv"));
}

TEST_CASE("uninitialised values that no call reads need not follow the size") {
  const Directory directory;
  const auto sized = [&](int n, const std::string& memory) {
    const std::string last = std::to_string(n - 1);
    return SizedTrace{
        directory.file(
            "u" + std::to_string(n) + ".ptr",
            test::trace_of(event("crtrda_", "0", "0",
                                 "ArrayHeader=1; TypeSize=8;\nSizeArray[0]=9; "
                                 "SizeArray[1]=" +
                                     std::to_string(n) + ";",
                                 "ArrayHandlePtr=2;") +
                           event("arrcpy_", "0", "0",
                                 "FromArrayHeader=1; FromArrayHandlePtr=2; ToBufferPtr=3;\n"
                                 "FromInitIndexArray[0]=-1; FromInitIndexArray[1]=" +
                                     last +
                                     ";\n"
                                     "FromLastIndexArray[0]=" +
                                     memory + "; FromLastIndexArray[1]=" + last +
                                     ";\n"
                                     "FromStepArray[0]=" +
                                     memory + "; FromStepArray[1]=" + memory + ";"))),
        static_cast<double>(n)};
  };
  std::ostringstream out;
  interpolate_traces(
      std::vector<SizedTrace>{sized(10, "94352019239488"), sized(20, "-5"), sized(30, "77")}, 40,
      out);
  CHECK(call_at(parse_program(out.str(), "t.ptr"), 1) ==
        Call(CopyArrays{{0, {-1, 39}, {-1, 39}, {1, 1}}, {}, no_object}));
}
