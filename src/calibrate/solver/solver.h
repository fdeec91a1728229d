#pragma once
/// What libgridcast-solver.so does: it brings Ceres, which nothing else needs, and is loaded when a
/// fit begins.

#include <functional>
#include <vector>

namespace gridcast::calibrate {

/// Half of the sum of squares of the residuals is to become least within the bounds.
struct BoundedLeastSquares {
  std::vector<double> start, lower, upper;  ///< of each number
  int residuals = 0;
  /// Writes the residuals at a point and, unless null, their derivatives, a row per residual.
  std::function<void(const double* point, double* residuals, double* derivatives)> evaluate;
};

}  // namespace gridcast::calibrate

/// Writes the nearest minimum, one value per number.
extern "C" void gridcast_solve(const gridcast::calibrate::BoundedLeastSquares& problem,
                               double* minimum);
