#pragma once
/// An exact search in this process alone, for machines that are tried by the dozen.

#include <vector>

#include "gridcast/bound/box_bound.h"
#include "gridcast/machine/cluster.h"
#include "gridcast/predict/predictor.h"
#include "gridcast/search/strategy.h"

namespace gridcast::sweep {

/// Searches and predictions of one program on one machine.
class LocalSearch {
public:
  /// `script` must outlive the search.
  LocalSearch(const model::Script& script, machine::Cluster cluster,
              const model::ModelOptions& options);
  LocalSearch(const LocalSearch&) = delete;
  LocalSearch& operator=(const LocalSearch&) = delete;
  ~LocalSearch() = default;

  /// The first `keep` of all grids of the space, proven by bounds. A grid that cannot be predicted
  /// is out.
  [[nodiscard]] std::vector<search::Outcome> best(const search::SearchSpace& space,
                                                  const search::Goal& goal, std::size_t keep);

  [[nodiscard]] search::Outcome evaluate(const machine::Grid& grid);

  [[nodiscard]] std::uint64_t predictions() const noexcept { return predictions_; }

private:
  machine::Cluster cluster_;
  model::Predictor predictor_;
  model::BoxBound bound_;
  std::uint64_t predictions_ = 0;
};

}  // namespace gridcast::sweep
