#include "size_fit.h"

#include <algorithm>
#include <cmath>
#include <numeric>
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

// The polynomials p_k that are orthonormal over the sizes (each is x times the one before it,
// less its parts along those before: Forsythe 1957): the fit is the sum of p_k times the part of
// the values along p_k, so that the weight of a value is the sum of p_k at its size times p_k at
// `size`.
SizeFit::SizeFit(std::vector<double> sizes, double size, std::size_t degree)
    : sizes_(std::move(sizes)), size_(size), degree_(degree), weights_(sizes_.size()) {
  std::vector<double> x = sizes_;
  x.push_back(size_);  // the last of each list below
  const std::size_t count = sizes_.size();
  const auto product = [count](const std::vector<double>& a, const std::vector<double>& b) {
    return std::inner_product(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(count), b.begin(),
                              0.0);
  };
  const double middle =
      std::accumulate(sizes_.begin(), sizes_.end(), 0.0) / static_cast<double>(count);
  std::vector<std::vector<double>> all;
  for (std::size_t k = 0; k <= degree_; ++k) {
    std::vector<double> next(x.size(), 1.0);
    for (std::size_t i = 0; k > 0 && i < x.size(); ++i) {
      next[i] = all.back()[i] * (x[i] - middle);
    }
    // All that are known, not the last two only: rounding leaves parts of the others.
    for (const std::vector<double>& known : all) {
      const double part = product(next, known);
      for (std::size_t i = 0; i < x.size(); ++i) {
        next[i] -= part * known[i];
      }
    }
    const double norm = std::sqrt(product(next, next));
    for (std::size_t i = 0; i < x.size(); ++i) {
      next[i] /= norm;
    }
    for (std::size_t i = 0; i < count; ++i) {
      weights_[i] += next[i] * next[count];
    }
    all.push_back(std::move(next));
  }
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
