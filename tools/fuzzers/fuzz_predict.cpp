/// Traces that can be read, predicted on a few grids: every one with total = productive + lost, or
/// refused with an error of one line.

#include <cmath>
#include <cstdio>
#include <string_view>

#include "fuzz.h"
#include "gridcast/compile/compile.h"
#include "gridcast/machine/cluster.h"
#include "gridcast/predict/predictor.h"
#include "gridcast/trace/program.h"

namespace {

using namespace gridcast;

constexpr std::string_view machine_text =
    "cluster = c; c = {2 x n, 3 x p}; c.CommType = myrinet (2); c.TStart = 7; c.TByte = 0.004;"
    "n = {2 x p}; n.CommType = transputer; n.TStart = 1; n.TByte = 0.001; p = 1;";

/// Clocks of the whole run limit what an interval's times can resolve.
void check(const model::Characteristics& c, const model::Characteristics& whole) {
  const double gap = std::abs(c.total_time - c.productive_time - c.lost_time);
  if (!(gap <= 1e-9 * (whole.total_time + std::abs(whole.productive_time)))) {
    std::fprintf(stderr, "total %g, productive %g, lost %g\n", c.total_time, c.productive_time,
                 c.lost_time);
    std::abort();
  }
}

}  // namespace

namespace gridcast::fuzz {

const bool of_lines = true;

bool use_input(const std::string& input) {
  static const machine::Cluster cluster = machine::Cluster::parse(machine_text, "fuzz.par");
  return accepted(input, [](const std::string& text) {
    const trace::Program program = trace::parse_program(text, "fuzz.ptr");
    const model::Compiled compiled = model::compile(program);
    model::Predictor predictor(compiled.script, cluster);
    for (const char* grid : {"1", "3", "2x2", "3x1x2"}) {
      const auto results = predictor.evaluate(machine::Grid::parse(grid));
      for (const model::Characteristics& c : results) {
        check(c, results.front());
      }
    }
  });
}

}  // namespace gridcast::fuzz
