#pragma once
/// Least times of messages on one network, whatever else it carries and in whatever order messages
/// come (docs/search.md, "Messages"). A new type of network has its line in each of them.

#include <span>

#include "gridcast/machine/cluster.h"

namespace gridcast::network {

/// Messages of at least `bytes` each.
struct LeastMessages {
  double count = 0.0;
  double bytes = 0.0;
};

/// Which way messages of one member go.
enum class FanWay {
  either,  ///< all come from it, or all go to it
  in       ///< all go to one processor of it
};

/// From the moment it may be sent, a message of `bytes` takes at least so long until its receiver
/// has it. Seconds.
[[nodiscard]] double least_arrival(const machine::Network& network, double bytes) noexcept;

/// `count` messages with `bytes` in all between `members` parts of the network keep it, or the
/// busiest of its ports, from being through with them for so long at least. Seconds, to be added up
/// over messages of several kinds.
[[nodiscard]] double least_load(const machine::Network& network, double count, double bytes,
                                double members) noexcept;

/// Messages that may be sent from one moment on take so much longer than the load of all of them,
/// until the last has been received. Seconds; may be negative.
[[nodiscard]] double least_besides_load(const machine::Network& network) noexcept;

/// Messages that all leave one port of the network, or all enter one, the last of which has been
/// received so much later at least; 0 if the network has no ports. `way`: in, if they go to one
/// processor. Seconds.
[[nodiscard]] double least_through_port(const machine::Network& network,
                                        std::span<const LeastMessages> messages,
                                        FanWay way) noexcept;

/// Of `count` messages of `bytes` each that all come from one processor or all go to one, the last
/// has arrived so much later at least. Seconds.
[[nodiscard]] double least_fan(const machine::Network& network, double count, double bytes,
                               FanWay way = FanWay::either) noexcept;

/// Over at least so many links from end to end, whole messages or portions of them. Seconds.
[[nodiscard]] double least_way(const machine::Network& links, double distance,
                               double bytes) noexcept;

}  // namespace gridcast::network
