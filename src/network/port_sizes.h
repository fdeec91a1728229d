#pragma once
/// Internal: messages of few sizes in the ports of a tree of networks (docs/model.md §4).

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "gridcast/network/network_levels.h"

namespace gridcast::network {

/// What passes a port: how many messages of each size, the first of which is ready at `begin`.
struct SizedLoad {
  double begin = HUGE_VAL;
  double seconds = 0.0;  ///< that the port takes for all
  std::vector<double> counts;
  std::vector<double> through;  ///< when one is that was ready early enough

  void reset(std::size_t sizes);
  void add(std::size_t size, double ready, double count) noexcept {
    begin = std::min(begin, ready);
    counts[size] += count;
  }
};

/// The sizes of messages, and how long they take the ports of each level.
class PortSizes {
public:
  void reset(std::span<const double> bytes, std::span<const NetworkLevel> levels);
  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size(); }
  [[nodiscard]] double bytes(std::size_t size) const noexcept { return bytes_[size]; }
  /// Seconds that a port of a level takes for a message alone.
  [[nodiscard]] double length(std::size_t level, std::size_t size) const noexcept {
    return lengths_[level * bytes_.size() + size];
  }
  /// Seconds that a message takes for its bytes.
  [[nodiscard]] double time(std::size_t level, std::size_t size) const noexcept {
    return times_[level * bytes_.size() + size];
  }
  /// Sizes, ascending by length.
  [[nodiscard]] std::span<const std::uint32_t> order(std::size_t level) const noexcept {
    return std::span(order_).subspan(level * bytes_.size(), bytes_.size());
  }
  /// Into a port of that level that carries nothing else: finds `seconds` and `through`.
  void enter(SizedLoad& load, std::size_t level) const;

private:
  std::vector<double> bytes_;
  std::vector<double> lengths_, times_;  // level * sizes + size: of a port, of the message
  std::vector<std::uint32_t> order_;     // the same
};

}  // namespace gridcast::network
