#include <catch2/catch.hpp>
#include <stdexcept>
#include <string>

#include "gridcast/base/error.h"
#include "gridcast/machine/cluster.h"

namespace gridcast::machine::test {
namespace {

Cluster segmented(const std::string& statements) {
  return Cluster::parse(
      "cluster = c;\nc = {2 x n};\nc.CommType = ports;\nn = {4 x p};\n"
      "n.CommType = c.CommType;\np = 1;\n" +
          statements,
      "m.par");
}

const Network& network_of(const Cluster& cluster, const std::string& name) {
  for (const ClusterNode& node : cluster.nodes()) {
    if (node.name == name) {
      return node.network;
    }
  }
  throw std::logic_error("no cluster " + name);
}

InputError error_of(const std::string& statements) {
  try {
    segmented(statements);
  } catch (const InputError& error) {
    return error;
  }
  throw std::logic_error("no error");
}

}  // namespace

TEST_CASE("a message costs what its segment says") {
  const Cluster cluster = segmented("c.Segments = {4096 (4.3, 0.0001), 0 (0.4, 0.0002)};\n");
  for (const char* const name : {"c", "n"}) {  // n copies c
    const Network& network = network_of(cluster, name);
    CHECK(network.start_of(0.0) == Approx(0.4e-6));
    CHECK(network.start_of(4095.0) == Approx(0.4e-6));
    CHECK(network.start_of(4096.0) == Approx(4.3e-6));
    CHECK(network.time_of(4095.0) == Approx(4095 * 0.0002e-6));
    CHECK(network.time_of(4096.0) == Approx(4096 * 0.0001e-6));
    CHECK(network.time_of(1e9) == Approx(0.1));
    CHECK(network.start_time == Approx(0.4e-6));  // the least of all, for bounds
    CHECK(network.byte_time == Approx(0.0001e-6));
  }
}

TEST_CASE("a network without segments has one for all messages") {
  const Cluster cluster = segmented("c.TStart = 2; c.TByte = 0.5;\n");
  CHECK(network_of(cluster, "c").start_of(7.0) == Approx(2e-6));
  CHECK(network_of(cluster, "c").time_of(7.0) == Approx(3.5e-6));
}

TEST_CASE("numbers of a segment are set one by one") {
  Cluster cluster = segmented("c.Segments = {0 (0.4, 0.0002), 4096 (4.3, 0.0001)};\n");
  cluster.set("c.Segments.4096.TStart=5");
  cluster.set("c.segments.0.tbyte=0.25");
  CHECK(network_of(cluster, "c").start_of(5000.0) == Approx(5e-6));
  CHECK(network_of(cluster, "n").start_of(5000.0) == Approx(5e-6));  // follows what it copies
  CHECK(network_of(cluster, "c").time_of(4.0) == Approx(1e-6));
  cluster.set("n.Segments.0.TStart=1");  // has its own from now on
  cluster.set("c.Segments.0.TStart=2");
  CHECK(network_of(cluster, "n").start_of(1.0) == Approx(1e-6));
  CHECK(network_of(cluster, "c").start_of(1.0) == Approx(2e-6));
  // The text says it all.
  const Cluster again = Cluster::parse(cluster.text(), "again.par");
  CHECK(network_of(again, "n") == network_of(cluster, "n"));
  CHECK(network_of(again, "c") == network_of(cluster, "c"));
  cluster.set("c.Segments={0 (3, 0)}");
  CHECK(network_of(cluster, "c").start_of(1e6) == Approx(3e-6));
}

TEST_CASE("names of costs are those that set() takes") {
  Cluster cluster = segmented("c.Segments = {0 (0.4, 0.0002), 4096 (4.3, 0.0001)}; c.TSend = 1;\n");
  double sum = 0.0;
  for (const auto& [name, seconds] : named_costs(network_of(cluster, "c"))) {
    cluster.set("c." + name + "=" + std::to_string(2e6 * seconds));
    sum += seconds;
  }
  CHECK(sum == Approx(5.7e-6 + 0.3e-9));
  double doubled = 0.0;
  for (const auto& [name, seconds] : named_costs(network_of(cluster, "c"))) {
    doubled += seconds;
  }
  CHECK(doubled == Approx(2.0 * sum).epsilon(1e-3));
}

TEST_CASE("wrong segments are refused with their line") {
  struct Refused {
    std::string statements;
    std::string problem;
  };
  for (const Refused& each : std::vector<Refused>{
           {"c.Segments = {4096 (4.3, 0.0001)};",
            "'c.Segments' says nothing of messages below 4096 bytes"},
           {"c.Segments = {0 (1, 2), 0 (3, 4)};", "'c.Segments' names 0 bytes twice"},
           {"c.Segments = {0 (1)};", "'c.Segments' has an entry of another form"},
           {"c.Segments = {0 (1, 2), 1.5 (3, 4)};", "'c.Segments' has an entry of another form"},
           {"c.Segments = {0 (1, 2), -4 (3, 4)};", "'c.Segments' has an entry of another form"},
           {"c.Segments = {2 x n};", "'c.Segments' has an entry of another form"},
           {"c.Segments = {0 (1, -2)};", "'c.Segments' has the cost '-2'"},
           {"c.Segments = 3;", "'c.Segments' is no table"}}) {
    const InputError error = error_of(each.statements);
    CHECK(error.problem() == each.problem);
    CHECK(std::string(error.what()).starts_with("m.par:7:"));
  }
  CHECK(error_of("c.TStart = 1;\nc.Segments = {0 (1, 2)};").problem() ==
        "'c' has Segments and a TStart or TByte beside them");
  CHECK(error_of("c.Segments = {0 (1, 2)};\nn.TByte = 1;").problem() ==
        "'n' has Segments and a TStart or TByte beside them");
}

TEST_CASE("assignments to segments that are not there are refused") {
  Cluster cluster = segmented("c.Segments = {0 (0.4, 0.0002), 4096 (4.3, 0.0001)};\n");
  for (const char* const assignment :
       {"c.Segments.7.TStart=1", "c.Segments.4096.TSend=1", "c.Segments.4096=1", "c.Segments.=1",
        "c.Segments.4096.TStart.x=1", "p.Segments.0.TStart=1", "c.TStart=1", "c.Foo.1.TStart=1"}) {
    CHECK_THROWS_AS(cluster.set(assignment), InputError);
  }
  CHECK(network_of(cluster, "c").start_of(1.0) == Approx(0.4e-6));
}

}  // namespace gridcast::machine::test
