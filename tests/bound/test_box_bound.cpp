// The bound of a box of grids is never on the wrong side of the prediction of one of its grids:
// recorded traces, programs of configs/programs, all options.

#include "bound/least_machine.h"
#include "boxes.h"
#include "described.h"
#include "gridcast/base/error.h"

namespace gridcast::model::test {
namespace {

/// Unequal processors, several channels and levels: nothing there is a single formula.
machine::Cluster mixed() {
  return machine::Cluster::parse(
      "cluster = c; c = {8 x a, 16 x b}; c.CommType = myrinet (4); c.TStart = 2; c.TByte = 0.0001;"
      "a = {16 x f}; a.CommType = myrinet (8); a.TStart = 0.4; a.TByte = 0.00012;"
      "b = {8 x s}; b.CommType = ethernet; b.TStart = 0.8; b.TByte = 0.0003; f = 1.6; s = 0.8;",
      "mixed.par");
}

std::vector<machine::Cluster> bounded_machines() {
  return {flat("ethernet", 75.0, 0.2),
          flat("transputer", 9.0, 0.0125),
          flat("myrinet (4)", 7.0, 0.004),
          flat("ports", 7.0, 0.004),
          two_level(),
          three_level(),
          heterogeneous(),
          mixed()};
}

void check_boxes(const std::string& name, const Compiled& compiled, std::int64_t most, int count,
                 const ModelOptions& options = {}) {
  std::mt19937 random(7);
  for (const machine::Cluster& cluster : bounded_machines()) {
    CAPTURE(name, cluster.text(), options.text());
    BoundCheck check(compiled.script, cluster, options);
    for (int i = 0; i < count; ++i) {
      const int rank = 1 + i % std::max(compiled.script.header().grid_rank, 1);
      check.look(rank, i % 3 == 0 ? most : 16, random);
    }
    CHECK(check.closeness() > 0.1);
    if (const char* const report = std::getenv("GRIDCAST_CLOSENESS"); report != nullptr) {
      WARN(name << " on " << cluster.text().substr(0, 40) << ": " << check.closeness() << " "
                << check.closeness_of_boxes());
    }
  }
}

void check_boxes(const std::string& trace, std::int64_t most, int count,
                 const ModelOptions& options = {}) {
  check_boxes(trace, compile(trace::read_program(data(trace))), most, count, options);
}

Compiled generated(const std::string& name, const trace::ParameterValues& values = {}) {
  return compile(shipped_program(name, values));
}

}  // namespace

TEST_CASE("bounds of boxes: recorded traces") {
  for (const char* trace :
       {"c_jac1d_8.ptr", "c_jac2d_1000x10.ptr.gz", "c_jac2d_8_e1.ptr", "c_jac3d_200x10.ptr.gz",
        "c_redb_1000x10.ptr.gz", "c_acopy_100.ptr", "c_lib_100.ptr.gz", "f_feat_100.ptr.gz",
        "f_jac_8.ptr.gz", "f_jacas_8.ptr.gz", "h_gauss_c.ptr.gz", "c_redist_100_e4.ptr",
        "c_gauss_10.ptr.gz", "c_gausswb_10.ptr"}) {
    check_boxes(trace, 250, 30);
  }
}

TEST_CASE("bounds of boxes: tasks") {
  for (const char* trace :
       {"c_tsk_8.ptr.gz", "c_tsk_ra_8.ptr.gz", "f_tasks_8.ptr.gz", "v_c_tsk_8_ups4_np1.ptr.gz"}) {
    check_boxes(trace, 250, 20);
  }
}

TEST_CASE("bounds of boxes: pipelines") {
  for (const char* trace :
       {"c_sor_1000x10.ptr.gz", "c_adi_20x10.ptr.gz", "f_across_100.ptr.gz", "h_jacross.ptr.gz"}) {
    check_boxes(trace, 100, 20);
  }
}

TEST_CASE("bounds of boxes: generated programs") {
  check_boxes("jacobi2d", generated("jacobi2d", {{"n", "60"}}), 250, 60);
  check_boxes("jacobi3d", generated("jacobi3d", {{"n", "20"}, {"iterations", "3"}}), 250, 60);
  check_boxes("taskjacobi", generated("taskjacobi", {{"n", "60"}}), 250, 40);
  check_boxes("gauss", generated("gauss", {{"n", "30"}}), 250, 30);
  check_boxes("multigrid", generated("multigrid", {{"n", "32"}, {"cycles", "2"}}), 250, 40);
  check_boxes("redblack", generated("redblack", {{"n", "50"}}), 250, 40);
  check_boxes("sor", generated("sor", {{"n", "40"}, {"iterations", "2"}}), 100, 40);
  check_boxes("adi", generated("adi", {{"n", "40"}, {"iterations", "2"}}), 100, 30);
}

TEST_CASE("bounds of boxes: rows and columns that others need") {
  check_boxes("panels", generated("panels", {{"n", "13"}}), 250, 60);
  check_boxes("panels", generated("panels", {{"n", "5"}}), 250, 40);
  check_boxes("cg", generated("cg", {{"iterations", "2"}}), 250, 30);
  check_boxes("fft3d", generated("fft3d", {{"n", "8"}, {"log_n", "3"}, {"steps", "2"}}), 250, 60);
  check_boxes("fft3d", generated("fft3d", {{"n", "32"}, {"log_n", "5"}, {"steps", "1"}}), 250, 40);
}

TEST_CASE("bounds of boxes: time by the shape of blocks") {
  for (const char* name : {"jacobi2d", "sor"}) {
    const trace::Program program = shipped_program(name, {{"n", "40"}, {"iterations", "2"}});
    LoopShapes shapes;
    shapes.add(program, false);
    // Other times in small blocks, below and above those of the program.
    shapes.add(shipped_program(name, {{"n", "12"}, {"iterations", "2"}, {"point", "2e-9"}}), false);
    shapes.add(shipped_program(name, {{"n", "20"}, {"iterations", "2"}, {"point", "3e-8"}}), false);
    REQUIRE(shapes.any());
    const Compiled compiled = compile(program, Detail::folded, &shapes);
    REQUIRE_FALSE(compiled.script.tables().shapes.empty());
    check_boxes(name, compiled, 100, 30);
    ModelOptions options;
    options.pipeline = PipelineMode::exhaustive;
    check_boxes(name, compiled, 12, 6, options);
  }
}

TEST_CASE("bounds of boxes: other options") {
  ModelOptions options;
  options.block_rule = mapping::BlockRule::balanced;
  check_boxes("c_jac2d_8_e1.ptr", 100, 30, options);
  check_boxes("sor", generated("sor", {{"n", "40"}, {"iterations", "2"}}), 100, 30, options);
  options = {};
  options.processor_weights = false;
  check_boxes("c_redb_1000x10.ptr.gz", 100, 30, options);
  options = {};
  options.engine = EngineKind::reference;
  check_boxes("jacobi2d", generated("jacobi2d", {{"n", "60"}}), 100, 30, options);
  options = {};
  options.pipeline = PipelineMode::full;
  check_boxes("f_sor_10.ptr.gz", 50, 20, options);
  options.pipeline = PipelineMode::exhaustive;
  check_boxes("f_sor_10.ptr.gz", 20, 10, options);
  options = {};
  options.extrapolate_iterations = true;
  check_boxes("c_jac2d_1000x10.ptr.gz", 60, 20, options);
  check_boxes("c_sor_1000x10.ptr.gz", 16, 6, options);
}

TEST_CASE("bounds of boxes: the busiest ports of a single grid") {
  // Neighbours on all sides, blocks that differ by one, corners, rings; the reference engine tells
  // the exact times.
  ModelOptions options;
  options.engine = EngineKind::reference;
  options.block_rule = mapping::BlockRule::balanced;
  options.reduction = ReductionKind::tree;
  const std::vector<machine::Cluster> machines{
      flat("ports", 2.0, 0.0004),
      machine::Cluster::parse(
          "cluster = c; c = {64 x n}; c.CommType = ports; c.TStart = 2; c.TByte = 0.0004;"
          "c.TSend = 0.5; c.TRecv = 0.75; c.TGap = 1; n = {4 x p}; n.CommType = ports;"
          "n.TStart = 0.5; n.TByte = 0.0002; n.TSend = 0.25; p = 1;",
          "nodes.par")};
  for (const char* name : {"jacobi2d", "jacobi3d", "torus"}) {
    const bool torus = std::string(name) == "torus";
    const Compiled compiled = generated(name, {{torus ? "steps" : "iterations", "2"}});
    for (const machine::Cluster& cluster : machines) {
      CAPTURE(name, cluster.text());
      Predictor predictor(compiled.script, cluster, options);
      BoxBound bound(compiled.script, cluster, options);
      const bool three = compiled.script.header().grid_rank == 3;
      for (const char* text : {"4x4", "3x5", "9x2", "1x12", "6x6", "7x3"}) {
        const machine::Grid tried = grid(three ? std::string(text) + "x2" : std::string(text));
        const double time = predictor.evaluate(tried).front().execution_time;
        const double least = bound(tried).time;
        CAPTURE(tried.text(), time, least);
        CHECK(least <= time);
        // The last in a tree of messages need not be the one with the largest block.
        CHECK(least >= (three ? 0.8 : 0.95) * time);
      }
    }
  }
}

TEST_CASE("bounds of boxes: what a redistribution moves through the ports of a single grid") {
  ModelOptions options;
  options.engine = EngineKind::reference;
  options.block_rule = mapping::BlockRule::balanced;
  const Compiled compiled = generated("fft3d", {{"n", "32"}, {"log_n", "5"}, {"steps", "1"}});
  const machine::Cluster cluster = flat("ports", 2.0, 0.0004);
  Predictor predictor(compiled.script, cluster, options);
  BoxBound bound(compiled.script, cluster, options);
  for (const char* text : {"4x4", "3x5", "9x2", "1x12", "6x6", "7x3"}) {
    const double time = predictor.evaluate(grid(text)).front().execution_time;
    CAPTURE(text, time);
    CHECK(bound(grid(text)).time <= time);
    CHECK(bound(grid(text)).time >= 0.75 * time);
  }
}

TEST_CASE("on one processor the bound is the duration of the trace") {
  for (const char* trace : {"c_adi_20x10.ptr.gz", "c_redist_100_e4.ptr", "c_gausswb_10.ptr"}) {
    const trace::Program program = trace::read_program(data(trace));
    const Compiled compiled = compile(program);
    const machine::Cluster cluster = two_level();
    const BoxBounds bounds = BoxBound(compiled.script, cluster)(grid("1"));
    CHECK(bounds.time <= program.duration);
    CHECK(bounds.time >= program.duration * (1.0 - 1e-9));
  }
}

TEST_CASE("a box beyond the machine is refused") {
  const Compiled compiled = generated("jacobi2d");
  const machine::Cluster cluster = mixed();
  BoxBound bound(compiled.script, cluster);
  CHECK_THROWS_AS(bound(grid("17x17")), InputError);
}

TEST_CASE("one row of processors that all exchange uses the nodes that it is on") {
  // Ten processors on two nodes with one channel each and one between them: 90 messages of 1 s, 50
  // of them, whichever, go between the nodes.
  const machine::Cluster cluster = machine::Cluster::parse(
      "cluster = c; c = {100 x n}; n = {5 x p}; p = 1;"
      "c.CommType = myrinet (1); c.TStart = 1000000; c.TByte = 0;"
      "n.CommType = myrinet (1); n.TStart = 1000000; n.TByte = 0;",
      "nodes.par");
  LeastMachine least(cluster);
  least.reset(500, 500);
  const Stream row{90.0, 90.0, 1.0, 1.0, 10.0};
  CHECK(least.load_among_first(row, 10.0) == Approx(50.0));
  CHECK(least.load(row) == Approx(50.0));
  // Half of a grid in one node: all go through its network.
  CHECK(least.load_among_first({20.0, 20.0, 1.0, 1.0, 5.0}, 5.0) == Approx(20.0));
  // Who may be anywhere is not on the first nodes.
  LeastMachine scattered(cluster, true);
  scattered.reset(500, 500);
  CHECK(scattered.load_among_first(row, 10.0) == 0.0);
}

}  // namespace gridcast::model::test
