#include "gridcast/mapping/blocks.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gridcast/base/contract.h"
#include "gridcast/mapping/block_cut.h"
#include "gridcast/mapping/index_range.h"

namespace gridcast::mapping {
namespace {

/// Sums of weights that should meet a boundary exactly may miss it by rounding.
constexpr double relative_slack = 1e-12;

std::int64_t rounded_floor(double value) {
  return static_cast<std::int64_t>(std::floor(value + std::abs(value) * relative_slack));
}

/// Makes the boundaries a cut of [0, n): ascending, first 0, last n.
void close(std::int64_t n, Boundaries& boundaries) {
  boundaries.front() = 0;
  boundaries.back() = n;
  for (std::size_t q = 1; q < boundaries.size(); ++q) {
    boundaries[q] = std::clamp(boundaries[q], boundaries[q - 1], n);
  }
}

}  // namespace

void block_boundaries(std::int64_t n, std::int64_t coordinates, BlockRule rule,
                      std::int64_t multiplier, Boundaries& result) {
  expects(n >= 0 && coordinates > 0 && multiplier > 0, "a cut has elements and coordinates");
  BlockCut cut;
  cut.assign(n, coordinates, rule, multiplier);
  result.resize(static_cast<std::size_t>(coordinates) + 1);
  for (std::int64_t q = 0; q <= coordinates; ++q) {
    result[static_cast<std::size_t>(q)] = cut.boundary(q);
  }
}

void weighted_boundaries(std::int64_t n, std::span<const double> weights, std::int64_t multiplier,
                         Boundaries& result) {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  result.resize(weights.size() + 1);
  double sum = 0.0;
  for (std::size_t q = 0; q < weights.size(); ++q) {
    result[q] = rounded_floor(static_cast<double>(n) * sum / total) / multiplier * multiplier;
    sum += weights[q];
  }
  close(n, result);
}

bool length_boundaries(std::int64_t n, std::span<const double> lengths, std::int64_t coordinates,
                       Boundaries& result) {
  std::vector<double> cumulated(lengths.size() + 1, 0.0);
  std::partial_sum(lengths.begin(), lengths.end(), cumulated.begin() + 1);
  const double scale = cumulated.back() > 0.0 ? static_cast<double>(n) / cumulated.back() : 1.0;
  result.resize(static_cast<std::size_t>(coordinates) + 1);
  const bool exact = lengths.size() == static_cast<std::size_t>(coordinates);
  for (std::size_t q = 0; q < result.size(); ++q) {
    const double at = exact ? static_cast<double>(q)
                            : static_cast<double>(q) * static_cast<double>(lengths.size()) /
                                  static_cast<double>(coordinates);
    const auto below = std::min(static_cast<std::size_t>(at), lengths.size());
    const double part = at - static_cast<double>(below);
    const double value = part > 0.0 ? cumulated[below] + part * lengths[below] : cumulated[below];
    result[q] = rounded_floor(value * scale + 0.5);
  }
  close(n, result);
  return !exact;
}

void element_weight_boundaries(std::int64_t n, std::span<const double> weights,
                               std::span<const double> shares, Boundaries& result) {
  const auto count = static_cast<std::int64_t>(weights.size());
  std::vector<std::int64_t> starts(weights.size() + 1);
  std::vector<double> cumulated(weights.size() + 1, 0.0);
  for (std::size_t k = 0; k <= weights.size(); ++k) {
    starts[k] = ceil_div(static_cast<std::int64_t>(k) * n, count);
    if (k > 0) {
      cumulated[k] =
          cumulated[k - 1] + weights[k - 1] * static_cast<double>(starts[k] - starts[k - 1]);
    }
  }
  const double total = std::accumulate(shares.begin(), shares.end(), 0.0);
  result.resize(shares.size() + 1);
  double share = 0.0;
  for (std::size_t q = 0; q < shares.size(); ++q) {
    const double limit = cumulated.back() * share / total * (1.0 + relative_slack);
    const auto above = std::upper_bound(cumulated.begin(), cumulated.end(), limit);
    const auto k = static_cast<std::size_t>(above - cumulated.begin()) - 1;
    result[q] = starts[k];
    if (k < weights.size() && weights[k] > 0.0) {
      result[q] += rounded_floor((limit - cumulated[k]) / weights[k]);
    }
    share += shares[q];
  }
  close(n, result);
}

}  // namespace gridcast::mapping
