#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "gridcast/calibrate/calibration.h"
#include "gridcast/calibrate/experiments.h"
#include "gridcast/compile/compile.h"
#include "gridcast/machine/cluster.h"
#include "gridcast/trace/program.h"

namespace gridcast::calibrate::test {
namespace {

/// A program whose event lines are said to have taken 2 µs each.
CalibratedProgram recorded_program(const std::string& file) {
  const auto script = std::make_shared<const model::Script>(
      model::compile(trace::read_program(GRIDCAST_SOURCE_DIR "/tests/data/" + file)).script);
  return {file, script, [script](double) { return script; }, 2e-6};
}

}  // namespace

TEST_CASE("what is left out are measured times, not what is known of event lines") {
  const machine::Cluster cluster = machine::Cluster::parse(
      "cluster = c;\nc = {2 x p};\nc.CommType = ports;\nc.TStart = 1;\nc.TByte = 0.001;\np = 1;\n",
      "c.par");
  Measured measured;
  measured.file = "runs.csv";
  const std::vector<std::string> files{"c_jac2d_8_e1.ptr", "c_acopy_100.ptr", "c_gausswb_10.ptr"};
  std::vector<CalibratedProgram> programs;
  for (const std::string& file : files) {
    programs.push_back(recorded_program(file));
    measured.runs.push_back({file, machine::Grid::parse("1"), 1e-3, 2});
    measured.runs.push_back({file, machine::Grid::parse("2"), 2e-3, 3});
  }
  const Experiments experiments(cluster, std::move(programs), std::vector{measured},
                                model::ModelOptions(), Interval::program);
  const std::vector<Wish> wishes{Wish::parse("c.TStart"), Wish::parse(trace_cost_name)};
  const auto parameters = parameters_of(cluster, wishes, experiments.processors());
  FitOptions options;
  options.starts = 1;
  const FitProblem problem = experiments.problem(parameters);
  REQUIRE(problem.measured.size() == 6 + 3);  // event lines of three programs
  const Calibration found = calibrate(experiments, parameters, options, [](const std::string&) {});
  CHECK(found.before.size() == 6);
  CHECK(found.after.size() == 6);
  CHECK(found.left_out.size() == 6);
  CHECK(found.errors_left_out.count == 6);
}

}  // namespace gridcast::calibrate::test
