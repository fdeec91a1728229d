// Processes of several threads: the machine as they see it (docs/machines.md).
#include <array>
#include <catch2/catch.hpp>
#include <sstream>

#include "gridcast/machine/grid_box.h"
#include "gridcast/machine/job.h"
#include "gridcast/machine/nodes.h"
#include "gridcast/machine/threads.h"
#include "machine_text.h"

using namespace gridcast::machine;
using gridcast::InputError;
using gridcast::machine::test::equal;
using gridcast::machine::test::input_error;
using gridcast::machine::test::node;
using gridcast::machine::test::parse;

namespace {

std::string ports_of(const std::string& name) {
  return name + ".CommType = ports; " + name + ".TStart = 1; " + name + ".TByte = 0.1;\n";
}

/// 5 nodes of 2 sockets of 6 cores.
std::string sockets(const std::string& threads) {
  return "cluster = c; c = {5 x node}; node = {2 x socket}; socket = {6 x core}; core = 1.5;\n" +
         ports_of("c") + ports_of("node") + ports_of("socket") + threads;
}

}  // namespace

TEST_CASE("a socket holds as many processes as fit into it, each as fast as its threads") {
  const Cluster cluster = parse(sockets("core.Threads = {1 (1.0), 2 (0.95), 4 (0.9), 7 (0.5)};\n"));
  CHECK(equal(cluster.with_threads(1), cluster));
  const Cluster two = cluster.with_threads(2);
  CHECK(two.processors() == 5 * 2 * 3);
  CHECK(node(two, "socket").processors == 3);
  CHECK(node(two, "core").performance == Approx(1.5 * 2 * 0.95).epsilon(1e-15));
  // Two of the six cores stay idle.
  const Cluster four = cluster.with_threads(4);
  CHECK(four.processors() == 5 * 2 * 1);
  CHECK(node(four, "core").performance == Approx(1.5 * 4 * 0.9).epsilon(1e-15));
  CHECK(node(four, "node").network == node(cluster, "node").network);
  // Its text is a machine like any other.
  CHECK(equal(Cluster::parse(four.text(), "four"), four));
}

TEST_CASE("processes do not leave a lowest cluster, and small clusters hold none") {
  const Cluster cluster = parse(
      "cluster = c; c = {2 x big, 3 x small}; big = {8 x core}; small = {3 x core}; core = 1;\n" +
      ports_of("c") + ports_of("small") +
      "big.CommType = small.CommType; big.TStart = 7;\ncore.Threads = {2 (0.9), 4 (0.8)};\n");
  CHECK(cluster.with_threads(2).processors() == 2 * 4 + 3 * 1);
  const Cluster four = cluster.with_threads(4);
  CHECK(four.processors() == 2 * 2);
  // What it had copied stays, though `small` is left out.
  CHECK(node(four, "big").network.byte_time == Approx(1e-7).epsilon(1e-12));
  CHECK(node(four, "big").network.start_time == Approx(7e-6).epsilon(1e-12));
}

TEST_CASE("a process over unequal processors is as fast as its slowest thread") {
  const Cluster cluster = parse(
      "cluster = c; c = {2 x n}; n = {3 x fast, 3 x slow}; fast = 2; slow = 0.5;\n" +
      ports_of("c") + ports_of("n") + "fast.Threads = {2 (0.9)}; slow.Threads = {2 (0.8)};\n");
  const Cluster two = cluster.with_threads(2);
  const ProcessorSystem system = two.expand(6);
  // fast+fast, fast+slow, slow+slow
  const std::vector<double> expected{2 * 2 * 0.9, 2 * 0.5 * 0.8, 2 * 0.5 * 0.8};
  for (std::size_t p = 0; p < 6; ++p) {
    CAPTURE(p);
    CHECK(system.performance[p] == Approx(expected[p % 3]).epsilon(1e-15));
  }
}

TEST_CASE("threads that a machine does not know are refused with the line of the processor") {
  const Cluster cluster = parse(sockets("core.Threads = {2 (0.95), 7 (0.5)};\n"));
  const InputError unknown = input_error([&] { (void)cluster.with_threads(3); });
  CHECK(unknown.line() == 1);
  CHECK(unknown.problem() == "'core' has no efficiency of 3 threads");
  CHECK(unknown.remedy() == "expected it in core.Threads = {2 (0.95), 7 (0.5)}");
  CHECK(input_error([&] { (void)cluster.with_threads(7); }).problem() ==
        "no cluster of 'c' holds a process of 7 threads");
  CHECK(input_error([&] { (void)cluster.with_threads(0); }).problem() == "0 threads are asked for");
}

TEST_CASE("tables of threads are checked where they stand") {
  for (const auto& [table, problem] : std::vector<std::pair<std::string, std::string>>{
           {"{2 (0.9), 2 (0.8)}", "'core.Threads' names 2 twice"},
           {"{1 (0.9)}", "'core.Threads' has the efficiency '0.9' for 1 thread"},
           {"{2 (0)}", "'core.Threads' has the efficiency '0' for 2 threads"},
           {"{2}", "'core.Threads' has an entry of another form"},
           {"{2 (0.9, 3)}", "'core.Threads' has an entry of another form"},
           {"{1.5 (0.9)}", "number of threads in 'core.Threads' is '1.5'"},
           {"4", "'core.Threads' is no table"}}) {
    CAPTURE(table);
    const std::string text = sockets("core.Threads = " + table + ";\n");
    const InputError error = input_error([&] { (void)parse(text); });
    CHECK(error.problem() == problem);
    CHECK(error.line() == 5);
  }
  CHECK(input_error([&] { (void)parse(sockets("node.Threads = {2 (0.9)};\n")); }).line() == 5);
  Cluster cluster = parse(sockets("core.Threads = {2 (0.95)};\n"));
  cluster.set("core.Threads = {3 (0.8)}");
  CHECK(cluster.with_threads(3).processors() == 20);
  CHECK(cluster.text().find("core.Threads = {3 (0.8)};") != std::string::npos);
}

