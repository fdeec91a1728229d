#pragma once
/// Internal: messages of few sizes in the ports of a tree of networks (docs/model.md §4).

#include <cstdint>
#include <span>
#include <vector>

#include "gridcast/network/network_levels.h"

namespace gridcast::network {

/// The sizes of messages, and how long they take the ports of each level.
class PortSizes {
public:
  /// Begins anew: the list of sizes, bytes, to be filled before finish().
  std::vector<double>& begin() noexcept {
    bytes_.clear();
    return bytes_;
  }
  void finish(std::span<const NetworkLevel> levels);

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
  /// So many messages of each size enter a port that carries nothing else, the first of which is
  /// ready at `begin`. Sets when those of each size are through that are ready early enough;
  /// returns the seconds that the port takes for all.
  double enter(std::size_t level, double begin, std::span<const double> counts,
               std::span<double> through) const noexcept;

private:
  std::vector<double> bytes_;
  std::vector<double> lengths_, times_;  // level * sizes + size
  std::vector<std::uint32_t> order_;     // the same
};

}  // namespace gridcast::network
