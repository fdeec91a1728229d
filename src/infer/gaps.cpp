#include "gridcast/infer/gaps.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace gridcast::infer {
namespace {

/// The mean over a period is so many times the least gap, at least: less is noise.
constexpr double periodic_factor = 1.2;
constexpr std::size_t periods_seen = 3;  // at least
constexpr std::ptrdiff_t looked_at = 1536;

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

std::size_t period_of(const std::vector<double>& gaps) {
  const std::vector<double> first(gaps.begin(),
                                  gaps.begin() + std::min(std::ssize(gaps), looked_at));
  std::size_t found = 1;
  double mean = mean_of(first, 1);
  for (std::size_t period = 2; period <= first.size() / periods_seen; ++period) {
    const double next = mean_of(first, period);
    if (next > periodic_factor * mean + call_seconds) {
      found = period;
      mean = next;
    }
  }
  return found;
}

double mean_of(const std::vector<double>& gaps, std::size_t period) {
  std::vector<double> each(std::min(period, gaps.size()), HUGE_VAL);
  std::size_t place = 0;
  for (const double gap : gaps) {
    each[place] = std::min(each[place], std::max(gap, 0.0));
    place = place + 1 < each.size() ? place + 1 : 0;
  }
  return std::accumulate(each.begin(), each.end(), 0.0) /
         static_cast<double>(std::max<std::size_t>(each.size(), 1));
}

}  // namespace gridcast::infer
