#include <catch2/catch.hpp>
#include <memory>
#include <numeric>
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
                                Interval::program);
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

TEST_CASE("a run that no numbers explain does not count and is named") {
  const auto machine_with = [](const std::string& start) {
    return machine::Cluster::parse("cluster = c;\nc = {16 x p};\nc.CommType = ports;\nc.TStart = " +
                                       start + ";\nc.TByte = 0.001;\np = 1;\n",
                                   "c.par");
  };
  Measured measured;
  measured.file = "runs.csv";
  const std::string file = "c_jac2d_8_e1.ptr";
  for (const char* grid : {"2", "4", "8", "16", "1x2", "2x2", "4x2", "8x2", "1x4", "2x4", "4x4"}) {
    measured.runs.push_back({file, machine::Grid::parse(grid), 1.0, 2});
  }
  const auto experiments_on = [&](const std::string& start) {
    return Experiments(machine_with(start), {recorded_program(file)}, std::vector{measured},
                       Interval::program);
  };
  std::vector<std::size_t> rows(measured.runs.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  const std::vector<double> really =
      experiments_on("500").predict(machine_with("500"), std::nullopt, rows);
  for (const std::size_t row : rows) {
    measured.runs[row].seconds = row == 5 ? 0.6 * really[row] : really[row];
  }
  const Experiments experiments = experiments_on("100");
  const std::vector<Wish> wishes{Wish::parse("c.TStart")};
  const auto parameters = parameters_of(experiments.cluster(), wishes, experiments.processors());
  FitOptions options;
  const auto quiet = [](const std::string&) {};
  const Calibration found = calibrate(experiments, parameters, options, quiet);
  CHECK(found.let_go == std::vector<std::size_t>{5});
  CHECK(found.values[0] == Approx(500.0).epsilon(1e-6));
  CHECK(found.errors_after.worst == Approx(1.0 / 0.6 - 1.0).epsilon(1e-6));
  const std::string said =
      "c_jac2d_8_e1.ptr 2x2 does not count: it took 40 % less than these numbers explain";
  CHECK(text_of(found, experiments, false).find(said) != std::string::npos);
  CHECK(found.machine_text.find("// " + said) != std::string::npos);
  CHECK(found.errors_left_out.count == 11);
  // The width of the loss, where it is given, says what counts how much.
  options.loss_width = 0.3;
  CHECK(calibrate(experiments, parameters, options, quiet).let_go.empty());
}

TEST_CASE("the time of copying comes out of times of a program that redistributes") {
  const auto machine_with = [](const std::string& copy) {
    return machine::Cluster::parse(
        "cluster = c;\nc = {16 x p};\nc.CommType = ports;\nc.TStart = "
        "1;\nc.TByte = 0.001;\nc.TCopy = " +
            copy + ";\np = 1;\n",
        "c.par");
  };
  Measured measured;
  measured.file = "runs.csv";
  const std::string file = "c_redist_100_e4.ptr";
  for (const char* grid : {"2", "3", "4", "5", "8", "16"}) {
    measured.runs.push_back({file, machine::Grid::parse(grid), 1.0, 2});
  }
  const auto experiments_on = [&](const std::string& copy) {
    return Experiments(machine_with(copy), {recorded_program(file)}, std::vector{measured},
                       Interval::program);
  };
  std::vector<std::size_t> rows(measured.runs.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  const std::vector<double> really =
      experiments_on("0.003").predict(machine_with("0.003"), std::nullopt, rows);
  for (const std::size_t row : rows) {
    measured.runs[row].seconds = really[row];
  }
  const Experiments experiments = experiments_on("0.0005");
  const std::vector<Wish> wishes{Wish::parse("c.TCopy")};
  const auto parameters = parameters_of(experiments.cluster(), wishes, experiments.processors());
  const Calibration found = calibrate(experiments, parameters, {}, [](const std::string&) {});
  CHECK(found.values[0] == Approx(0.003).epsilon(1e-6));
}

}  // namespace gridcast::calibrate::test
