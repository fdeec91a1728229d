// Which algorithm an allreduce takes: the attribute of the top cluster, and what libraries choose.

#include <catch2/catch.hpp>

#include "machine_text.h"

namespace gridcast::machine::test {
namespace {

const std::string head =
    "cluster = a;\na = {8 x p}; p = 1;\na.CommType = ports; a.TStart = 1; a.TByte = 1;\n";

ReductionKind chosen(const std::string& table, double bytes, double processes) {
  return Cluster::parse(head + "a.Allreduce = " + table + ";", "m.par")
      .allreduce()
      .choose(bytes, processes);
}

}  // namespace

TEST_CASE("Allreduce: without a table doubling of at most 2 KB or of few values") {
  for (const std::string& text : {head, head + "a.Allreduce = auto;"}) {
    const Cluster cluster = Cluster::parse(text, "m.par");
    CHECK(cluster.allreduce().choose(2048.0, 4.0) == ReductionKind::doubling);
    CHECK(cluster.allreduce().choose(2056.0, 4.0) == ReductionKind::rabenseifner);
    CHECK(cluster.allreduce().choose(2400.0, 300.0) == ReductionKind::rabenseifner);
    CHECK(cluster.allreduce().choose(2400.0, 301.0) == ReductionKind::doubling);
    CHECK(cluster.tree_text().find("Allreduce") == std::string::npos);
    CHECK(cluster.text().find("Allreduce") == std::string::npos);
  }
}

TEST_CASE("Allreduce: as MPICH chooses") {
  CHECK(chosen("mpich", 2048.0, 4.0) == ReductionKind::doubling);
  CHECK(chosen("MPICH", 2056.0, 4.0) == ReductionKind::rabenseifner);
  // 300 values are more than the 256 processes that exchange parts of them.
  CHECK(chosen("mpich", 2400.0, 301.0) == ReductionKind::rabenseifner);
  CHECK(chosen("mpich", 2400.0, 512.0) == ReductionKind::doubling);
}

TEST_CASE("Allreduce: as Open MPI from 4.1 on chooses") {
  const auto check = [](double processes, double bytes, ReductionKind kind) {
    CAPTURE(processes, bytes);
    CHECK(chosen("openmpi", bytes, processes) == kind);
  };
  // Both sides of each limit of its source.
  check(2, 8, ReductionKind::doubling);
  check(3, 4088, ReductionKind::doubling);
  check(3, 4096, ReductionKind::ring);
  check(3, 8192, ReductionKind::doubling);
  check(3, 16384, ReductionKind::ring);
  check(3, 262136, ReductionKind::ring);
  check(3, 262144, ReductionKind::rabenseifner);
  check(4, 4096, ReductionKind::doubling);
  check(15, 8184, ReductionKind::doubling);
  check(15, 8192, ReductionKind::rabenseifner);
  check(16, 4088, ReductionKind::doubling);
  check(31, 4096, ReductionKind::rabenseifner);
  check(32, 120, ReductionKind::doubling);
  check(63, 128, ReductionKind::linear);  // 16 values for 32 processes
  check(63, 256, ReductionKind::rabenseifner);
  check(64, 262136, ReductionKind::doubling);
  check(127, 262144, ReductionKind::rabenseifner);
  check(128, 131064, ReductionKind::tree);
  check(255, 131072, ReductionKind::doubling);
  check(255, 262144, ReductionKind::rabenseifner);
  check(256, 4088, ReductionKind::tree);
  check(511, 4096, ReductionKind::rabenseifner);
  check(512, 2040, ReductionKind::tree);
  check(4095, 2048, ReductionKind::doubling);
  check(4095, 16384, ReductionKind::rabenseifner);
  check(4096, 2040, ReductionKind::tree);
  check(4096, 32760, ReductionKind::doubling);
  check(4096, 32768, ReductionKind::rabenseifner);
  check(8192, 32768, ReductionKind::linear);
}

TEST_CASE("Allreduce: by number of processes and bytes") {
  const std::string table = "{4 100 linear, 64 2048 tree, 64 1000000 ring}";
  CHECK(chosen(table, 100.0, 4.0) == ReductionKind::linear);
  CHECK(chosen(table, 100.0, 5.0) == ReductionKind::tree);
  CHECK(chosen(table, 101.0, 2.0) == ReductionKind::tree);
  CHECK(chosen(table, 2049.0, 2.0) == ReductionKind::ring);
  // Beyond it, as without a table.
  CHECK(chosen(table, 2049.0, 65.0) == ReductionKind::rabenseifner);
  CHECK(chosen(table, 8.0, 65.0) == ReductionKind::doubling);
}

TEST_CASE("Allreduce: what is written and set comes back") {
  Cluster cluster = Cluster::parse(head, "m.par");
  for (const std::string table : {"mpich", "openmpi", "{64 2048 doubling, 1024 10000000 ring}"}) {
    cluster.set("a.allreduce = " + table);
    CHECK_THAT(cluster.text(), Catch::Contains("a.Allreduce = " + table + ";"));
    CHECK_THAT(cluster.tree_text(), Catch::Contains("Allreduce " + table + "\n"));
    CHECK(Cluster::parse(cluster.text(), "again.par").allreduce() == cluster.allreduce());
    CHECK(cluster.expand(3).allreduce == cluster.allreduce());
  }
  // The same library runs on a part.
  Cluster nodes = Cluster::parse(
      "cluster = c; c = {2 x n}; n = {4 x p}; p = 1; c.CommType = ports; c.TStart = 1;"
      "c.TByte = 1; n.CommType = c.CommType; c.Allreduce = openmpi;",
      "m.par");
  nodes.set("cluster=n");
  CHECK(nodes.allreduce().rule == AllreduceTable::Rule::openmpi);
}

TEST_CASE("Allreduce: mistakes") {
  const auto refused = [](const std::string& statement, const std::string& what) {
    CAPTURE(statement);
    CHECK_THROWS_WITH(Cluster::parse(head + statement, "m.par"), Catch::Contains(what));
  };
  refused("a.Allreduce = mvapich;", "m.par:4: 'a.Allreduce' is 'mvapich' (expected auto, mpich");
  refused("a.Allreduce = 3;", "'a.Allreduce' is no table");
  refused("a.Allreduce = {64 doubling};", "expected x between the count and the name");
  refused("a.Allreduce = {64 2048 auto};", "'a.Allreduce' names the algorithm 'auto'");
  refused("a.Allreduce = {64 2048 pairs};", "'a.Allreduce' names the algorithm 'pairs'");
  refused("a.Allreduce = {0 2048 ring};", "'a.Allreduce' has the limit '0'");
  refused("a.Allreduce = {8 2.5 ring};", "'a.Allreduce' has the limit '2.5'");
  refused("a.Allreduce = {8 (3)};", "'a.Allreduce' has an entry of another form");
  refused("a.Allreduce = mpich; a.Allreduce = mpich;", "'a.Allreduce' is given twice");
  refused("b = {2 x a}; b.CommType = a.CommType; b.Allreduce = mpich;",
          "properties of the run-time library are given for 'b'");
  refused("b = {2 3 a};", "a part of 'b' has two counts");
  refused("a.Segments = {0 3 ring};", "'a.Segments' has an entry of another form");
  refused("topology = {2 3 ring};", "topology contains 'ring'");
}

}  // namespace gridcast::machine::test
