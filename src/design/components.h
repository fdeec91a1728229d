#pragma once
/// Principal components: a few uncorrelated figures in place of many correlated ones.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gridcast/design/table.h"

namespace gridcast::design {

/// Means and second moments of variables, one observation after another (Welford's method, so that
/// a large mean costs no digits).
class Moments {
public:
  explicit Moments(std::size_t variables);

  void add(std::span<const double> values);

  [[nodiscard]] std::int64_t count() const noexcept { return count_; }
  [[nodiscard]] std::size_t variables() const noexcept { return means_.size(); }
  [[nodiscard]] double mean(std::size_t variable) const { return means_[variable]; }
  /// With count - 1 in the denominator.
  [[nodiscard]] double covariance(std::size_t a, std::size_t b) const;

private:
  std::int64_t count_ = 0;
  std::vector<double> means_;
  std::vector<double> products_;  ///< of deviations, variables x variables, lower triangle
  std::vector<double> deviations_;
};

/// Components of standardised variables, by falling eigenvalue of their correlation matrix.
struct Components {
  std::vector<std::string> variables;
  std::int64_t observations = 0;
  std::vector<double> eigenvalues;            ///< their sum is the number of variables
  std::vector<double> cumulative;             ///< share of the variance up to each, 0...1
  std::vector<std::vector<double>> loadings;  ///< per component, of each variable; unit length,
                                              ///< the largest positive
};

/// Throws InputError if a variable does not vary or there are fewer than two observations.
[[nodiscard]] Components principal_components(const Moments& moments,
                                              const std::vector<std::string>& names);

/// Those of columns of a table.
[[nodiscard]] Components principal_components(const Table& table,
                                              const std::vector<std::string>& columns);

}  // namespace gridcast::design