TEST_CASE("grids know the threads of their processes") {
  const Grid plain = Grid::parse("4x2");
  const Grid grid = plain.with_threads(3);
  CHECK(grid.processors() == 8);
  CHECK(grid.cores() == 24);
  CHECK(grid.text() == "4x2 with 3 threads");
  CHECK(Grid::parse_text(grid.text()) == grid);
  CHECK(Grid::parse_text("4x2") == plain);
  CHECK_FALSE(grid == plain);
  for (const char* const wrong :
       {"4x2 with 1 threads", "4x2 with x threads", "4x2 with 3 thread"}) {
    CHECK_THROWS_AS(Grid::parse_text(wrong), InputError);
  }
  CHECK_THROWS_AS(Grid::parse(grid.text()), InputError);
  // Fewer cores, then fewer threads, then extents.
  CHECK((compare(grid, Grid::parse("5x5")) < 0));
  CHECK((compare(Grid::parse("12x2"), grid) < 0));
  CHECK((compare(Grid::parse("2x4").with_threads(3), grid) < 0));
  const GridBox box(2, 8, 3);
  CHECK(box.contains(grid));
  CHECK_FALSE(box.contains(plain));
  CHECK(box.first_grid().cores() == 3);
  CHECK(GridBox(grid).least_cores() == 24);
  CHECK(GridBox(grid).first_grid() == grid);
}

TEST_CASE("lists of threads are read") {
  CHECK(parse_threads("8,1,4,4") == std::vector<std::int32_t>{1, 4, 8});
  CHECK(threads_text(parse_threads("2,1")) == "1,2");
  for (const char* const wrong : {"", "0", "1,", ",1", "1;2", "2x", "-1", "2049", "1.5"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(parse_threads(wrong), InputError);
  }
}

TEST_CASE("nodes hold fewer processors in processes that do not fill sockets") {
  const Cluster cluster = parse(sockets("core.Threads = {1 (1.0), 4 (0.9)};\n"));
  const std::array<std::int32_t, 2> numbers{1, 4};
  const NodeList nodes(cluster, cluster.processors(), numbers);
  // 12 cores, or 2 processes of 4, one in each socket.
  CHECK(nodes.nodes(Grid::parse("12")) == 1);
  CHECK(nodes.nodes(Grid::parse("3").with_threads(4)) == 2);
  CHECK(nodes.of(4).next_full(3) == 4);
  // 12 cores of any kind are on one node, 13 on two.
  CHECK(nodes.fewest_nodes(12) == 1);
  CHECK(nodes.fewest_nodes(13) == 2);
  const std::array<std::int32_t, 1> four{4};
  CHECK(NodeList(cluster, cluster.processors(), four).fewest_nodes(12) == 2);
  // Where processors are nodes a process costs what they cost.
  const Cluster flat =
      parse("cluster = c; c = {8 x p}; p = 1; p.Price = 2; p.Threads = {4 (1)};" + ports_of("c"));
  CHECK(NodeList(flat, 8, four).rate(Grid::parse("2").with_threads(4)) == 16.0);
}

TEST_CASE("jobs of processes of several threads") {
  const Cluster cluster = parse(sockets("core.Threads = {1 (1.0), 3 (0.9), 4 (0.9)};\n"));
  const std::array<std::int32_t, 2> numbers{3, 4};
  const NodeList nodes(cluster, cluster.processors(), numbers);
  const Job full = job_of(nodes, Grid::parse("4x2").with_threads(3), {});
  CHECK(full.threads == 3);
  CHECK(full.srun ==
        "OMP_NUM_THREADS=3 srun -N 2 --ntasks-per-node=4 --cpus-per-task=3 -m block:block PROGRAM");
  CHECK(full.mpirun ==
        "mpirun -n 8 -x OMP_NUM_THREADS=3 --map-by ppr:4:node:pe=3 --bind-to "
        "core:overload-allowed PROGRAM");
  CHECK(job_of(nodes, Grid::parse("5").with_threads(3), {}).srun ==
        "OMP_NUM_THREADS=3 srun -N 2 -n 5 --cpus-per-task=3 --exclusive -m plane=4 PROGRAM");
  // The second socket begins with core 6, whatever the first one has left over.
  const Job placed =
      job_of(nodes, Grid::parse("2x2").with_threads(4), Placement::parse("column"), "f");
  CHECK(placed.mpirun == "mpirun -n 4 -x OMP_NUM_THREADS=4 --rankfile f PROGRAM");
  std::ostringstream ranks;
  write_rank_file(ranks, nodes, placed);
  CHECK(
      ranks.str().ends_with("rank 0=+n0 slot=0-3\nrank 1=+n1 slot=0-3\n"
                            "rank 2=+n0 slot=6-9\nrank 3=+n1 slot=6-9\n"));
  std::ostringstream script;
  write_rank_script(script, placed);
  CHECK(script.str().ends_with(
      "OMP_NUM_THREADS=4 srun -n 4 --cpus-per-task=4 --distribution=arbitrary \"$@\"\n"));
}
