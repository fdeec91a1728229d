// The lower bound never exceeds the prediction, and where its formulas are exact it equals figures
// that an independent program computed from the model.

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "bound/bound_certain.h"
#include "fixture.h"
#include "gridcast/base/error.h"
#include "gridcast/bound/bound.h"
#include "gridcast/compile/compile.h"
#include "gridcast/retrace/generate.h"

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
          two_level(),
          three_level(),
          heterogeneous(),
          mixed()};
}

/// All grids of a rank with at most `most` processors.
void add_grids(int rank, std::int64_t most, std::vector<std::int64_t>& extents,
               std::vector<machine::Grid>& grids) {
  if (rank == 0) {
    grids.emplace_back(std::span<const std::int64_t>(extents));
    return;
  }
  for (std::int64_t extent = 1; extent <= most; ++extent) {
    extents.push_back(extent);
    add_grids(rank - 1, most / extent, extents, grids);
    extents.pop_back();
  }
}

std::vector<machine::Grid> all_grids(int rank, std::int64_t most) {
  std::vector<machine::Grid> grids;
  std::vector<std::int64_t> extents;
  add_grids(rank, most, extents, grids);
  return grids;
}

std::vector<machine::Grid> some_grids(int rank, std::int64_t most, int count) {
  std::mt19937 random(static_cast<std::mt19937::result_type>(rank));
  std::vector<machine::Grid> grids;
  for (int i = 0; i < count; ++i) {
    std::vector<std::int64_t> extents;
    std::int64_t left = most;
    for (int dim = 0; dim < rank; ++dim) {
      extents.push_back(1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(left)));
      left /= extents.back();
    }
    std::shuffle(extents.begin(), extents.end(), random);
    grids.emplace_back(std::span<const std::int64_t>(extents));
  }
  return grids;
}

void check_never_above(const std::string& trace, const Compiled& compiled, std::int64_t most,
                       int more, const ModelOptions& options = {}) {
  const int own_rank = compiled.script.header().grid_rank;
  for (const machine::Cluster& cluster : bounded_machines()) {
    Predictor predictor(compiled.script, cluster, options);
    LowerBound bound(compiled.script, cluster, options);
    for (int rank = 1; rank <= own_rank; ++rank) {
      std::vector<machine::Grid> grids = all_grids(rank, most);
      for (const machine::Grid& one : some_grids(rank, 250, more)) {
        grids.push_back(one);
      }
      for (const machine::Grid& one : grids) {
        const double least = bound(one);
        const double second = bound.thorough(one);
        const Characteristics result = predictor.evaluate(one).front();
        CAPTURE(trace, cluster.text(), one.text(), least, second, result.execution_time);
        CHECK(least <= result.execution_time);
        CHECK(second <= result.execution_time);
        CHECK(least > 0.0);
        CHECK(bound.efficiency(one) >= result.efficiency);
        CHECK(bound.thorough_efficiency(one) >= result.efficiency);
        if (const auto smaller = bound.no_slower(one)) {
          CHECK(smaller->processors() < one.processors());
          CHECK(predictor.evaluate(*smaller).front().execution_time <= result.execution_time);
        }
      }
    }
  }
}

void check_never_above(const std::string& trace, std::int64_t most, int more,
                       const ModelOptions& options = {}) {
  check_never_above(trace, compile(trace::read_program(data(trace))), most, more, options);
}

/// A program of configs/programs.
Compiled generated(const std::string& name, const trace::ParameterValues& values = {}) {
  const auto file =
      std::filesystem::path(GRIDCAST_SOURCE_DIR) / "configs" / "programs" / (name + ".toml");
  std::ifstream description(file);
  const std::string text{std::istreambuf_iterator<char>(description), {}};
  std::ostringstream out;
  trace::generate_trace(text, name + ".toml", out, values);
  return compile(trace::parse_program(out.str(), name));
}

machine::Cluster config(const std::string& name) {
  return machine::Cluster::read(std::filesystem::path(GRIDCAST_SOURCE_DIR) / "configs" / name);
}

}  // namespace

