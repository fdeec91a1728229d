#pragma once
/// The outcome of predicting a program on one grid of one machine.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gridcast/base/words.h"
#include "gridcast/figures/characteristics.h"
#include "gridcast/figures/critical_path.h"
#include "gridcast/figures/losses.h"
#include "gridcast/machine/grid.h"
#include "gridcast/machine/nodes.h"
#include "gridcast/machine/placement.h"
#include "gridcast/trace/calls.h"
#include "gridcast/trace/program.h"

namespace gridcast::model {

/// Identity of an interval: the same for every grid (docs/model.md §2.9).
struct IntervalInfo {
  std::int32_t parent = -1;  ///< index of the enclosing interval; -1 for the program itself
  std::int32_t level = 0;
  trace::IntervalType type = trace::IntervalType::main;
  std::int64_t count = 1;  ///< how often it was entered
  std::string file;
  std::int64_t line = 0;
  std::optional<std::int64_t> expression;
};

/// An interval with its results. Intervals are listed depth-first, the whole program first.
struct IntervalResult {
  IntervalInfo info;
  Characteristics sums;
  /// Execution times predicted from times one standard deviation shorter and longer, seconds; only
  /// from traces that know the spread of several runs.
  std::optional<double> execution_time_low, execution_time_high;
  /// The part of the shadow times that loops with dependences cost (across_): synchronisation
  /// before them, old values and the pipeline itself. Sums over processors.
  OperationTimes pipelined;
  /// Time variation by kind of operation: how far apart processors complete it
  /// ([Forecasting §3]). Sums over processors; they add up to that of all kinds.
  TimesByKind time_variations{};
  std::vector<ProcessorTimes> per_processor;  ///< empty unless asked for
};

/// A prediction with everything a report shows.
struct Prediction {
  machine::Grid grid;
  std::int32_t threads = 1;  ///< of each process, on as many processors (docs/machines.md)
  /// Which coordinates of the grid are on which node; nothing if nobody asked: by row.
  std::optional<machine::Placement> placement;
  /// The nodes that hold the grid's processors, in the order in which it fills them; empty if
  /// prices leave open what a node is.
  std::vector<machine::NodeRun> nodes;
  std::string machine;              ///< name of the top cluster
  std::vector<std::string> traces;  ///< file names as given
  NamedWords assumed;  ///< options of the model that nobody gave (ResolvedOptions::assumed)
  std::vector<std::string> warnings;
  trace::Recording recording;  ///< what was taken off the times of the trace
  std::vector<IntervalResult> intervals;
  /// Bytes of arrays, edges and buffers on the fullest processor; nothing if not asked for.
  std::optional<double> memory_per_processor;
  std::optional<Losses> losses;               ///< by place and cause; nothing if not asked for
  std::optional<CriticalPath> critical_path;  ///< of free processes; nothing if not asked for
};

/// What of Prediction::assumed depends on the kind of input, "reduction=tree block-rule=balanced
/// ..."; empty if nothing of it was assumed.
[[nodiscard]] std::string assumed_text(const NamedWords& assumed);

}  // namespace gridcast::model
