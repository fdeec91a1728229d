#pragma once
/// How long a message takes a network for itself (docs/model.md §4).

#include <algorithm>

#include "gridcast/machine/cluster.h"

namespace gridcast::network {

/// A channel, or a link to a neighbour, for a message of `bytes`. Seconds.
[[nodiscard]] inline double channel_time(const machine::Network& network, double bytes) noexcept {
  return network.start_of(bytes) + network.time_of(bytes);
}

/// A port, out or in. Seconds.
[[nodiscard]] inline double port_time(const machine::Network& network, double bytes) noexcept {
  return std::max(network.gap, network.time_of(bytes));
}

}  // namespace gridcast::network