TEST_CASE("the bound is never above the prediction") {
  for (const char* trace :
       {"c_jac1d_8.ptr", "c_jac2d_1000x10.ptr.gz", "c_jac2d_8_e1.ptr", "c_jac3d_200x10.ptr.gz",
        "c_redb_1000x10.ptr.gz", "c_acopy_100.ptr", "c_lib_100.ptr.gz", "f_feat_100.ptr.gz",
        "f_jac_8.ptr.gz", "f_jacas_8.ptr.gz", "h_gauss_c.ptr.gz"}) {
    check_never_above(trace, 12, 6);
  }
}

TEST_CASE("the bound is never above the prediction: redistribution") {
  check_never_above("c_redist_100_e4.ptr", 8, 3);
}

TEST_CASE("the bound is never above the prediction: rows and weights") {
  for (const char* trace : {"c_gauss_10.ptr.gz", "c_gausswb_10.ptr"}) {
    check_never_above(trace, 16, 6);
  }
}

TEST_CASE("the bound is never above the prediction: tasks") {
  for (const char* trace :
       {"c_tsk_8.ptr.gz", "c_tsk_ra_8.ptr.gz", "f_tasks_8.ptr.gz", "v_c_tsk_8_ups4_np1.ptr.gz"}) {
    check_never_above(trace, 20, 4);
  }
}

TEST_CASE("the bound is never above the prediction: pipelines") {
  for (const char* trace :
       {"c_sor_1000x10.ptr.gz", "c_adi_20x10.ptr.gz", "f_across_100.ptr.gz", "h_jacross.ptr.gz"}) {
    check_never_above(trace, 6, 2);
  }
}

TEST_CASE("the bound is never above the prediction: generated programs") {
  // Overlapped communications, tasks side by side, empty processors, realignments.
  check_never_above("jacobi3d", generated("jacobi3d", {{"n", "20"}, {"iterations", "3"}}), 8, 6);
  check_never_above("taskjacobi", generated("taskjacobi", {{"n", "60"}}), 40, 20);
  check_never_above("gauss", generated("gauss", {{"n", "30"}}), 40, 10);
  check_never_above("multigrid", generated("multigrid", {{"n", "32"}, {"cycles", "2"}}), 12, 6);
}

TEST_CASE("the bound is never above the prediction with other options") {
  ModelOptions options;
  options.block_rule = mapping::BlockRule::balanced;
  check_never_above("c_jac2d_8_e1.ptr", 10, 3, options);
  options = {};
  options.processor_weights = false;
  check_never_above("c_redb_1000x10.ptr.gz", 10, 3, options);
  options = {};
  options.pipeline = PipelineMode::full;
  check_never_above("f_sor_10.ptr.gz", 8, 2, options);
  options.pipeline = PipelineMode::exhaustive;
  check_never_above("f_sor_10.ptr.gz", 5, 0, options);
  options = {};
  options.extrapolate_iterations = true;
  check_never_above("c_jac2d_1000x10.ptr.gz", 10, 3, options);
  check_never_above("c_sor_1000x10.ptr.gz", 6, 1, options);
}

TEST_CASE("the bound equals the golden figures where its formulas are exact") {
  std::ifstream file(data("golden_jacobi.json"));
  const nlohmann::json golden = nlohmann::json::parse(file);
  std::size_t cases = 0;
  for (const auto& expected : golden.at("cases")) {
    const std::string name = expected.at("machine");
    const bool exact =
        name == "bus" || name == "transputer" || name == "myrinet1" || name == "two_level";
    if (!exact) {
      continue;
    }
    const std::string trace = expected.at("trace");
    const std::string on = expected.at("grid");
    const Compiled compiled = compile(trace::read_program(data(trace)));
    const machine::Cluster cluster = name == "bus"          ? flat("ethernet", 75.0, 0.2)
                                     : name == "transputer" ? flat("transputer", 9.0, 0.0125)
                                     : name == "myrinet1"   ? flat("myrinet (1)", 7.0, 0.004)
                                                            : two_level();
    const double bound = LowerBound(compiled.script, cluster)(grid(on));
    const double time = expected.at("execution_time");
    CAPTURE(trace, name, on, bound, time);
    CHECK(bound <= time * (1.0 + 1e-12));
    CHECK(bound >= time * (1.0 - 3e-9));
    ++cases;
  }
  CHECK(cases >= 80);
}

