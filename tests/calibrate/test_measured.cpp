#include <catch2/catch.hpp>
#include <string>

#include "gridcast/base/error.h"
#include "gridcast/calibrate/measured.h"

namespace gridcast::calibrate::test {
namespace {

/// "FILE:LINE" and part of the problem of what reading the text throws.
bool refuses(const std::string& text, std::size_t line, const std::string& problem) {
  try {
    static_cast<void>(parse_measured(text, "runs.csv"));
  } catch (const InputError& error) {
    INFO(error.what());
    CHECK(error.file() == "runs.csv");
    CHECK(error.line() == line);
    CHECK(error.problem().find(problem) != std::string::npos);
    return true;
  }
  return false;
}

}  // namespace

TEST_CASE("runs are read by the names of their columns") {
  const Measured measured = parse_measured(
      "# a comment\ntrace,grid,min,median\n\njac.ptr,4x2,0.9,1.5\n\"a,\"\"b\",8,1,2e-3\r\n",
      "runs.csv");
  REQUIRE(measured.runs.size() == 2);
  CHECK(measured.messages.empty());
  CHECK(measured.runs[0].trace == "jac.ptr");
  CHECK(measured.runs[0].grid == machine::Grid::parse("4x2"));
  CHECK(measured.runs[0].seconds == 1.5);  // the median comes before the minimum
  CHECK(measured.runs[0].line == 4);
  CHECK(measured.runs[1].trace == "a,\"b");
  CHECK(measured.runs[1].grid == machine::Grid::parse("8"));
  CHECK(measured.runs[1].seconds == 0.002);
}

TEST_CASE("runs may have a column per extent") {
  const Measured measured =
      parse_measured("P1,p2,p3,seconds\n4,2,,0.5\n3,2,2,0.25\n8,1,1,3\n", "runs.csv");
  REQUIRE(measured.runs.size() == 3);
  CHECK(measured.runs[2].grid == machine::Grid::parse("8"));
  const Measured ranked = parse_measured("p1,p2,p3,rank,seconds\n8,1,1,2,3\n", "runs.csv");
  CHECK(ranked.runs[0].grid == machine::Grid::parse("8x1"));
  CHECK(measured.runs[0].grid == machine::Grid::parse("4x2"));
  CHECK(measured.runs[1].grid == machine::Grid::parse("3x2x2"));
}

TEST_CASE("messages have bytes and maybe processors and a number") {
  const Measured plain = parse_measured("size, time\n0.5K, 2\n1MB, 1000\n", "runs.csv", 1e-6);
  REQUIRE(plain.messages.size() == 2);
  CHECK(plain.messages[0].bytes == 500.0);
  CHECK(plain.messages[0].seconds == Approx(2e-6));
  CHECK(plain.messages[0].from == 0);
  CHECK(plain.messages[0].to == 1);
  CHECK(plain.messages[0].pairs == 1);
  CHECK(plain.messages[1].bytes == 1e6);
  const Measured full =
      parse_measured("bytes,microseconds,from,to,pairs\n1500,3,2,6,4\n", "runs.csv", 1.0);
  REQUIRE(full.messages.size() == 1);
  CHECK(full.messages[0].from == 2);
  CHECK(full.messages[0].to == 6);
  CHECK(full.messages[0].pairs == 4);
  CHECK(full.messages[0].seconds == Approx(3e-6));
}

TEST_CASE("what cannot be read is said with its line") {
  CHECK(refuses("", 0, "no measured times"));
  CHECK(refuses("grid,seconds\n", 0, "no measured times"));
  CHECK(refuses("grid,speed\n4,1\n", 1, "no column holds a time"));
  CHECK(refuses("trace,seconds\na,1\n", 1, "what was measured"));
  CHECK(refuses("grid,seconds\n4,1\n4\n", 3, "1 fields"));
  CHECK(refuses("grid,seconds\n4,0\n", 2, "not a measured time"));
  CHECK(refuses("grid,seconds\n4,-1\n", 2, "not a measured time"));
  CHECK(refuses("grid,seconds\n4,nan\n", 2, "not a measured time"));
  CHECK(refuses("grid,seconds\n4xx,1\n", 2, "grid"));
  CHECK(refuses("p1,seconds\n2.5,1\n", 2, "not an extent"));
  CHECK(refuses("bytes,seconds\nmany,1\n", 2, "not a number of bytes"));
  CHECK(refuses("bytes,seconds,from,to\n1,1,2,2\n", 2, "to itself"));
}

}  // namespace gridcast::calibrate::test
