// The lower bound never exceeds the prediction, and where its formulas are exact it equals figures
// that an independent program computed from the model.

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "fixture.h"
#include "gridcast/error.h"
#include "gridcast/model/bound.h"

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

std::vector<machine::Cluster> machines() {
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

void check_never_above(const std::string& trace, std::int64_t most, int more,
                       const ModelOptions& options = {}) {
  const Compiled compiled = compile(trace::read_program(data(trace)));
  const int own_rank = compiled.script.header().grid_rank;
  for (const machine::Cluster& cluster : machines()) {
    Predictor predictor(compiled.script, cluster, options);
    LowerBound bound(compiled.script, cluster, options);
    for (int rank = 1; rank <= own_rank; ++rank) {
      std::vector<machine::Grid> grids = all_grids(rank, most);
      for (const machine::Grid& one : some_grids(rank, 250, more)) {
        grids.push_back(one);
      }
      for (const machine::Grid& one : grids) {
        const double least = bound(one);
        const double predicted = predictor.evaluate(one).front().execution_time;
        CAPTURE(trace, cluster.text(), one.text(), least, predicted);
        CHECK(least <= predicted);
        CHECK(least > 0.0);
      }
    }
  }
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

TEST_CASE("few grids have a bound below the best time") {
  // Goal of the exact search: at most 2 % of the candidates.
  for (const char* trace : {"c_jac2d_1000x10.ptr.gz", "c_redb_1000x10.ptr.gz"}) {
    const Compiled compiled = compile(trace::read_program(data(trace)));
    for (const machine::Cluster& cluster : machines()) {
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

TEST_CASE("the bound refuses grids that the cluster cannot hold") {
  const Compiled compiled = compile(trace::read_program(data("c_jac2d_8_e1.ptr")));
  const machine::Cluster cluster = mixed();
  LowerBound bound(compiled.script, cluster);
  CHECK_NOTHROW(bound(grid("16x16")));
  CHECK_THROWS_AS(bound(grid("16x17")), InputError);
}

}  // namespace gridcast::model::test
