#include <algorithm>
#include <array>
#include <cmath>

#include "gridcast/base/contract.h"
#include "gridcast/design/random.h"
#include "gridcast/design/sobol_indices.h"

namespace gridcast::design {
namespace {

/// Sums of one replicate: weight, f, f², f(B), then three per factor.
enum Sum : std::size_t { weight, values, squares, from_b, per_factor };
enum FactorSum : std::size_t { crossed, difference, jansen, factor_sums };

/// Counts of a value in a sample of n out of n are nearly independent Poisson numbers of mean 1:
/// that lets the bootstrap run along with the data. From 16 random bits.
unsigned poisson_count(std::uint64_t bits) {
  // 65536 times the distribution function at 0, 1, 2, ...
  constexpr std::array<std::uint32_t, 8> limits{24109, 48218, 60273, 64291,
                                                65296, 65497, 65530, 65536};
  unsigned count = 0;
  while (limits[count] <= (bits & 0xFFFFU)) {
    ++count;
  }
  return count;
}

/// The value below which a share of the sorted numbers lies, interpolated.
double percentile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

Estimate interval(double value, std::vector<double> replicates) {
  if (replicates.empty()) {
    return {value, value, value};
  }
  std::ranges::sort(replicates);
  return {value, percentile(replicates, 0.025), percentile(replicates, 0.975)};
}

double variance_of(std::span<const double> sums) {
  const double count = 2.0 * sums[weight];
  const double mean = sums[values] / count;
  return sums[squares] / count - mean * mean;
}

}  // namespace

SobolEstimator::SobolEstimator(std::size_t factors, std::size_t replicates, std::uint64_t seed)
    : factors_(factors),
      width_(per_factor + factor_sums * factors),
      seed_(seed),
      sums_((replicates + 1) * width_),
      terms_(width_) {}

void SobolEstimator::add(std::int64_t base, std::span<const double> results) {
  expects(results.size() == factors_ + 2, "a base point has k + 2 results");
  if (bases_++ == 0) {
    origin_ = results.front();
  }
  const double a = results.front() - origin_;
  const double b = results.back() - origin_;
  terms_[weight] = 1.0;
  terms_[values] = a + b;
  terms_[squares] = a * a + b * b;
  terms_[from_b] = b;
  for (std::size_t i = 0; i < factors_; ++i) {
    const double change = results[i + 1] - origin_ - a;
    double* const of_factor = &terms_[per_factor + factor_sums * i];
    of_factor[crossed] = b * change;
    of_factor[difference] = change;
    of_factor[jansen] = 0.5 * change * change;
  }
  const std::size_t replicates = sums_.size() / width_ - 1;
  for (std::size_t j = 0; j < width_; ++j) {
    sums_[j] += terms_[j];
  }
  Random random{seed_, 0x626f6f74, static_cast<std::uint64_t>(base)};
  std::uint64_t bits = 0;
  for (std::size_t r = 0; r < replicates; ++r) {
    bits = r % 4 == 0 ? random.next() : bits >> 16U;
    const unsigned count = poisson_count(bits);
    if (count > 0) {
      double* const sums = &sums_[(r + 1) * width_];
      for (std::size_t j = 0; j < width_; ++j) {
        sums[j] += count * terms_[j];
      }
    }
  }
}

double SobolEstimator::mean() const {
  return bases_ == 0 ? 0.0 : origin_ + sums_[values] / (2.0 * sums_[weight]);
}

double SobolEstimator::variance() const {
  return bases_ == 0 ? 0.0 : std::max(0.0, variance_of(std::span(sums_).first(width_)));
}

SobolIndex SobolEstimator::index_of(std::span<const double> sums, std::size_t factor) const {
  const double variance = variance_of(sums);
  if (!(variance > 0.0)) {
    return {};
  }
  const double* const of_factor = &sums[per_factor + factor_sums * factor];
  const double mean = sums[values] / (2.0 * sums[weight]);
  SobolIndex index;
  index.first.value = (of_factor[crossed] - mean * of_factor[difference]) / sums[weight] / variance;
  index.total.value = of_factor[jansen] / sums[weight] / variance;
  return index;
}

std::vector<SobolIndex> SobolEstimator::indices() const {
  std::vector<SobolIndex> result(factors_);
  if (bases_ == 0) {
    return result;
  }
  const std::size_t replicates = sums_.size() / width_ - 1;
  for (std::size_t i = 0; i < factors_; ++i) {
    std::vector<double> firsts;
    std::vector<double> totals;
    for (std::size_t r = 1; r <= replicates; ++r) {
      const std::span<const double> sums = std::span(sums_).subspan(r * width_, width_);
      if (sums[weight] > 0.0) {
        const SobolIndex one = index_of(sums, i);
        firsts.push_back(one.first.value);
        totals.push_back(one.total.value);
      }
    }
    const SobolIndex all = index_of(std::span(sums_).first(width_), i);
    result[i] = {interval(all.first.value, std::move(firsts)),
                 interval(all.total.value, std::move(totals))};
  }
  return result;
}

}  // namespace gridcast::design
