#pragma once
/// What an evaluation costs, learnt from measured ones.

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "gridcast/evaluate/task.h"

namespace gridcast::sweep {

/// Seconds per class of processors (powers of two), because that is what the cost of a prediction
/// mostly depends on.
class CostModel {
public:
  /// The tasks were evaluated in `seconds` altogether; a negative number or NaN says nothing.
  void learn(std::span<const Task> tasks, double seconds);

  /// Expected seconds; empty while nothing has been learnt. Beyond the measured classes the cost is
  /// taken to grow with the number of processors.
  [[nodiscard]] std::optional<double> estimate(const machine::Grid& grid) const;

  /// Grids are alike in cost if their numbers of processors have the same number of binary digits.
  static constexpr std::size_t classes = 32;
  [[nodiscard]] static std::size_t class_of(const machine::Grid& grid) noexcept;

private:
  std::array<double, classes> seconds_{};  ///< 0: not known
};

}  // namespace gridcast::sweep
