#pragma once
/// What measured times tell: whether one fit is significantly worse than another, and how far a
/// number may move before it is.

#include <Eigen/Core>
#include <cstddef>
#include <vector>

#include "least_squares.h"

namespace gridcast::calibrate {

/// Student's t: 97.5 % of the distribution with `freedom` degrees of freedom lie below.
[[nodiscard]] double student_97_5(std::size_t freedom);

/// Whether a fit of cost `worse` is worse than one of cost `better` by more than chance gives in
/// one of twenty cases (F test of one number with rows - fitted degrees of freedom).
[[nodiscard]] bool significantly_worse(double worse, double better, std::size_t rows,
                                       std::size_t fitted);

/// The free numbers of a solution.
struct Spread {
  Eigen::VectorXd uncertainty;  ///< half of the 95 % interval, in units of unit()
  Eigen::MatrixXd correlation;  ///< between each two
};

/// From the Jacobian at a solution.
[[nodiscard]] Spread spread_of(const Reduced& reduced, const Solution& solution);

}  // namespace gridcast::calibrate
