#include <catch2/catch.hpp>
#include <filesystem>
#include <sstream>

#include "gridcast/explain/system.h"
#include "gridcast/machine/cluster.h"
#include "gridcast/retrace/generate.h"

using namespace gridcast::model;
using gridcast::machine::Cluster;
using gridcast::machine::Grid;

namespace {

const std::string source_folder = GRIDCAST_SOURCE_DIR;

gridcast::trace::Program program_of(const std::string& description) {
  std::ostringstream text;
  gridcast::trace::generate_trace(description, "program.toml", text);
  return gridcast::trace::parse_program(text.str(), "program.ptr");
}

Cluster bus(int processors) {
  return Cluster::parse("cluster = b; b = {" + std::to_string(processors) +
                            " x p}; b.CommType = ethernet; b.TStart = 1000; b.TByte = 1; p = 1;",
                        "bus");
}

/// The integral of the curve.
double area(const SystemAnalysis& system) {
  double sum = 0.0;
  for (std::size_t i = 0; i < system.concurrency.size(); ++i) {
    const double end =
        i + 1 < system.concurrency.size() ? system.concurrency[i + 1].first : system.execution_time;
    sum += system.concurrency[i].second * (end - system.concurrency[i].first);
  }
  return sum;
}

void check_identities(const SystemAnalysis& system) {
  const double slack = 1e-9 * system.total_time + 1e-15;
  CHECK(system.busy_time ==
        Approx(system.total_time - system.communication - system.idle).margin(slack));
  CHECK(system.processor_utilisation ==
        Approx(1.0 - (system.communication + system.idle) / system.total_time).margin(1e-9));
  CHECK(system.mean_concurrency * system.execution_time == Approx(system.busy_time).margin(slack));
  CHECK(area(system) == Approx(system.busy_time).epsilon(1e-6).margin(slack));
  CHECK(system.max_concurrency <= static_cast<double>(system.processors) + 1e-9);
  CHECK(system.max_concurrency >= system.mean_concurrency - 1e-9);
}

}  // namespace

TEST_CASE("utilisation and concurrency agree with the prediction for all traces") {
  const Cluster cluster = Cluster::read(source_folder + "/configs/cluster3level.par");
  std::size_t looked_at = 0;
  for (const char* folder : {"/tests/data", "/configs/examples"}) {
    for (const auto& entry : std::filesystem::directory_iterator(source_folder + folder)) {
      const std::string name = entry.path().filename().string();
      if (!name.ends_with(".ptr") && !name.ends_with(".ptr.gz")) {
        continue;
      }
      INFO(name);
      const auto program = gridcast::trace::read_program(entry.path());
      check_identities(analyse_system(program, cluster, Grid::parse("4"), {}, 25));
      ++looked_at;
    }
  }
  CHECK(looked_at > 20);
}

TEST_CASE("concurrency falls to one where one processor works alone") {
  // 8 points on 4 processors of which the first holds two more by weight: 1 s each.
  const auto program = program_of(R"(
overhead = 0
[[array]]
name = "A"
extents = [8]
distribute = ["block"]
blocks = [[5, 1, 1, 1]]
[[do]]
loop = ["i = 0 : 7"]
on = "A[i]"
time = 1
)");
  const SystemAnalysis system = analyse_system(program, bus(4), Grid::parse("4"), {}, 1000);
  CHECK(system.every_call);
  CHECK(system.execution_time == Approx(5.0));
  CHECK(system.max_concurrency == Approx(4.0));
  CHECK(system.mean_concurrency == Approx(8.0 / 5.0));
  CHECK(system.most_busy == Approx(5.0));
  CHECK(system.least_busy == Approx(1.0));
  CHECK(system.balance == Approx(0.4));
  check_identities(system);
}

TEST_CASE("messages, bytes and the bus are counted as the program sends them") {
  // Each exchange on 2 processors: a face of 10 elements of 8 bytes each way, 1080 µs each.
  const auto program = program_of(R"(
overhead = 0
[[array]]
name = "A"
extents = [10, 10]
shadow = [1, 0]
distribute = ["block", "*"]
[[do]]
repeat = 5
  [[do.do]]
  exchange = ["A"]
  [[do.do]]
  loop = ["i = 0 : 9", "j = 0 : 9"]
  on = "A[i, j]"
  time = 1e-4
)");
  const SystemAnalysis system = analyse_system(program, bus(2), Grid::parse("2"), {}, 1000);
  REQUIRE(system.levels.size() == 1);
  const LevelUse& use = system.levels[0];
  CHECK(use.messages == 10.0);
  CHECK(use.bytes == 800.0);
  CHECK(use.medium == "channels");
  CHECK(system.execution_time == Approx(5.0 * (2.0 * 1.08e-3 + 5e-3)));
  CHECK(use.utilisation == Approx(5.0 * 2.0 * 1.08e-3 / system.execution_time));
  REQUIRE(system.pairs.size() == 1);
  CHECK(system.pairs[0].throughput == Approx(800.0 / system.execution_time));
  const OperationUse& shadow = system.operations[2];
  CHECK(shadow.kind == "shadow");
  CHECK(shadow.count == 5);
  CHECK(shadow.frequency == Approx(5.0 / system.execution_time));
  CHECK(system.communication_to_computation == Approx(2.0 * 2.0 * 1.08e-3 / 1e-2));
  check_identities(system);
}

TEST_CASE("levels of a machine are told apart") {
  const auto program = program_of(R"(
overhead = 0
[[array]]
name = "A"
extents = [8, 4]
shadow = [1, 0]
distribute = ["block", "*"]
[[do]]
exchange = ["A"]
)");
  const Cluster cluster = Cluster::parse(
      "cluster = top; top = {2 x node}; top.CommType = ports; top.TStart = 10; top.TByte = 1;"
      "top.TGap = 50; node = {2 x p}; node.CommType = myrinet(2); node.TStart = 1; node.TByte = 1; "
      "p = 1;",
      "two");
  const SystemAnalysis system = analyse_system(program, cluster, Grid::parse("4"), {}, 10);
  REQUIRE(system.levels.size() == 2);
  // A line of four processors: one pair across nodes, two inside.
  CHECK(system.levels[0].messages == 2.0);
  CHECK(system.levels[1].messages == 4.0);
  CHECK(system.levels[0].medium == "ports");
  CHECK(system.levels[1].networks == 2);
  // 32 bytes take 32 µs, but a port needs 50 between messages: two ports each, of four in all.
  CHECK(system.levels[0].utilisation == Approx(2.0 * 2.0 * 50e-6 / 4.0 / system.execution_time));
  CHECK(system.levels[1].utilisation == Approx(4.0 * 33e-6 / 4.0 / system.execution_time));
}

TEST_CASE("an edge of a pipelined loop is as long as the loop, not as the block") {
  // A line of two processors whose loop runs over 8 of 10 columns: 8 elements of 8 bytes, once.
  const auto program = program_of(R"(
overhead = 0
[[array]]
name = "A"
extents = [10, 10]
shadow = [1, 0]
distribute = ["block", "*"]
[[do]]
loop = ["i = 1 : 8", "j = 1 : 8"]
on = "A[i, j]"
across = [{ array = "A", new = [1, 0] }]
time = 1e-4
)");
  const SystemAnalysis system = analyse_system(program, bus(2), Grid::parse("2"), {}, 10);
  REQUIRE(system.levels.size() == 1);
  CHECK(system.levels[0].bytes == Approx(64.0));
  CHECK(system.levels[0].messages >= 1.0);
  CHECK(system.levels[0].messages <= 8.0);
}
