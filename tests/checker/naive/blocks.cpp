// Processor systems and how a template is cut over one (docs/model.md §3).

#include <algorithm>
#include <cmath>

#include "holders.h"

namespace gridcast::naive {
namespace {

/// Equal up to what rounding leaves of equal sums.
bool same(double a, double b) { return std::abs(a - b) <= 1e-12 * std::max(1.0, std::abs(b)); }

/// Whole part; a value that is a whole number up to rounding counts as that.
long whole(double value) {
  const double near = std::round(value);
  return static_cast<long>(std::abs(value - near) < 1e-9 ? near : std::floor(value));
}

/// Mean of w^(1/r) over the processors of each coordinate along dimension j.
std::vector<double> coordinate_weights(const System& system, std::size_t j,
                                       const Machine& machine) {
  int used = 0;
  for (const int extent : system.shape) {
    used += extent > 1 ? 1 : 0;
  }
  const double power = 1.0 / std::max(1, used);
  const auto extent = static_cast<std::size_t>(system.shape[j]);
  std::vector<double> sums(extent, 0.0);
  for (int m = 0; m < system.size(); ++m) {
    const auto p = static_cast<std::size_t>(system.members[static_cast<std::size_t>(m)]);
    sums[static_cast<std::size_t>(system.coordinates(m)[j])] +=
        std::pow(machine.performance[p], power);
  }
  for (double& sum : sums) {
    sum /= static_cast<double>(system.size()) / static_cast<double>(extent);
  }
  return sums;
}

/// Σ of the first q and of all, as a fraction.
double share_before(const std::vector<double>& weights, std::size_t q) {
  double before = 0.0;
  double all = 0.0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    before += i < q ? weights[i] : 0.0;
    all += weights[i];
  }
  return before / all;
}

/// Boundaries by the weights of the elements.
std::vector<long> weighted_bounds(long n, const std::vector<double>& weights,
                                  const std::vector<double>& shares) {
  const auto count = static_cast<long>(weights.size());
  std::vector<double> cumulated(static_cast<std::size_t>(n) + 1, 0.0);
  std::vector<double> of_element(static_cast<std::size_t>(n), 0.0);
  for (long k = 0; k < count; ++k) {
    const auto up = [&](long i) { return (i * n + count - 1) / count; };
    for (long e = up(k); e < up(k + 1); ++e) {
      of_element[static_cast<std::size_t>(e)] = weights[static_cast<std::size_t>(k)];
    }
  }
  for (std::size_t e = 0; e < of_element.size(); ++e) {
    cumulated[e + 1] = cumulated[e] + of_element[e];
  }
  std::vector<long> bounds{0};
  for (std::size_t q = 1; q < shares.size(); ++q) {
    const double share = cumulated.back() * share_before(shares, q);
    long at = 0;
    while (at < n &&
           cumulated[static_cast<std::size_t>(at) + 1] <= share + 1e-9 * cumulated.back()) {
      ++at;
    }
    bounds.push_back(at);
  }
  bounds.push_back(n);
  return bounds;
}

/// Boundaries by the lengths of the blocks of the recorded run.
std::vector<long> length_bounds(long n, const std::vector<double>& lengths, std::size_t extent) {
  std::vector<long> bounds{0};
  const auto traced = static_cast<double>(lengths.size());
  std::vector<double> cumulated{0.0};
  for (const double length : lengths) {
    cumulated.push_back(cumulated.back() + length);
  }
  for (std::size_t q = 1; q < extent; ++q) {
    const double at = static_cast<double>(q) * traced / static_cast<double>(extent);
    const auto below = static_cast<std::size_t>(whole(at));
    double value = cumulated[below];
    if (below + 1 < cumulated.size()) {
      value += (at - static_cast<double>(below)) * (cumulated[below + 1] - cumulated[below]);
    }
    bounds.push_back(whole(value * static_cast<double>(n) / cumulated.back() + 0.5));
  }
  bounds.push_back(n);
  return bounds;
}

std::vector<long> equal_bounds(long n, long extent, long divisor, bool balanced) {
  std::vector<long> bounds;
  long block = (n + extent - 1) / extent;
  block = (block + divisor - 1) / divisor * divisor;
  for (long q = 0; q <= extent; ++q) {
    // Balanced are whole units of `divisor` elements.
    const long units = (n + divisor - 1) / divisor;
    bounds.push_back(std::min(n, balanced ? q * units / extent * divisor : q * block));
  }
  return bounds;
}

}  // namespace

Holders System::all() const {
  Holders set = 0;
  for (const int member : members) {
    set |= only(member);
  }
  return set;
}

Index System::coordinates(int member) const {
  Index result(shape.size());
  for (std::size_t j = shape.size(); j-- > 0;) {
    result[j] = member % shape[j];
    member /= shape[j];
  }
  return result;
}

int System::position(const Index& coordinates) const {
  long place = 0;
  for (std::size_t j = 0; j < shape.size(); ++j) {
    if (coordinates[j] < 0 || coordinates[j] >= shape[j]) {
      return -1;
    }
    place = place * shape[j] + coordinates[j];
  }
  return static_cast<int>(place);
}

