#pragma once
/// A lower bound of the predicted execution time, for the exact search (docs/search.md, "Lower
/// bound").

#include <memory>

#include "gridcast/machine/cluster.h"
#include "gridcast/machine/grid.h"
#include "gridcast/model/options.h"
#include "gridcast/model/script.h"

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

private:
  class Walk;
  std::unique_ptr<Walk> walk_;
};

}  // namespace gridcast::model
