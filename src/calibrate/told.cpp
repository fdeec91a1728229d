#include "told.h"

#include <Eigen/SVD>
#include <algorithm>
#include <array>
#include <cmath>

namespace gridcast::calibrate {
namespace {

/// Measured times are never taken for more exact than this part of themselves: files hold them with
/// so many digits.
constexpr double least_noise = 1e-6;

std::size_t degrees_of_freedom(std::size_t rows, std::size_t fitted) {
  return rows > fitted ? rows - fitted : 1;
}

/// Variance of the residuals.
double variance(double cost, std::size_t rows, std::size_t fitted) {
  return 2.0 * cost / static_cast<double>(degrees_of_freedom(rows, fitted)) +
         least_noise * least_noise;
}

}  // namespace

double student_97_5(std::size_t freedom) {
  constexpr std::array<double, 10> few{12.706, 4.303, 3.182, 2.776, 2.571,
                                       2.447,  2.365, 2.306, 2.262, 2.228};
  if (freedom <= few.size()) {
    return few.at(std::max<std::size_t>(freedom, 1) - 1);
  }
  // First terms of the expansion in 1 / freedom (Abramowitz and Stegun 26.7.5).
  constexpr double normal = 1.959964;
  const double inverse = 1.0 / static_cast<double>(freedom);
  return normal + (2.372 + 2.82 * inverse) * inverse;
}

bool significantly_worse(double worse, double better, std::size_t rows, std::size_t fitted) {
  const double limit = student_97_5(degrees_of_freedom(rows, fitted));
  return 2.0 * (worse - better) > limit * limit * variance(better, rows, fitted);
}

Spread spread_of(const Reduced& reduced, const Solution& solution) {
  Eigen::MatrixXd slopes = sensitivities(reduced, solution.point);
  const Eigen::VectorXd at = residuals(reduced, solution.point);
  for (Eigen::Index row = 0; row < at.size(); ++row) {
    const double size = std::abs(at[row]);
    if (size > reduced.loss_width) {
      slopes.row(row) *= reduced.loss_width / size;
    }
  }
  const auto count = slopes.cols();
  const Eigen::JacobiSVD<Eigen::MatrixXd> parts(slopes, Eigen::ComputeFullV);
  // What a direction changes less than the noise of a double is not changed at all.
  constexpr double nothing = 1e-9;
  Eigen::VectorXd inverse = Eigen::VectorXd::Constant(count, 1.0 / nothing);
  for (Eigen::Index i = 0; i < parts.singularValues().size(); ++i) {
    inverse[i] = 1.0 / std::max(parts.singularValues()[i], nothing);
  }
  const Eigen::MatrixXd roots = parts.matrixV() * inverse.asDiagonal();
  const Eigen::MatrixXd covariance = roots * roots.transpose();
  const Eigen::VectorXd deviation = covariance.diagonal().cwiseSqrt();
  const auto rows = static_cast<std::size_t>(slopes.rows());
  const auto fitted = static_cast<std::size_t>(count);
  const double factor = student_97_5(degrees_of_freedom(rows, fitted)) *
                        std::sqrt(variance(solution.cost, rows, fitted));
  return {factor * deviation, deviation.cwiseInverse().asDiagonal() * covariance *
                                  deviation.cwiseInverse().asDiagonal()};
}

}  // namespace gridcast::calibrate
