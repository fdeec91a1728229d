/// Predictions per second of both engines, beside each other: every program of configs/programs on
/// every kind of machine, from 16 to 1,048,576 processors. The engines take turns within a round,
/// so that a drift of the machine's speed hits both.
/// usage: gridcast_predictions CONFIGS [PROGRAM...]

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "gridcast/base/error.h"
#include "gridcast/compile/compile.h"
#include "gridcast/machine/cluster.h"
#include "gridcast/predict/predictor.h"
#include "gridcast/retrace/merge.h"
#include "gridcast/trace/program.h"

namespace {

using namespace gridcast;
namespace fs = std::filesystem;

constexpr std::int64_t most_processors = std::int64_t{1} << 20;
/// One prediction takes no longer than this, or is not made: seconds, as far as earlier ones tell.
constexpr double patience = 4.0;
/// Measured so long in a round, at least.
constexpr double round_seconds = 0.04;
/// The engines take turns, so that a busy moment of the machine is not all that one of them sees;
/// predictions that take a whole round are measured in one.
constexpr int rounds = 3;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Machine {
  std::string name;
  machine::Cluster cluster;
};

machine::Cluster flat(const std::string& type, const std::string& more = "") {
  return machine::Cluster::parse("cluster = c; c = {" + std::to_string(most_processors) +
                                     " x p}; c.CommType = " + type +
                                     "; c.TStart = 7; c.TByte = 0.004; p = 1; " + more,
                                 type);
}

machine::Cluster grown(const fs::path& file, const std::vector<std::string>& assignments) {
  machine::Cluster cluster = machine::Cluster::read(file);
  for (const std::string& assignment : assignments) {
    cluster.set(assignment);
  }
  return cluster;
}

std::vector<Machine> machines(const fs::path& configs) {
  return {{"one channel", flat("myrinet (1)")},
          {"8 channels", flat("myrinet (8)")},
          {"mvs15k", grown(configs / "mvs15k.par", {"mvs15k.Count=524288"})},
          {"bus", flat("ethernet")},
          {"links", flat("transputer")},
          {"cluster128x64", grown(configs / "../tests/data/channels/cluster128x64.par",
                                  {"cluster128x64.Count=16384"})},
          {"ports", flat("ports", "c.TSend = 1.2; c.TRecv = 1.1; c.TGap = 0.5;")},
          {"hdr128x2x32", grown(configs / "hdr128x2x32.par", {"hdr128x2x32.Count=16384"})},
          {"omnipath256x48", grown(configs / "omnipath256x48.par", {"omnipath256x48.Count=21846"})},
          {"heterogeneous", grown(configs / "../tests/data/channels/heterogeneous.par",
                                  {"new_node.Count=65536", "old_node.Count=32768"})}};
}

/// The grid of 4^k processors that is nearest to a cube.
machine::Grid even_grid(std::int64_t processors, int rank) {
  std::vector<std::int64_t> extents(static_cast<std::size_t>(rank), 1);
  for (std::size_t dim = 0; processors > 1; processors /= 2) {
    extents[dim] *= 2;
    dim = (dim + 1) % extents.size();
  }
  return machine::Grid(extents);
}

/// One engine on one program and machine, from size to size.
class Runner {
public:
  Runner(const model::Script& script, const machine::Cluster& cluster, model::EngineKind kind)
      : predictor_(script, cluster, options(kind)) {}

  /// Goes on to a grid.
  void begin(const machine::Grid& grid) {
    processors_ = static_cast<double>(grid.processors());
    gave_up_ = gave_up_ || expected() > patience;
    best_ = std::numeric_limits<double>::infinity();
  }

  /// One round, if it takes part.
  void measure(const machine::Grid& grid) {
    if (gave_up_ || (std::isfinite(best_) && best_ >= round_seconds)) {
      return;
    }
    double all = 0.0;
    for (int calls = 1; all < round_seconds; calls = std::min(2 * calls, 4096)) {
      const double begin = cpu_seconds();
      for (int call = 0; call < calls; ++call) {
        predictor_.evaluate(grid);
      }
      const double time = cpu_seconds() - begin;
      best_ = std::min(best_, time / calls);
      all += time;
    }
  }

