#include "size_fit.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <utility>

namespace gridcast::trace {
namespace {

/// The value at `x` of the polynomial through the first `degree` + 1 points (Lagrange's form).
long double through_points(std::span<const double> sizes, std::span<const std::int64_t> values,
                           std::size_t degree, double x) {
  long double sum = 0.0L;
  for (std::size_t i = 0; i <= degree; ++i) {
    auto term = static_cast<long double>(values[i]);
    for (std::size_t k = 0; k <= degree; ++k) {
      if (k != i) {
        term *= (static_cast<long double>(x) - sizes[k]) /
                (static_cast<long double>(sizes[i]) - sizes[k]);
      }
    }
    sum += term;
  }
  return sum;
}

/// Whole up to the rounding of the arithmetic.
bool near(long double a, long double b) {
  return std::fabs(a - b) <= 1e-6L + 1e-13L * std::fabs(b);
}

}  // namespace

SizeFit::SizeFit(std::vector<double> sizes, double size, std::size_t degree)
    : sizes_(std::move(sizes)), size_(size), degree_(degree) {
  // Powers of sizes between -1 and 1: the columns stay well apart.
  double scale = std::fabs(size_);
  for (const double s : sizes_) {
    scale = std::max(scale, std::fabs(s));
  }
  const auto rows = static_cast<Eigen::Index>(sizes_.size());
  const auto columns = static_cast<Eigen::Index>(degree_ + 1);
  Eigen::MatrixXd powers(rows, columns);
  Eigen::VectorXd at_size(columns);
  for (Eigen::Index k = 0; k < columns; ++k) {
    for (Eigen::Index i = 0; i < rows; ++i) {
      powers(i, k) = std::pow(sizes_[static_cast<std::size_t>(i)] / scale, static_cast<double>(k));
    }
    at_size(k) = std::pow(size_ / scale, static_cast<double>(k));
  }
  // value = at_sizeᵀ · powers⁺ · values: the weights are the least-norm solution of powersᵀ w =
  // at_size.
  const Eigen::VectorXd weights =
      powers.transpose().completeOrthogonalDecomposition().solve(at_size);
  weights_.assign(weights.data(), weights.data() + weights.size());
}

double SizeFit::value(std::span<const double> values) const {
  double sum = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += weights_[i] * values[i];
  }
  return sum;
}

SizeFit::Whole SizeFit::whole_value(std::span<const std::int64_t> values) const {
  for (std::size_t degree = 0; degree <= degree_; ++degree) {
    bool fits = true;
    for (std::size_t i = degree + 1; fits && i < values.size(); ++i) {
      fits = near(through_points(sizes_, values, degree, sizes_[i]),
                  static_cast<long double>(values[i]));
    }
    if (!fits) {
      continue;
    }
    Whole whole;
    whole.polynomial = true;
    const long double exact = through_points(sizes_, values, degree, size_);
    whole.real = static_cast<double>(exact);
    constexpr long double largest = 1e15L;
    if (std::fabs(exact) < largest && near(exact, std::round(exact))) {
      whole.value = static_cast<std::int64_t>(std::llround(exact));
    }
    return whole;
  }
  return {};
}

}  // namespace gridcast::trace