TEST_CASE("on one processor the bound is the duration of the trace") {
  for (const char* trace : {"c_adi_20x10.ptr.gz", "c_redist_100_e4.ptr", "c_gausswb_10.ptr"}) {
    const trace::Program program = trace::read_program(data(trace));
    const Compiled compiled = compile(program);
    const machine::Cluster cluster = two_level();
    const double bound = LowerBound(compiled.script, cluster)(grid("1"));
    CHECK(bound <= program.duration);
    CHECK(bound >= program.duration * (1.0 - 3e-9));
  }
}

TEST_CASE("the exact search evaluates at most 2 % of the grids of the generated programs") {
  // Goal of the exact search, on the machine where networks are contended most.
  const machine::Cluster cluster = config("cluster128x64.par");
  for (const char* name : {"jacobi3d", "taskjacobi", "gauss", "redblack", "multigrid"}) {
    const Compiled compiled = generated(name);
    const int rank = compiled.script.header().grid_rank;
    LowerBound bound(compiled.script, cluster);
    Predictor predictor(compiled.script, cluster);
    const std::vector<machine::Grid> grids = all_grids(rank, rank == 1 ? 400 : 100);
    std::vector<double> times;
    for (const machine::Grid& one : grids) {
      times.push_back(predictor.evaluate(one).front().execution_time);
    }
    const double best = *std::min_element(times.begin(), times.end());
    std::size_t needed = 0;
    for (const machine::Grid& one : grids) {
      const double least = bound(one);
      const auto faster = bound.no_slower(one);
      const bool loses = least > best || bound.thorough(one) > best ||
                         (faster && predictor.evaluate(*faster).front().execution_time >= best);
      needed += loses ? 0 : 1;
    }
    CAPTURE(name, needed, grids.size());
    CHECK(needed >= 1);
    CHECK(static_cast<double>(needed) <= 0.02 * static_cast<double>(grids.size()));
  }
}

TEST_CASE("few grids have a bound below the best time") {
  // Goal of the exact search: at most 2 % of the candidates.
  for (const char* trace : {"c_jac2d_1000x10.ptr.gz", "c_redb_1000x10.ptr.gz"}) {
    const Compiled compiled = compile(trace::read_program(data(trace)));
    for (const machine::Cluster& cluster : bounded_machines()) {
      Predictor predictor(compiled.script, cluster);
      LowerBound bound(compiled.script, cluster);
      const std::vector<machine::Grid> grids = all_grids(2, 64);
      double best = predictor.evaluate(grids.front()).front().execution_time;
      for (const machine::Grid& one : grids) {
        best = std::min(best, predictor.evaluate(one).front().execution_time);
      }
      const auto below = std::count_if(
          grids.begin(), grids.end(), [&](const machine::Grid& one) { return bound(one) <= best; });
      CAPTURE(trace, cluster.text());
      CHECK(below >= 1);
      CHECK(static_cast<double>(below) <= 0.02 * static_cast<double>(grids.size()));
    }
  }
}

TEST_CASE("the second bound sees an exchange and a reduction at the same time") {
  const Compiled compiled = generated("jacobi3d");
  for (const auto& [name, on] :
       {std::pair("heterogeneous.par", "12x2x2"), std::pair("heterogeneous.par", "73x1x1"),
        std::pair("cluster128x64.par", "5x5x10"), std::pair("cluster128x64.par", "3x17x5")}) {
    const machine::Cluster cluster = config(name);
    LowerBound bound(compiled.script, cluster);
    const double time =
        Predictor(compiled.script, cluster).evaluate(grid(on)).front().execution_time;
    CAPTURE(name, on, time, bound(grid(on)));
    CHECK(bound.thorough(grid(on)) <= time);
    CHECK(bound.thorough(grid(on)) >= time * (1.0 - 3e-9));
    CHECK(bound(grid(on)) < 0.995 * time);
  }
}

TEST_CASE("the second bound sees tasks that share a network") {
  // 268 processors: the tasks meet in the third node of 64 and on the network above.
  const Compiled compiled = generated("taskjacobi");
  const machine::Cluster cluster = config("cluster128x64.par");
  LowerBound bound(compiled.script, cluster);
  Predictor predictor(compiled.script, cluster);
  for (const char* on : {"266", "268", "275", "384"}) {
    const double time = predictor.evaluate(grid(on)).front().execution_time;
    CAPTURE(on, time, bound(grid(on)));
    CHECK(bound.thorough(grid(on)) <= time);
    CHECK(bound.thorough(grid(on)) >= time * (1.0 - 3e-9));
    CHECK(bound(grid(on)) < 0.97 * time);
  }
}

