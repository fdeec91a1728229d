#include "gridcast/network/least.h"

#include <algorithm>
#include <cmath>

#include "gridcast/network/message_time.h"
#include "gridcast/network/networks.h"

namespace gridcast::network {

using machine::Network;
using machine::NetworkType;

namespace {

double channels_of(const Network& network) { return static_cast<double>(network.channels); }

bool is_links(const Network& network) { return network.type == NetworkType::transputer; }
bool is_ports(const Network& network) { return network.type == NetworkType::ports; }

}  // namespace

double least_arrival(const Network& network, double bytes) noexcept {
  if (is_ports(network)) {
    return network.send_time + network.start_time + bytes * network.byte_time +
           network.receive_time;
  }
  // One link: more of them take no less time.
  return pipelined_message_time(1, bytes, network.start_time, network.byte_time);
}

double least_load(const Network& network, double count, double bytes, double members) noexcept {
  if (is_links(network) || !(count > 0.0)) {
    return 0.0;
  }
  if (is_ports(network)) {
    // Nobody waits for the rest of the last message's gap.
    return std::max((count / members - 1.0) * network.gap, bytes * network.byte_time / members);
  }
  // Some channel carries no less than the mean.
  return (count * network.start_time + bytes * network.byte_time) / channels_of(network);
}

double least_fan(const Network& network, double count, double bytes) noexcept {
  if (!(count > 0.0)) {
    return 0.0;
  }
  const double one = least_arrival(network, bytes);
  if (is_links(network)) {
    return one;
  }
  if (is_ports(network)) {
    // The port lets them through one after the other, and so does the processor.
    const double each = std::min(network.send_time, network.receive_time);
    return one + (count - 1.0) * std::max(port_time(network, bytes), each);
  }
  return std::ceil(count / channels_of(network)) * one;
}

double least_way(const Network& links, double distance, double bytes) noexcept {
  const double one = least_arrival(links, bytes);
  if (!(distance > 1.0) || !(bytes > 0.0)) {
    return one;
  }
  // Parts of portions count here, and any length of them between a byte and the whole message.
  const double hops = distance - 1.0;
  const double whole = std::max(bytes, 1.0);
  const double ideal = links.byte_time > 0.0
                           ? std::sqrt(bytes * links.start_time / (hops * links.byte_time))
                           : whole;
  const double portion = std::clamp(ideal, 1.0, whole);
  return std::max(one, (hops + bytes / portion) * channel_time(links, portion));
}

}  // namespace gridcast::network
