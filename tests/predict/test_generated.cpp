/// Whatever `trace generate` accepts, the reader reads and the model predicts; what it does not
/// accept is an error with the file and a line of the description.

#include <catch2/catch.hpp>
#include <cstdlib>
#include <sstream>
#include <string>

#include "descriptions.h"
#include "gridcast/base/error.h"
#include "gridcast/compile/compile.h"
#include "gridcast/machine/cluster.h"
#include "gridcast/predict/predictor.h"
#include "gridcast/retrace/generate.h"
#include "gridcast/trace/program.h"

using namespace gridcast;
using namespace gridcast::model;
using namespace gridcast::model::test;

namespace {

constexpr std::string_view generated_machine =
    "cluster = c; c = {2 x n, 3 x p}; c.CommType = myrinet (2); c.TStart = 7; c.TByte = 0.004;"
    "n = {2 x p}; n.CommType = transputer; n.TStart = 1; n.TByte = 0.001; p = 1;";

/// Reads and predicts on several grids; the message of what refuses it, empty if nothing does.
std::string refusal_of(const std::string& trace, const machine::Cluster& cluster) {
  try {
    const trace::Program program = trace::parse_program(trace, "generated.ptr");
    const Compiled compiled = compile(program);
    Predictor predictor(compiled.script, cluster);
    for (const char* grid : {"1", "3", "2x2", "3x1x2"}) {
      static_cast<void>(predictor.evaluate(machine::Grid::parse(grid)));
    }
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("what a description may say, the reader reads and the model predicts") {
  const machine::Cluster cluster = machine::Cluster::parse(generated_machine, "generated.par");
  const char* const more = std::getenv("GRIDCAST_DESCRIPTIONS");
  const std::uint32_t count = more != nullptr ? static_cast<std::uint32_t>(std::atoi(more)) : 2000;
  std::uint32_t accepted = 0;
  for (std::uint32_t seed = 0; seed < count; ++seed) {
    const std::string description = RandomDescription(seed).make(seed % 3 == 0 ? 0 : 25);
    std::ostringstream out;
    try {
      trace::generate_trace(description, "random.toml", out);
    } catch (const InputError& error) {
      INFO("seed " << seed << "\n" << description);
      CHECK_THAT(error.what(), Catch::Matchers::StartsWith("random.toml:"));
      CHECK(error.line() > 0);
      continue;
    }
    ++accepted;
    const std::string refusal = refusal_of(out.str(), cluster);
    if (!refusal.empty()) {
      INFO("seed " << seed << "\n" << description);
      CHECK(refusal == "");
    }
  }
  CHECK(accepted > count / 4);
}
