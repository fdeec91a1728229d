#pragma once
/// Who sends how much to whom during a run.

#include "gridcast/explain/system.h"
#include "gridcast/rules/script.h"

namespace gridcast::model {

/// Messages of one run.
struct Traffic {
  std::vector<LevelUse> levels;
  std::vector<PairUse> pairs;
  double messages = 0.0;
  double bytes = 0.0;
  /// By the closed forms of pipelines: seconds that these loops take beyond their share of the
  /// work.
  double pipeline_fill = 0.0;
};

/// Counts what every operation of a script sends on a grid; `execution_time` is that of the run.
[[nodiscard]] Traffic count_traffic(const Script& script, const machine::Cluster& cluster,
                                    const machine::Grid& grid, const ModelOptions& options,
                                    double execution_time);

}  // namespace gridcast::model