System System::section(const std::vector<long>& first, const std::vector<long>& last) const {
  System part;
  std::vector<long> from, to;
  for (std::size_t j = 0; j < shape.size(); ++j) {
    const long n = j < traced_shape.size() ? traced_shape[j] : 1;
    const bool given = j < first.size() && j < last.size();
    const long low = given ? first[j] : 0;
    const long high = given ? last[j] : n - 1;
    const long begin = low * shape[j] / n;
    const long end = std::max(begin, (high + 1) * shape[j] / n - 1);
    from.push_back(begin);
    to.push_back(end);
    part.shape.push_back(static_cast<int>(end - begin + 1));
    part.traced_shape.push_back(high - low + 1);
  }
  for (int m = 0; m < size(); ++m) {
    const Index at = coordinates(m);
    bool inside = true;
    for (std::size_t j = 0; j < at.size(); ++j) {
      inside = inside && at[j] >= from[j] && at[j] <= to[j];
    }
    if (inside) {
      part.members.push_back(members[static_cast<std::size_t>(m)]);
    }
  }
  return part;
}

namespace {

std::vector<long> without_trailing_ones(std::vector<long> shape) {
  while (shape.size() > 1 && shape.back() == 1) {
    shape.pop_back();
  }
  return shape;
}

/// All shapes of `rank` with the product n, larger first extents first.
void factorisations(long n, std::size_t rank, std::vector<long>& start,
                    std::vector<std::vector<long>>& all) {
  if (start.size() + 1 == rank) {
    start.push_back(n);
    all.push_back(start);
    start.pop_back();
    return;
  }
  for (long factor = n; factor >= 1; --factor) {
    if (n % factor == 0) {
      start.push_back(factor);
      factorisations(n / factor, rank, start, all);
      start.pop_back();
    }
  }
}

}  // namespace

System System::reshaped(const std::vector<long>& traced) const {
  System view = *this;
  view.traced_shape = traced;
  if (traced.size() == 1) {
    view.shape = {size()};
    return view;
  }
  if (without_trailing_ones(traced) == without_trailing_ones(traced_shape)) {
    return view;
  }
  double product = 1.0;
  for (const long extent : traced) {
    product *= static_cast<double>(extent);
  }
  const double scale =
      std::pow(static_cast<double>(size()) / product, 1.0 / static_cast<double>(traced.size()));
  std::vector<std::vector<long>> all;
  std::vector<long> start;
  factorisations(size(), traced.size(), start, all);
  double least = -1.0;
  for (const std::vector<long>& shape_of_view : all) {
    double off = 0.0;
    for (std::size_t j = 0; j < traced.size(); ++j) {
      off += std::abs(std::log(static_cast<double>(shape_of_view[j]) /
                               (static_cast<double>(traced[j]) * scale)));
    }
    if (least < 0.0 || off < least - 1e-9) {
      least = off;
      view.shape.assign(shape_of_view.begin(), shape_of_view.end());
    }
  }
  return view;
}

bool Template::splits(std::size_t j) const {
  return j < axes.size() && axes[j] >= 0 && system.shape[j] > 1;
}

void Template::distribute(const System& on, const std::vector<long>& axis_array,
                          const Machine& machine, const BlockOptions& options) {
  distributed = true;
  system = on;
  axes.assign(on.shape.size(), -1);
  bounds.assign(on.shape.size(), {});
  for (std::size_t j = 0; j < on.shape.size() && j < axis_array.size(); ++j) {
    axes[j] = static_cast<int>(axis_array[j] - 1);
    if (!splits(j)) {
      continue;
    }
    const auto axis = static_cast<std::size_t>(axes[j]);
    const long n = extents[axis];
    const long divisor = axis < divisors.size() ? divisors[axis] : 1;
    std::vector<double> shares(static_cast<std::size_t>(on.shape[j]), 1.0);
    if (options.by_performance) {
      shares = coordinate_weights(on, j, machine);
    }
    const bool equal = std::all_of(shares.begin(), shares.end(),
                                   [&](double share) { return same(share, shares[0]); });
    const bool weighted = j < weights.along.size() && !weights.along[j].empty();
    if (!weighted && equal) {
      bounds[j] = equal_bounds(n, on.shape[j], divisor, options.balanced);
      continue;
    }
    if (weighted && weights.are_lengths) {
      bounds[j] = length_bounds(n, weights.along[j], shares.size());
    } else if (weighted) {
      bounds[j] = weighted_bounds(n, weights.along[j], shares);
    } else {
      bounds[j] = weighted_bounds(n, std::vector<double>(static_cast<std::size_t>(n), 1.0), shares);
    }
    const bool exact = weighted && weights.are_lengths && weights.along[j].size() == shares.size();
    for (std::size_t q = 1; q + 1 < bounds[j].size() && !exact; ++q) {
      bounds[j][q] -= bounds[j][q] % divisor;
    }
  }
}

}  // namespace gridcast::naive
