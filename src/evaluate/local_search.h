#pragma once
/// Searches in this process alone.

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "gridcast/evaluate/bounds.h"
#include "gridcast/machine/cluster.h"
#include "gridcast/machine/threads.h"
#include "gridcast/predict/predictor.h"
#include "gridcast/search/strategy.h"

namespace gridcast::sweep {

/// Searches and predictions of one program on one machine.
class LocalSearch {
public:
  /// `clusters`: for the numbers of threads of the spaces. `margin`: of searches over free
  /// processes (docs/search.md). `script` and `spaces` must outlive the search.
  LocalSearch(const model::Script& script, machine::ThreadedClusters clusters,
              std::span<const search::SearchSpace> spaces, const model::ModelOptions& options,
              double margin);
  LocalSearch(const LocalSearch&) = delete;
  LocalSearch& operator=(const LocalSearch&) = delete;
  ~LocalSearch() = default;

  /// Evaluates and bounds what the strategy asks for until it is finished, or `go_on`, asked after
  /// each grid, is false. Returns true if it is finished. A grid that cannot be predicted fails.
  bool run(search::Strategy& strategy, const std::function<bool()>& go_on = {});

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

  std::span<const search::SearchSpace> spaces_;
  machine::ThreadedClusters clusters_;
  std::vector<std::unique_ptr<Knower>> knowers_;
  std::uint64_t predictions_ = 0;
};

}  // namespace gridcast::sweep
