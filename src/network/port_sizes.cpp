#include "port_sizes.h"

#include <algorithm>
#include <numeric>

#include "gridcast/network/message_time.h"

namespace gridcast::network {

void PortSizes::finish(std::span<const NetworkLevel> levels) {
  lengths_.clear();
  times_.clear();
  order_.resize(bytes_.size() * levels.size());
  for (std::size_t level = 0; level < levels.size(); ++level) {
    for (const double bytes : bytes_) {
      lengths_.push_back(port_time(levels[level].network, bytes));
      times_.push_back(levels[level].network.time_of(bytes));
    }
    const auto order = std::span(order_).subspan(level * bytes_.size(), bytes_.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return length(level, a) < length(level, b);
    });
  }
}

double PortSizes::enter(std::size_t level, double begin, std::span<const double> counts,
                        std::span<double> through) const noexcept {
  double seconds = 0.0;
  double no_shorter = std::accumulate(counts.begin(), counts.end(), 0.0);
  for (const std::uint32_t size : order(level)) {
    const double own = length(level, size);
    through[size] = begin + seconds + own * no_shorter - (own - time(level, size));
    seconds += own * counts[size];
    no_shorter -= counts[size];
  }
  return seconds;
}

}  // namespace gridcast::network
