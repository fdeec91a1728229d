#pragma once
/// Least times of messages on one network, whatever else it carries and in whatever order messages
/// come (docs/search.md, "Messages"). A new type of network has its line in each of them.

#include "gridcast/machine/cluster.h"

namespace gridcast::network {

/// From the moment it may be sent, a message of `bytes` takes at least so long until its receiver
/// has it. Seconds.
[[nodiscard]] double least_arrival(const machine::Network& network, double bytes) noexcept;

/// Of `count` messages with `bytes` in all between `members` parts of the network, which may be
/// sent from one moment on, the last has arrived so much later at least. Seconds.
[[nodiscard]] double least_load(const machine::Network& network, double count, double bytes,
                                double members) noexcept;

/// Of `count` messages of `bytes` each that all come from one member or all go to one, the last
/// has arrived so much later at least. Seconds.
[[nodiscard]] double least_fan(const machine::Network& network, double count,
                               double bytes) noexcept;

/// Over at least so many links from end to end, whole messages or portions of them. Seconds.
[[nodiscard]] double least_way(const machine::Network& links, double distance,
                               double bytes) noexcept;

}  // namespace gridcast::network
