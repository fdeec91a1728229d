#pragma once
/// A tree of networks whose members are alike on every level.

#include <cstdint>
#include <vector>

#include "gridcast/machine/cluster.h"

namespace gridcast::network {

/// The networks of one level: each connects `size` processors with consecutive numbers.
struct NetworkLevel {
  std::int64_t size = 1;
  machine::Network network;
};

/// What messages wait for.
enum class Queues : std::uint8_t { channels, ports };

/// Whether messages of this type of network wait for these.
[[nodiscard]] constexpr bool queues_at(machine::NetworkType type, Queues queues) noexcept {
  return queues == Queues::ports
             ? type == machine::NetworkType::ports
             : type == machine::NetworkType::ethernet || type == machine::NetworkType::myrinet;
}

/// The levels above the first processors of a machine, the lowest first; the last connects all.
/// Empty if these are not made of equal parts, or their networks not all of these queues.
[[nodiscard]] std::vector<NetworkLevel> network_levels(const machine::Cluster& cluster,
                                                       std::int64_t processors, Queues queues);

}  // namespace gridcast::network