TEST_CASE("processors without elements are left out where they cannot help") {
  // 200 rows: blocks of 4 rows on 50...66 processors, of 3 on 67...99.
  const Compiled gauss = generated("gauss");
  const machine::Cluster cluster = config("cluster128x64.par");
  LowerBound bound(gauss.script, cluster);
  CHECK_FALSE(bound.no_slower(grid("50")).has_value());
  CHECK(bound.no_slower(grid("51")).value().text() == "50");
  CHECK(bound.no_slower(grid("66")).value().text() == "50");
  CHECK_FALSE(bound.no_slower(grid("67")).has_value());
  CHECK(bound.no_slower(grid("90")).value().text() == "67");
  // Unequal processors have unequal blocks; on links the farthest processor decides.
  const machine::Cluster unequal = config("heterogeneous.par");
  CHECK_FALSE(LowerBound(gauss.script, unequal).no_slower(grid("200")).has_value());
  const machine::Cluster links = flat("transputer", 9.0, 0.0125);
  CHECK_FALSE(LowerBound(gauss.script, links).no_slower(grid("51")).has_value());
  // Processor 0 sends what it read while others still compute: nothing is known.
  const Compiled jacobi = generated("jacobi2d");
  CHECK_FALSE(LowerBound(jacobi.script, cluster).no_slower(grid("1x251")).has_value());
}

TEST_CASE("the bound of the efficiency equals the golden figures where that of the time does") {
  std::ifstream file(data("golden_jacobi.json"));
  const nlohmann::json golden = nlohmann::json::parse(file);
  std::size_t cases = 0;
  for (const auto& expected : golden.at("cases")) {
    if (expected.at("machine") != "bus") {
      continue;
    }
    const Compiled compiled =
        compile(trace::read_program(data(expected.at("trace").get<std::string>())));
    const machine::Cluster cluster = flat("ethernet", 75.0, 0.2);
    const double most = LowerBound(compiled.script, cluster).efficiency(grid(expected.at("grid")));
    CHECK(most == Approx(expected.at("efficiency").get<double>()).epsilon(1e-7));
    ++cases;
  }
  CHECK(cases >= 10);
}

TEST_CASE("decisions that rounding could turn make networks uncertain") {
  const machine::Cluster cluster = flat("myrinet (2)", 0.0, 1e6);  // one second per byte
  const machine::ProcessorSystem system = cluster.expand(8);
  CertainNetworks networks(system);
  std::vector<double> ends(8);
  const auto send = [&](std::vector<network::Transfer> transfers, double start) {
    network::Communication communication;
    communication.transfers = std::move(transfers);
    networks.run(communication, start, ends);
    return ends;
  };
  networks.reset(1e-9);
  // Both channels are taken to 2 and 3; the third transfer follows the shorter.
  CHECK(send({{0, 1, 2.0}, {2, 3, 3.0}, {4, 5, 1.0}}, 0.0)[5] == Approx(3.0));
  CHECK(networks.certain());
  // A later one starts in the gap before what another put at 10.
  CHECK(send({{0, 1, 5.0}, {2, 3, 5.0}}, 10.0)[3] == Approx(15.0));
  CHECK(send({{4, 5, 7.0}}, 3.0)[5] == Approx(10.0));
  CHECK(networks.certain());
  // This one would fit but for less than the margin.
  (void)send({{6, 7, 7.0 + 1e-10}}, 3.0);
  CHECK_FALSE(networks.certain());
  networks.reset(1e-9);
  CHECK(networks.certain());
  CHECK(send({{0, 1, 2.0}}, 0.0)[1] == Approx(2.0));
}

TEST_CASE("the bound refuses grids that the cluster cannot hold") {
  const Compiled compiled = compile(trace::read_program(data("c_jac2d_8_e1.ptr")));
  const machine::Cluster cluster = mixed();
  LowerBound bound(compiled.script, cluster);
  CHECK_NOTHROW(bound(grid("16x16")));
  CHECK_THROWS_AS(bound(grid("16x17")), InputError);
}

}  // namespace gridcast::model::test
