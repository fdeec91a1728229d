#pragma once
/// The continuous part of a fit: bounded robust least squares from one starting point.

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <vector>

#include "gridcast/calibrate/fit.h"

namespace gridcast::calibrate {

/// A problem reduced to some of its rows and free numbers.
struct Reduced {
  const FitProblem* problem = nullptr;
  std::span<const std::size_t> rows;
  std::vector<std::size_t> free;  ///< numbers to be fitted; the others stay as the point has them
  double loss_width = 0.3;
};

/// A point and how badly it fits.
struct Solution {
  Point point;
  double cost = 0.0;  ///< half of the sum of losses
};

/// Relative residuals predicted / measured - 1 of the rows, by their weights.
[[nodiscard]] Eigen::VectorXd residuals(const Reduced& reduced, const Point& point);

/// Half of the sum of Huber's losses of the residuals.
[[nodiscard]] double cost_of(const Eigen::VectorXd& residuals, double loss_width);

/// Change of the residuals per change of a free number by its unit(), by differences away from the
/// nearer bound.
[[nodiscard]] Eigen::MatrixXd sensitivities(const Reduced& reduced, const Point& point);

/// The size of a number in which its changes are measured: its value or, near 0, a part of its
/// scale.
[[nodiscard]] double unit(const Number& number, double value);

/// The nearest minimum of the cost (trust region with bounds).
[[nodiscard]] Solution minimize(const Reduced& reduced, const Point& start);

}  // namespace gridcast::calibrate
