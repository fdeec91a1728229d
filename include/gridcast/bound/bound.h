#pragma once
/// Bounds of the predicted execution time and efficiency, for the exact search (docs/search.md,
/// "Lower bound").

#include <memory>
#include <optional>

#include "gridcast/machine/cluster.h"
#include "gridcast/machine/grid.h"
#include "gridcast/rules/options.h"
#include "gridcast/rules/script.h"

namespace gridcast::model {

/// Bounds the execution times of one program on one machine. Much cheaper than a prediction: its
/// cost hardly depends on the number of processors unless the program runs tasks or the processors
/// are unequal. With extrapolated iterations it counts their computation only and is rather low.
/// Not for use by two threads at a time.
class LowerBound {
public:
  /// `script` and `cluster` must outlive the bound; `options` are those of the predictions.
  LowerBound(const Script& script, const machine::Cluster& cluster,
             const ModelOptions& options = {});
  ~LowerBound();
  LowerBound(LowerBound&&) noexcept;
  LowerBound& operator=(LowerBound&&) noexcept;

  /// Seconds; never above Predictor::evaluate(grid)'s execution time of the whole program. Throws
  /// InputError if the cluster is too small for the grid.
  double operator()(const machine::Grid& grid);

  /// The same by other means, as dear as a good part of a prediction and mostly closer: for grids
  /// that the first bound does not exclude.
  double thorough(const machine::Grid& grid);

  /// Never below the predicted efficiency of the whole program; may be more than 1 or infinite.
  double efficiency(const machine::Grid& grid);
  /// The same with thorough().
  double thorough_efficiency(const machine::Grid& grid);

  /// A grid with fewer processors whose predicted execution time is never above that of `grid`,
  /// after rounding too, if one is known: the same blocks without processors that stay empty.
  /// Throws InputError if the cluster is too small for the grid.
  std::optional<machine::Grid> no_slower(const machine::Grid& grid);

private:
  class Walk;
  std::unique_ptr<Walk> walk_;
  std::unique_ptr<Walk> thorough_;
};

}  // namespace gridcast::model
