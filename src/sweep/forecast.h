#pragma once
/// How much work is left of a run whose grids are known beforehand.

#include <array>
#include <optional>
#include <span>

#include "gridcast/evaluate/task.h"
#include "gridcast/farm/cost_model.h"

namespace gridcast::sweep {

/// Grids per class of processors (CostModel::class_of); a data set expects fractions of them.
using GridCounts = std::array<double, CostModel::classes>;

/// What is left to be evaluated, by class, times what an evaluation of that class costs: the grids
/// that come last are the largest, and cost more than those evaluated so far. Costs are means over
/// all evaluations of a class, because single ones differ by an order of magnitude; CostModel,
/// which follows the last ones, is for batches and leases.
class Forecast {
public:
  Forecast() = default;
  explicit Forecast(const GridCounts& grids) : left_(grids) {}

  /// A grid has its result, from this run or an earlier one.
  void done(const machine::Grid& grid) noexcept;

  /// These tasks were evaluated in `seconds` by one process.
  void learn(std::span<const Task> tasks, double seconds);

  /// Seconds that one process needs for what is left; empty while nothing is known about costs.
  [[nodiscard]] std::optional<double> work_left() const;

  /// Seconds of all processes so far.
  [[nodiscard]] double work_done() const noexcept { return work_done_; }

private:
  [[nodiscard]] std::optional<double> cost(std::size_t number) const;
  [[nodiscard]] double growth(std::size_t number) const;

  GridCounts left_{};
  GridCounts evaluated_{};  ///< by this run
  GridCounts seconds_{};    ///< that those took
  double work_done_ = 0.0;
};

}  // namespace gridcast::sweep
