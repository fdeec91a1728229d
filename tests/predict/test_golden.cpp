// Figures of the Jacobi programs that an independent program computed from the model.

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "fixture.h"
#include "gridcast/compile/compile.h"

namespace gridcast::model::test {
namespace {

std::map<std::string, double> figures(const Characteristics& c) {
  return {{"execution_time", c.execution_time},
          {"total_time", c.total_time},
          {"efficiency", c.efficiency},
          {"productive_time", c.productive_time},
          {"productive_cpu_time", c.productive_cpu_time},
          {"productive_sys_time", c.productive_sys_time},
          {"io_time", c.io_time},
          {"insufficient_parallelism_usr", c.insufficient_parallelism_usr},
          {"insufficient_parallelism_sys", c.insufficient_parallelism_sys},
          {"communication", c.communication},
          {"idle", c.idle},
          {"overlap", c.overlap},
          {"synchronization", c.synchronization},
          {"shadow_communication", c.operations[2].communication},
          {"reduction_communication", c.operations[1].communication}};
}

machine::Cluster machine_named(const std::string& name) {
  if (name == "two_level") {
    return two_level();
  }
  return name == "bus"          ? flat("ethernet", 75.0, 0.2)
         : name == "transputer" ? flat("transputer", 9.0, 0.0125)
         : name == "myrinet1"   ? flat("myrinet (1)", 7.0, 0.004)
                                : flat("myrinet (4)", 7.0, 0.004);
}

}  // namespace

TEST_CASE("golden figures of the Jacobi programs") {
  std::ifstream file(data("golden_jacobi.json"));
  const nlohmann::json golden = nlohmann::json::parse(file);
  std::map<std::string, Compiled> programs;
  std::size_t cases = 0;
  std::size_t checked = 0;
  for (const auto& expected : golden.at("cases")) {
    const std::string trace = expected.at("trace");
    const std::string machine = expected.at("machine");
    const std::string on = expected.at("grid");
    CAPTURE(trace, machine, on);
    if (!programs.contains(trace)) {
      programs.emplace(trace, compile(trace::read_program(data(trace))));
      REQUIRE(programs.at(trace).warnings.empty());
    }
    const machine::Cluster cluster = machine_named(machine);
    Predictor predictor(programs.at(trace).script, cluster);
    const Characteristics result = predictor.evaluate(grid(on)).front();
    const double execution = expected.at("execution_time");
    for (const auto& [name, value] : figures(result)) {
      CAPTURE(name);
      // Efficiency is a quotient: 1e-9 of its own scale, which is 1.
      const double scale = name == "efficiency" ? 1.0 : execution;
      CHECK(close(value, expected.at(name).get<double>(), 1e-9, scale));
      ++checked;
    }
    CHECK(result.operation_counts[0] == expected.at("operations").at("io"));
    CHECK(result.operation_counts[1] == expected.at("operations").at("reduction"));
    CHECK(result.operation_counts[2] == expected.at("operations").at("shadow"));
    ++cases;
  }
  CHECK(cases == 120);
  CHECK(checked == cases * 15);
}

}  // namespace gridcast::model::test
