#pragma once
/// A program on a machine as one parallel system: how many processors work at a time, what is busy
/// for how much of the time, who talks how much with whom (docs/analysis.md).

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gridcast/figures/characteristics.h"
#include "gridcast/machine/cluster.h"
#include "gridcast/machine/grid.h"
#include "gridcast/rules/options.h"
#include "gridcast/trace/program.h"

namespace gridcast::model {

/// Messages over the networks of one depth of the machine.
struct LevelUse {
  std::int64_t level = 0;     ///< 0: the network of the whole cluster
  std::int64_t networks = 0;  ///< instances that the grid has
  double messages = 0.0;
  double bytes = 0.0;
  double throughput = 0.0;  ///< bytes per second of the whole run
  /// Share of the run for which a channel (or a link, or a port) is taken: the mean over all of
  /// them, and that of the network with the largest.
  double utilisation = 0.0;
  double most_utilisation = 0.0;
  std::string medium;  ///< "channels", "links" or "ports"
};

/// Messages between two processors, both ways.
struct PairUse {
  std::uint32_t first = 0;
  std::uint32_t second = 0;
  std::int64_t level = 0;
  double messages = 0.0;
  double bytes = 0.0;
  double throughput = 0.0;  ///< bytes per second of the whole run
};

/// How often and how long the operations of one kind run.
struct OperationUse {
  std::string kind;
  std::int64_t count = 0;
  double frequency = 0.0;      ///< per second
  double communication = 0.0;  ///< seconds of all processors
  double overlap = 0.0;        ///< seconds of all processors
};

/// One run of a program on a machine as a parallel system; times are seconds.
struct SystemAnalysis {
  std::string trace;
  std::string machine;
  std::string grid;
  NamedWords assumed;  ///< model::ResolvedOptions::assumed, from the caller
  std::int64_t processors = 1;
  double execution_time = 0.0;  ///< seconds; the sums below are over processors
  double total_time = 0.0;
  double busy_time = 0.0;  ///< computing, library, input and output
  double communication = 0.0;
  double idle = 0.0;
  double overlap = 0.0;

  double mean_concurrency = 0.0;  ///< processors that work at a time
  double max_concurrency = 0.0;
  /// Processors that work from a time on, until the next one. Seconds.
  std::vector<std::pair<double, double>> concurrency;
  std::size_t samples = 0;  ///< points of the program between which work is taken for evenly spread
  bool every_call = false;  ///< the points are all calls

  double least_busy = 0.0;  ///< of a processor
  double most_busy = 0.0;
  double balance = 1.0;  ///< mean / most

  double processor_utilisation = 0.0;
  double communication_to_computation = 0.0;
  double overlap_degree = 0.0;  ///< part of the duration of communications that work hides

  std::vector<OperationUse> operations;
  std::vector<LevelUse> levels;
  std::vector<PairUse> pairs;  ///< those with the most bytes
};

/// Predicts the program and, to see what happens when, beginnings of it, up to `samples` of them.
/// Errors as compile and Predictor.
[[nodiscard]] SystemAnalysis analyse_system(const trace::Program& program,
                                            const machine::Cluster& cluster,
                                            const machine::Grid& grid, const ModelOptions& options,
                                            std::size_t samples = 400);

}  // namespace gridcast::model
