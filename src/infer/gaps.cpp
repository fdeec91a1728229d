#include "gridcast/infer/gaps.h"

#include <algorithm>
#include <numeric>

namespace gridcast::infer {
namespace {

/// The mean over a period is so many times the least gap, at least: less is noise.
constexpr double periodic_factor = 1.2;
constexpr std::size_t periods_seen = 3;  // at least
constexpr std::size_t longest_period = 512;

}  // namespace

std::vector<double> gaps_of(const std::vector<Occurrence>& occurrences, std::size_t begin,
                            std::size_t every, bool first_only) {
  std::vector<double> gaps;
  for (std::size_t i = begin; i < occurrences.size(); ++i) {
    if (every == 0 || (i % every == 0) == first_only) {
      gaps.push_back(occurrences[i].gap);
    }
  }
  return gaps;
}

double least(const std::vector<double>& gaps) {
  return gaps.empty() ? 0.0 : std::max(0.0, *std::ranges::min_element(gaps));
}

bool has_period(const std::vector<double>& gaps) {
  return mean_of_period(gaps) > periodic_factor * least(gaps);
}

double mean_of_period(const std::vector<double>& gaps) {
  double found = least(gaps);
  const std::size_t most = std::min(gaps.size() / periods_seen, longest_period);
  for (std::size_t period = 2; period <= most; ++period) {
    std::vector<double> each(gaps.begin(), gaps.begin() + static_cast<std::ptrdiff_t>(period));
    for (std::size_t i = period; i < gaps.size(); ++i) {
      each[i % period] = std::min(each[i % period], gaps[i]);
    }
    const double mean =
        std::accumulate(each.begin(), each.end(), 0.0) / static_cast<double>(period);
    if (mean > periodic_factor * found + call_seconds) {
      found = mean;
    }
  }
  return found;
}

}  // namespace gridcast::infer
