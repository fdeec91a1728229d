#pragma once
/// An exact search in this process alone, for machines that are tried by the dozen.

#include <memory>
#include <vector>

#include "bounds.h"
#include "gridcast/machine/cluster.h"
#include "gridcast/machine/threads.h"
#include "gridcast/predict/predictor.h"
#include "gridcast/search/strategy.h"
#include "gridcast/sweep/robustness.h"

namespace gridcast::sweep {

/// Searches and predictions of one program on one machine.
class LocalSearch {
public:
  /// `script` and `question` must outlive the search.
  LocalSearch(const model::Script& script, const machine::Cluster& cluster,
              const RobustnessQuestion& question);
  LocalSearch(const LocalSearch&) = delete;
  LocalSearch& operator=(const LocalSearch&) = delete;
  ~LocalSearch() = default;

  /// The first `keep` of all candidates, proven by bounds. A grid that cannot be predicted is out.
  [[nodiscard]] std::vector<search::Outcome> best(std::size_t keep);

  [[nodiscard]] search::Outcome evaluate(const machine::Grid& grid);

  [[nodiscard]] std::uint64_t predictions() const noexcept { return predictions_; }

private:
  /// Knows grids of one number of threads.
  struct Knower {
    model::Predictor predictor;
    GridBounds bounds;
  };
  [[nodiscard]] Knower& knower_of(std::int32_t threads) {
    return *knowers_[clusters_.place_of(threads)];
  }

  const RobustnessQuestion* question_;
  machine::ThreadedClusters clusters_;
  std::vector<std::unique_ptr<Knower>> knowers_;
  std::uint64_t predictions_ = 0;
};

}  // namespace gridcast::sweep
