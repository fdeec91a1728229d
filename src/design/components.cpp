#include "gridcast/design/components.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "gridcast/base/contract.h"
#include "gridcast/base/error.h"

namespace gridcast::design {

Moments::Moments(std::size_t variables)
    : means_(variables), products_(variables * variables), deviations_(variables) {}

void Moments::add(std::span<const double> values) {
  expects(values.size() == means_.size(), "an observation has all variables");
  ++count_;
  const std::size_t size = means_.size();
  for (std::size_t i = 0; i < size; ++i) {
    deviations_[i] = values[i] - means_[i];
    means_[i] += deviations_[i] / static_cast<double>(count_);
  }
  for (std::size_t i = 0; i < size; ++i) {
    const double after = values[i] - means_[i];
    for (std::size_t j = 0; j <= i; ++j) {
      products_[i * size + j] += after * deviations_[j];
    }
  }
}

double Moments::covariance(std::size_t a, std::size_t b) const {
  const double sum = products_[std::max(a, b) * means_.size() + std::min(a, b)];
  return sum / static_cast<double>(count_ - 1);
}

Components principal_components(const Moments& moments, const std::vector<std::string>& names) {
  const std::size_t size = moments.variables();
  if (moments.count() < 2 || size == 0) {
    throw InputError("there are no components of " + std::to_string(moments.count()) + " rows",
                     "expected at least two rows and one column");
  }
  for (std::size_t i = 0; i < size; ++i) {
    if (!(moments.covariance(i, i) > 0.0)) {
      throw InputError("the column '" + names[i] + "' has the same value in all rows",
                       "expected columns that vary");
    }
  }
  const auto n = static_cast<Eigen::Index>(size);
  Eigen::MatrixXd correlation(n, n);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) {
      const double scale =
          std::sqrt(moments.covariance(i, i)) * std::sqrt(moments.covariance(j, j));
      correlation(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
          i == j ? 1.0 : moments.covariance(i, j) / scale;
    }
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(correlation);
  Components result{names, moments.count(), {}, {}, {}};
  double sum = 0.0;
  for (Eigen::Index k = n; k-- > 0;) {  // Eigen's are ascending
    const double value = std::max(0.0, solver.eigenvalues()(k));
    sum += value;
    result.eigenvalues.push_back(value);
    result.cumulative.push_back(std::min(1.0, sum / static_cast<double>(size)));
    Eigen::VectorXd loading = solver.eigenvectors().col(k);
    Eigen::Index largest = 0;
    loading.cwiseAbs().maxCoeff(&largest);
    if (loading(largest) < 0.0) {
      loading = -loading;
    }
    result.loadings.emplace_back(loading.data(), loading.data() + n);
  }
  return result;
}

Components principal_components(const Table& table, const std::vector<std::string>& columns) {
  Moments moments(columns.size());
  const std::vector<std::size_t> numbers = table.columns_of(columns);
  table.read(numbers, [&](std::span<const double> row) { moments.add(row); });
  try {
    return principal_components(moments, columns);
  } catch (const InputError& error) {
    throw InputError(table.origin(), 0, error.problem(), error.remedy());
  }
}

}  // namespace gridcast::design