  /// Seconds of a prediction on the grid; nothing if it would have taken too long.
  std::optional<double> finish() {
    if (gave_up_) {
      return std::nullopt;
    }
    exponent_ = before_ > 0.0
                    ? std::log(best_ / before_) / std::log(processors_ / before_processors_)
                    : 0.0;
    before_ = best_;
    before_processors_ = processors_;
    return best_;
  }

  /// Cost grew as processors to this power since the measurement before.
  [[nodiscard]] double exponent() const noexcept { return exponent_; }
  [[nodiscard]] const std::string& fallback() const noexcept { return predictor_.fallback(); }

private:
  static model::ModelOptions options(model::EngineKind kind) {
    model::ModelOptions options;
    options.engine = kind;
    return options;
  }

  [[nodiscard]] double expected() const {
    return before_ > 0.0 ? before_ * std::pow(processors_ / before_processors_,
                                              std::clamp(exponent_, 0.5, 2.0))
                         : 0.0;
  }

  model::Predictor predictor_;
  double processors_ = 1.0, best_ = 0.0;
  double before_ = 0.0, before_processors_ = 1.0, exponent_ = 0.0;
  bool gave_up_ = false;
};

std::string per_second(std::optional<double> seconds) {
  return seconds ? fmt::format("{:.4g}", 1.0 / *seconds) : "-";
}

void compare(const std::string& program, const model::Script& script, const Machine& machine) {
  Runner fast(script, machine.cluster, model::EngineKind::fast);
  Runner reference(script, machine.cluster, model::EngineKind::reference);
  double first = 0.0;
  for (std::int64_t processors = 16; processors <= most_processors; processors *= 16) {
    const machine::Grid grid = even_grid(processors, script.header().grid_rank);
    fast.begin(grid);
    reference.begin(grid);
    for (int round = 0; round < rounds; ++round) {
      fast.measure(grid);
      reference.measure(grid);
    }
    const std::optional<double> ours = fast.finish();
    const std::optional<double> theirs = reference.finish();
    const bool both = ours && theirs;
    const std::string ratio = both ? fmt::format("{:.1f}", *theirs / *ours) : "-";
    const bool grows = ours && processors > 16;
    first = processors == 256 && ours ? *ours : first;
    const bool later = ours && processors > 256 && first > 0.0;
    fmt::print("{:<12} {:<14} {:>9} {:<12} {:>10} {:>10} {:>7} {:>6} {:>9}  {}\n", program,
               machine.name, processors, grid.text(), per_second(ours), per_second(theirs), ratio,
               grows ? fmt::format("{:.2f}", fast.exponent()) : "-",
               later ? fmt::format("{:.2f}", *ours / first) : "-", ours ? fast.fallback() : "");
    std::fflush(stdout);
  }
}

int run(const fs::path& configs, std::vector<std::string> programs) {
  if (programs.empty()) {
    for (const auto& entry : fs::directory_iterator(configs / "programs")) {
      programs.push_back(entry.path().stem());
    }
    std::sort(programs.begin(), programs.end());
  }
  const std::vector<Machine> all = machines(configs);
  fmt::print("{:<12} {:<14} {:>9} {:<12} {:>10} {:>10} {:>7} {:>6} {:>9}  {}\n", "program",
             "machine", "P", "grid", "by class/s", "by each/s", "ratio", "growth", "cost/256",
             "processor by processor because of");
  for (const std::string& program : programs) {
    const fs::path description = configs / "programs" / (program + ".toml");
    const model::Compiled compiled = model::compile(trace::read_run({&description, 1}));
    for (const Machine& machine : all) {
      compare(program, compiled.script, machine);
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc < 2) {
      throw InputError("no folder", "usage: gridcast_predictions CONFIGS [PROGRAM...]");
    }
    return run(argv[1], {argv + 2, argv + argc});
  } catch (const std::exception& error) {
    fmt::print(stderr, "gridcast_predictions: {}\n", error.what());
    return 1;
  }
}
