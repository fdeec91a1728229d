#include "port_sizes.h"

#include <numeric>

#include "gridcast/network/message_time.h"

namespace gridcast::network {

void SizedLoad::reset(std::size_t sizes) {
  begin = HUGE_VAL;
  seconds = 0.0;
  counts.assign(sizes, 0.0);
}

void PortSizes::reset(std::span<const double> bytes, std::span<const NetworkLevel> levels) {
  bytes_.assign(bytes.begin(), bytes.end());
  lengths_.clear();
  times_.clear();
  order_.resize(bytes.size() * levels.size());
  for (std::size_t level = 0; level < levels.size(); ++level) {
    for (const double each : bytes) {
      lengths_.push_back(port_time(levels[level].network, each));
      times_.push_back(levels[level].network.time_of(each));
    }
    const auto order = std::span(order_).subspan(level * bytes.size(), bytes.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return length(level, a) < length(level, b);
    });
  }
}

void PortSizes::enter(SizedLoad& load, std::size_t level) const {
  load.seconds = 0.0;
  load.through.resize(bytes_.size());
  double no_shorter = std::accumulate(load.counts.begin(), load.counts.end(), 0.0);
  for (const std::uint32_t size : order(level)) {
    const double own = length(level, size);
    const double served = load.seconds + own * no_shorter;
    load.through[size] = load.begin + served - (own - time(level, size));
    load.seconds += own * load.counts[size];
    no_shorter -= load.counts[size];
  }
}

}  // namespace gridcast::network
