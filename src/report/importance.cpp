#include "importance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace gridcast::report {
namespace {

/// A number of a grid and the logarithm of its time.
using Pairs = std::vector<std::pair<std::int64_t, double>>;

double mean_of(Pairs::const_iterator begin, Pairs::const_iterator end) {
  double sum = 0.0;
  for (auto at = begin; at != end; ++at) {
    sum += at->second;
  }
  return sum / static_cast<double>(end - begin);
}

double correlation_ratio(Pairs pairs) {
  std::sort(pairs.begin(), pairs.end());
  const double mean = mean_of(pairs.begin(), pairs.end());
  double between = 0.0;
  double within = 0.0;
  for (auto begin = pairs.cbegin(); begin != pairs.cend();) {
    const auto end = std::find_if(
        begin, pairs.cend(), [&begin](const auto& pair) { return pair.first != begin->first; });
    const double middle = mean_of(begin, end);
    between += static_cast<double>(end - begin) * (middle - mean) * (middle - mean);
    for (; begin != end; ++begin) {
      within += (begin->second - middle) * (begin->second - middle);
    }
  }
  return between / (between + within);
}

}  // namespace

std::vector<Importance> importance_of(const std::vector<SearchPoint>& points, int rank) {
  Pairs pairs;
  pairs.reserve(points.size());
  for (const SearchPoint& point : points) {
    pairs.emplace_back(point.grid.cores(), std::log(point.execution_time));
  }
  const auto [least, most] = std::minmax_element(
      pairs.begin(), pairs.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (least == most || !std::isfinite(least->second) || !(least->second < most->second)) {
    return {};
  }
  const Importance processors{"processors", correlation_ratio(pairs)};
  std::vector<Importance> result;
  for (int dim = 0; dim < rank; ++dim) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      pairs[i].first = points[i].grid.extent(dim);
    }
    result.push_back({fmt::format("P{}", dim + 1), correlation_ratio(pairs)});
  }
  result.push_back(processors);
  return result;
}

}  // namespace gridcast::report
