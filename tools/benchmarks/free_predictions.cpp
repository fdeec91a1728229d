/// Predictions of processes that run free: messages per second of halos, flat and on nodes, and
/// seconds of a Jacobi program.
/// usage: free_predictions CONFIGS

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>

#include "gridcast/base/error.h"
#include "gridcast/compile/compile.h"
#include "gridcast/machine/cluster.h"
#include "gridcast/predict/predictor.h"
#include "gridcast/retrace/generate.h"
#include "gridcast/retrace/merge.h"
#include "gridcast/trace/program.h"

namespace {

using namespace gridcast;
namespace fs = std::filesystem;

constexpr int rounds = 3;
constexpr std::int64_t side = 32;  // of the grid
constexpr std::int64_t iterations = 20;

/// Blocks differ in size, so that processes do not march in step.
constexpr std::string_view halo = R"(
[parameters]
n = 1000
iterations = 20
[[array]]
name = "A"
extents = ["n", "n"]
shadow = 1
distribute = ["block", "block"]
[[do]]
repeat = "iterations"
  [[do.do]]
  loop = ["i = 1 : n-2", "j = 1 : n-2"]
  on = "A[i, j]"
  time = "1.5e-9"
  [[do.do]]
  exchange = ["A"]
)";

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

machine::Cluster machine_of(const std::string& text) {
  const std::string costs =
      "c.CommType = ports; c.TStart = 2; c.TByte = 0.0001; c.TSend = 0.4; c.TRecv = 0.4;"
      "c.TGap = 0.1; p = 1;";
  return machine::Cluster::parse("cluster = c; " + text + costs, "free.par");
}

/// Seconds of a prediction on side x side processes, the best of some.
double seconds(const model::Script& script, const machine::Cluster& cluster) {
  model::ModelOptions options;
  options.processes = model::ProcessKind::free;
  options.reduction = model::ReductionKind::automatic;
  options.block_rule = mapping::BlockRule::balanced;
  model::Predictor predictor(script, cluster, options);
  double best = 0.0;
  for (int round = 0; round < rounds; ++round) {
    const double begin = cpu_seconds();
    predictor.evaluate(machine::Grid(std::vector<std::int64_t>{side, side}));
    const double time = cpu_seconds() - begin;
    best = round == 0 ? time : std::min(best, time);
  }
  return best;
}

void run(const fs::path& configs) {
  const machine::Cluster flat = machine_of("c = {1024 x p};");
  const machine::Cluster nodes = machine_of(
      "n = {16 x p}; n.IsNode = yes; n.CommType = ports; n.TStart = 0.5; n.TByte = 0.0001;"
      "n.TSend = 0.2; n.TRecv = 0.2; c = {64 x n};");
  std::ostringstream trace;
  trace::generate_trace(halo, "halo.toml", trace);
  const model::Compiled halos = model::compile(trace::parse_program(trace.view(), "halo.toml"));
  constexpr double messages = 4.0 * side * (side - 1) * iterations;
  fmt::print("halo on {0}x{0} flat: {1:.2f} million messages per second\n", side,
             1e-6 * messages / seconds(halos.script, flat));
  fmt::print("halo on {0}x{0} over 64 nodes: {1:.2f} million messages per second\n", side,
             1e-6 * messages / seconds(halos.script, nodes));
  const fs::path description = configs / "programs" / "jacobi2d.toml";
  const model::Compiled jacobi = model::compile(trace::read_run(
      {&description, 1}, {}, {{"n", "3200"}, {"iterations", std::to_string(iterations)}}));
  fmt::print("jacobi2d, {1} iterations on {0}x{0} flat: {2:.3f} s\n", side, iterations,
             seconds(jacobi.script, flat));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 2) {
      throw InputError("no folder", "usage: free_predictions CONFIGS");
    }
    run(argv[1]);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "free_predictions: {}\n", error.what());
    return 1;
  }
}
