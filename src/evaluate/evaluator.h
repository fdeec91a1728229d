#pragma once
/// Evaluates grids with the model.

#include <optional>
#include <vector>

#include "gridcast/evaluate/results.h"
#include "gridcast/machine/cluster.h"
#include "gridcast/predict/predictor.h"
#include "gridcast/rules/script.h"
#include "gridcast/search/evenness.h"

namespace gridcast::sweep {

/// Extents of the reference array along the dimensions of the grid; 0 where it is not split.
[[nodiscard]] std::vector<std::int64_t> reference_extents(const model::Script& script);

/// Predicts grids on the ranks that evaluate.
class Evaluator {
public:
  /// `script` and `cluster` must outlive the evaluator. Grids have the threads of the processes
  /// that the cluster is seen by (Cluster::with_threads). With `intervals` every row comes with the
  /// results of all intervals.
  Evaluator(const model::Script& script, const machine::Cluster& cluster,
            const model::ModelOptions& options, bool intervals);

  /// Appends the row of the grid, or nothing if it is told to give up. What the prediction throws
  /// becomes a failed row with its reason; want of memory is told from what would fail every time.
  void operator()(const machine::Grid& grid, Results& results);

private:
  void fail(const machine::Grid& grid, double evenness, Reason reason, Results& results);

  const model::Script* script_;
  const machine::Cluster* cluster_;
  model::ModelOptions options_;
  std::optional<model::Predictor> predictor_;  ///< nothing: the last one ran out of memory
  std::vector<std::int64_t> extents_;
  mapping::BlockRule rule_;
  std::size_t intervals_;  ///< stored per row
};

}  // namespace gridcast::sweep
