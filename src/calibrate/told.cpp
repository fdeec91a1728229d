#include "told.h"

#include <Eigen/SVD>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <vector>

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

/// Variance of each residual: that of its kind, where there are some of it.
Eigen::VectorXd variances(const Reduced& reduced, const Solution& solution) {
  constexpr std::size_t some = 6;
  const Eigen::VectorXd at = residuals(reduced, solution.point);
  std::map<std::size_t, std::vector<Eigen::Index>> places;
  for (std::size_t i = 0; i < reduced.rows.size(); ++i) {
    places[kind_of(*reduced.problem, reduced.rows[i])].push_back(static_cast<Eigen::Index>(i));
  }
  const double rows = static_cast<double>(reduced.rows.size());
  Eigen::VectorXd result = Eigen::VectorXd::Constant(
      at.size(), variance(solution.cost, reduced.rows.size(), reduced.free.size()));
  for (const auto& [kind, of_kind] : places) {
    if (of_kind.size() < some) {
      continue;
    }
    // Each kind pays its part of the degrees of freedom.
    const double part = rows / static_cast<double>(of_kind.size());
    const double cost = cost_of(at(of_kind), reduced.loss_width);
    for (const Eigen::Index place : of_kind) {
      result[place] = variance(part * cost, reduced.rows.size(), reduced.free.size());
    }
  }
  return result;
}

/// Covariance of the free numbers from the slopes of the residuals and their variances.
Eigen::MatrixXd covariance_of(const Eigen::MatrixXd& slopes, const Eigen::VectorXd& noise) {
  const Eigen::JacobiSVD<Eigen::MatrixXd> parts(slopes, Eigen::ComputeThinU | Eigen::ComputeFullV);
  // What a direction changes less than the noise of a double is not changed at all.
  constexpr double nothing = 1e-9;
  const auto count = slopes.cols();
  Eigen::VectorXd inverse = Eigen::VectorXd::Constant(count, 1.0 / nothing);
  for (Eigen::Index i = 0; i < parts.singularValues().size(); ++i) {
    inverse[i] = 1.0 / std::max(parts.singularValues()[i], nothing);
  }
  Eigen::MatrixXd middle = noise.maxCoeff() * Eigen::MatrixXd::Identity(count, count);
  const auto known = parts.matrixU().cols();
  middle.topLeftCorner(known, known) =
      parts.matrixU().transpose() * noise.asDiagonal() * parts.matrixU();
  const Eigen::MatrixXd roots = parts.matrixV() * inverse.asDiagonal();
  return roots * middle * roots.transpose();
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
  const Eigen::MatrixXd covariance = covariance_of(slopes, variances(reduced, solution));
  const Eigen::VectorXd deviation = covariance.diagonal().cwiseSqrt();
  const double factor = student_97_5(degrees_of_freedom(reduced.rows.size(), reduced.free.size()));
  return {factor * deviation, deviation.cwiseInverse().asDiagonal() * covariance *
                                  deviation.cwiseInverse().asDiagonal()};
}

}  // namespace gridcast::calibrate
