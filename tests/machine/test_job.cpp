#include <catch2/catch.hpp>
#include <sstream>

#include "gridcast/machine/job.h"
#include "machine_text.h"

using namespace gridcast::machine;
using gridcast::machine::test::parse;

namespace {

std::string network_named(const std::string& name) {
  return name + ".CommType = myrinet (1);" + name + ".TStart = 1; " + name + ".TByte = 0.1;";
}

/// 10 nodes of 32, flat or of two sockets.
NodeList equal_nodes(bool sockets) {
  const Cluster cluster =
      parse("cluster = c; c = {10 x node}; p = 1; " +
            std::string(sockets ? "node = {2 x s}; s = {16 x p};" + network_named("s")
                                : "node = {32 x p};") +
            network_named("c") + network_named("node"));
  return {cluster, cluster.processors()};
}

NodeList two_kinds() {
  const Cluster cluster =
      parse("cluster = c; c = {2 x a, 3 x b}; a = {4 x p}; b = {2 x p}; p = 1;" +
            network_named("c") + network_named("a") + network_named("b"));
  return {cluster, cluster.processors()};
}

Job by_row(const NodeList& nodes, const char* grid) { return job_of(nodes, Grid::parse(grid), {}); }

}  // namespace

TEST_CASE("command lines fill the nodes one after the other") {
  const Job full = by_row(equal_nodes(true), "8x8");
  CHECK(full.nodes == 2);
  CHECK(full.processes == 64);
  CHECK(full.processes_per_node == 32);
  CHECK(full.srun == "srun -N 2 --ntasks-per-node=32 -m block:block PROGRAM");
  CHECK(full.mpirun == "mpirun -n 64 --map-by ppr:32:node --bind-to core:overload-allowed PROGRAM");
  // Planes: 32, 32 and 6. Slurm's blocks would be 24, 23 and 23.
  const Job partial = by_row(equal_nodes(false), "7x10");
  CHECK(partial.nodes == 3);
  CHECK(partial.processes_per_node == 32);
  CHECK(partial.srun == "srun -N 3 -n 70 --exclusive -m plane=32 PROGRAM");
  CHECK(partial.mpirun ==
        "mpirun -n 70 --map-by ppr:32:node --bind-to core:overload-allowed PROGRAM");
  REQUIRE(partial.tasks.size() == 2);
  CHECK(partial.tasks[1].count == 1);
  CHECK(partial.tasks[1].size == 6);
  CHECK(by_row(equal_nodes(false), "5").srun ==
        "srun -N 1 --ntasks-per-node=5 -m block:block PROGRAM");
  // 4, 4, 2, 1.
  const Job mixed = by_row(two_kinds(), "11");
  CHECK(mixed.srun ==
        "srun -N 2 --ntasks-per-node=4 -m block:block PROGRAM : -N 1 --ntasks-per-node=2 -m "
        "block:block PROGRAM : -N 1 --ntasks-per-node=1 -m block:block PROGRAM");
  CHECK(mixed.mpirun == "mpirun -n 11 --map-by slot --bind-to core:overload-allowed PROGRAM");
}

TEST_CASE("a placement other than row needs a rank file") {
  const Placement column{Placement::Kind::column, {}};
  const Job none = job_of(equal_nodes(false), Grid::parse("8x8"), column);
  CHECK(none.srun.empty());
  CHECK(none.mpirun.empty());
  // The columns of one row are those of the row.
  CHECK_FALSE(job_of(equal_nodes(false), Grid::parse("1x64"), column).srun.empty());
  const Job given = job_of(equal_nodes(false), Grid::parse("8x8"), column, "out/it's");
  CHECK(given.srun == "sh 'out/it'\\''s.sh' PROGRAM");
  CHECK(given.mpirun == "mpirun -n 64 --rankfile 'out/it'\\''s' PROGRAM");
}

TEST_CASE("ranks that the program numbers by column fill the nodes without a rank file") {
  const NodeList nodes = two_kinds();
  const Grid grid = Grid::parse("5x2");
  const auto job = [&](const char* placement, const std::string& file) {
    return job_of(nodes, grid, Placement::parse(placement), file, Placement::Kind::column);
  };
  CHECK(job("column", "").srun == job_of(nodes, grid, {}).srun);
  CHECK(job("column", "").mpirun == job_of(nodes, grid, {}).mpirun);
  CHECK(job("row", "").srun.empty());
  std::ostringstream out;
  write_rank_file(out, nodes, job("row", "f"));
  // Rank i + 5 j is at (i, j), which is on processor 2 i + j; nodes 4, 4, 2.
  CHECK(out.str().substr(out.str().find('\n') + 1) ==
        "rank 0=+n0 slot=*:*\nrank 1=+n0 slot=*:*\nrank 2=+n1 slot=*:*\nrank 3=+n1 slot=*:*\n"
        "rank 4=+n2 slot=*:*\nrank 5=+n0 slot=*:*\nrank 6=+n0 slot=*:*\nrank 7=+n1 slot=*:*\n"
        "rank 8=+n1 slot=*:*\nrank 9=+n2 slot=*:*\n");
}

TEST_CASE("rank files name the node and the core of each rank") {
  const auto lines = [](const NodeList& nodes, const char* grid, const char* placement) {
    const Job job = job_of(nodes, Grid::parse(grid), Placement::parse(placement), "f");
    std::ostringstream out;
    write_rank_file(out, nodes, job);
    std::istringstream in(out.str());
    std::vector<std::string> result;
    for (std::string line; std::getline(in, line);) {
      if (!line.starts_with("#")) {
        result.push_back(line);
      }
    }
    return result;
  };
  // Blocks of 2x2 on two nodes of four, three of two: ranks of 2x4 are blocks 0 0 1 1 twice.
  CHECK(lines(two_kinds(), "2x4", "blocked:2x2") ==
        std::vector<std::string>{"rank 0=+n0 slot=*:*", "rank 1=+n0 slot=*:*",
                                 "rank 2=+n1 slot=*:*", "rank 3=+n1 slot=*:*",
                                 "rank 4=+n0 slot=*:*", "rank 5=+n0 slot=*:*",
                                 "rank 6=+n1 slot=*:*", "rank 7=+n1 slot=*:*"});
  // By columns: rank (i, j) of 5x2 is processor i + 5 j; nodes 4, 4, 2.
  CHECK(lines(two_kinds(), "5x2", "column") ==
        std::vector<std::string>{"rank 0=+n0 slot=*:*", "rank 1=+n1 slot=*:*",
                                 "rank 2=+n0 slot=*:*", "rank 3=+n1 slot=*:*",
                                 "rank 4=+n0 slot=*:*", "rank 5=+n1 slot=*:*",
                                 "rank 6=+n0 slot=*:*", "rank 7=+n2 slot=*:*",
                                 "rank 8=+n1 slot=*:*", "rank 9=+n2 slot=*:*"});
  // Where a node has sockets it matters which core it is.
  const std::vector<std::string> cores = lines(equal_nodes(true), "2x32", "column");
  REQUIRE(cores.size() == 64);
  CHECK(cores[1] == "rank 1=+n0 slot=2");
  CHECK(cores[16] == "rank 16=+n1 slot=0");
  CHECK(cores[32] == "rank 32=+n0 slot=1");
}
