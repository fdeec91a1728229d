#include <catch2/catch.hpp>
#include <filesystem>
#include <sstream>

#include "gridcast/matching/match.h"
#include "gridcast/retrace/generate.h"
#include "process.h"

using namespace gridcast::matching;
using gridcast::machine::Cluster;

namespace {

NamedMachine match_machine(const std::string& name, const std::string& network,
                           double performance) {
  return {name, Cluster::parse("cluster = m; m = {16 x p}; " + network +
                                   " p = " + std::to_string(performance) + ";",
                               name)};
}

std::string bus(double start, double byte) {
  return "m.CommType = ethernet; m.TStart = " + std::to_string(start) +
         "; m.TByte = " + std::to_string(byte) + ";";
}

std::string ports(double start, double byte, double overhead) {
  const std::string o = std::to_string(overhead);
  return "m.CommType = ports; m.TStart = " + std::to_string(start) +
         "; m.TByte = " + std::to_string(byte) + "; m.TSend = " + o + "; m.TRecv = " + o + ";";
}

std::vector<NamedMachine> eight_machines() {
  return {
      match_machine("slow bus", bus(100, 0.1), 1.0),
      match_machine("bus", bus(20, 0.01), 1.0),
      match_machine("bus, fast processors", bus(20, 0.01), 4.0),
      match_machine("ports", ports(5, 0.001, 1), 1.0),
      match_machine("ports, fast processors", ports(5, 0.001, 1), 4.0),
      match_machine("ports, slow processors", ports(2, 0.0005, 0.5), 0.25),
      match_machine("channels", "m.CommType = myrinet(8); m.TStart = 10; m.TByte = 0.004;", 2.0),
      match_machine("late ports", ports(300, 0.001, 20), 2.0)};
}

/// The nine shipped programs, small ones where the shipped size takes long.
std::vector<NamedProgram> nine_programs() {
  std::vector<NamedProgram> programs;
  const std::string folder = std::string(GRIDCAST_SOURCE_DIR) + "/configs/programs/";
  for (const char* name : {"adi", "gauss", "jacobi1d", "jacobi2d", "jacobi3d", "multigrid",
                           "redblack", "sor", "taskjacobi"}) {
    const std::string file = folder + name + ".toml";
    std::ostringstream trace;
    gridcast::trace::generate_trace(gridcast::trace::description_text(file), file, trace);
    programs.push_back({name, gridcast::trace::parse_program(trace.str(), "program.ptr")});
  }
  return programs;
}

}  // namespace

TEST_CASE("rank correlation has its known values") {
  CHECK(rank_correlation({1, 2, 3, 4}, {10, 20, 30, 40}) == Approx(1.0));
  CHECK(rank_correlation({1, 2, 3, 4}, {4, 3, 2, 1}) == Approx(-1.0));
  // 1 - 6 * sum d^2 / (n (n^2 - 1)) with d = 0, 1, 1, 0, 0.
  CHECK(rank_correlation({1, 2, 3, 4, 5}, {1, 3, 2, 4, 5}) == Approx(1.0 - 6.0 * 2.0 / 120.0));
  CHECK(rank_correlation({1, 1, 2}, {5, 5, 9}) == Approx(1.0));
}

TEST_CASE("similarity is symmetric, 1 with itself, and knows no units") {
  const Measures a{{"x", 2.0}, {"y", 8.0}, {"z", 0.0}};
  const Measures b{{"x", 4.0}, {"y", 2.0}, {"z", 0.0}};
  CHECK(similarity(a, a) == 1.0);
  CHECK(similarity(a, b) == similarity(b, a));
  CHECK(similarity(a, b) == Approx((0.5 + 0.25 + 1.0) / 3.0));
  const Measures milli_a{{"x", 2000.0}, {"y", 8.0}, {"z", 0.0}};
  const Measures milli_b{{"x", 4000.0}, {"y", 2.0}, {"z", 0.0}};
  CHECK(similarity(milli_a, milli_b) == similarity(a, b));
  CHECK(similarity(a, {{"w", 1.0}}) == 0.0);
  CHECK(similarity({}, {}) == 1.0);
}

TEST_CASE("machines are ranked for nine programs as predictions rank them") {
  const std::vector<NamedProgram> programs = nine_programs();
  REQUIRE(programs.size() == 9);
  MatchSettings settings;
  settings.processors = 16;
  const Matching matching = match_all(programs, eight_machines(), settings);
  REQUIRE(matching.matches.size() == 72);
  CHECK(matching.rank_correlation >= 0.9);
  for (std::size_t p = 0; p < programs.size(); ++p) {
    std::vector<double> estimates;
    std::vector<double> predictions;
    for (std::size_t m = 0; m < 8; ++m) {
      const Match& match = matching.match(p, m);
      estimates.push_back(match.estimate);
      predictions.push_back(match.predicted);
      CHECK(match.degree > 0.0);
      CHECK(match.degree <= 1.0);
    }
    INFO(matching.programs[p]);
    CHECK(rank_correlation(estimates, predictions) >= 0.9);
  }
  for (std::size_t m = 0; m < 8; ++m) {
    CHECK(matching.machine_similarity[m][m] == 1.0);
    for (std::size_t n = 0; n < 8; ++n) {
      CHECK(matching.machine_similarity[m][n] == matching.machine_similarity[n][m]);
      CHECK(matching.machine_similarity[m][n] >= 0.0);
      CHECK(matching.machine_similarity[m][n] <= 1.0);
    }
  }
}

TEST_CASE("the number of a machine that helps most is what binds the program") {
  std::ostringstream text;
  gridcast::trace::generate_trace(R"(
overhead = 0
[[array]]
name = "A"
extents = [64, 64]
shadow = 1
distribute = ["block", "*"]
[[do]]
repeat = 10
  [[do.do]]
  exchange = ["A"]
  [[do.do]]
  loop = ["i = 0 : 63", "j = 0 : 63"]
  on = "A[i, j]"
  time = 1e-9
)",
                                  "program.toml", text);
  const std::vector<NamedProgram> programs{
      {"edges", gridcast::trace::parse_program(text.str(), "edges.ptr")}};
  const std::vector<NamedMachine> machines{match_machine("late", bus(1000, 0.0001), 1.0)};
  MatchSettings settings;
  settings.processors = 4;
  const Matching matching = match_all(programs, machines, settings);
  const Match& match = matching.match(0, 0);
  // Three pairs of neighbours, both ways, ten times: 1000 µs and 512 bytes each, on one bus.
  const double transfers = 10.0 * 6.0 * (1e-3 + 512.0 * 1e-10);
  const double work = 10.0 * 4096.0 * 1e-9 / 4.0;
  CHECK(match.predicted == Approx(transfers + work));
  CHECK(match.resources.front().resource == "networks of level 0");
  CHECK(match.degree == Approx(transfers / (transfers + work)));
  REQUIRE_FALSE(match.improvements.empty());
  CHECK(match.improvements.front().change == "m.TStart=500");
  CHECK(match.improvements.front().time == Approx(transfers + work - 10.0 * 6.0 * 0.5e-3));
}
