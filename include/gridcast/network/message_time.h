#pragma once
/// How long a message takes a network for itself (docs/model.md §4).

#include <algorithm>

#include "gridcast/machine/cluster.h"

namespace gridcast::network {

/// A channel, or a link to a neighbour, for a message of `bytes`. Seconds.
[[nodiscard]] inline double channel_time(const machine::Network& network, double bytes) noexcept {
  return network.start_time + bytes * network.byte_time;
}

/// A port, out or in. Seconds.
[[nodiscard]] inline double port_time(const machine::Network& network, double bytes) noexcept {
  return std::max(network.gap, bytes * network.byte_time);
}

}  // namespace gridcast::network
