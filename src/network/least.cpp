#include "gridcast/network/least.h"

#include <algorithm>
#include <cmath>

#include "gridcast/network/networks.h"

namespace gridcast::network {

using machine::Network;
using machine::NetworkType;

namespace {

double channels_of(const Network& network) { return static_cast<double>(network.channels); }

bool is_links(const Network& network) { return network.type == NetworkType::transputer; }
bool is_ports(const Network& network) { return network.type == NetworkType::ports; }

/// That of a message of at least `bytes` in a port: of all segments the least time per byte.
double least_length(const Network& network, double bytes) {
  return std::max(network.gap, bytes * network.byte_time);
}

}  // namespace

double least_arrival(const Network& network, double bytes) noexcept {
  if (is_ports(network)) {
    return network.send_time + network.start_time + bytes * network.byte_time +
           network.receive_time;
  }
  // One link: more of them take no less time.
  return network.start_time + bytes * network.byte_time;
}

double least_load(const Network& network, double count, double bytes, double members) noexcept {
  if (is_links(network) || !(count > 0.0)) {
    return 0.0;
  }
  if (is_ports(network)) {
    // Some port has no less than the mean to serve. Nobody waits for the rest of the last gap.
    return std::max((count / members - 1.0) * network.gap, bytes * network.byte_time / members);
  }
  // Some channel carries no less than the mean.
  return (count * network.start_time + bytes * network.byte_time) / channels_of(network);
}

double least_besides_load(const Network& network) noexcept {
  return is_ports(network) ? network.send_time + network.start_time + network.receive_time : 0.0;
}

double least_through_port(const Network& network, std::span<const LeastMessages> messages,
                          FanWay way) noexcept {
  if (!is_ports(network)) {
    return 0.0;
  }
  // A message of b bytes is through b · TByte and the lesser of its length and each other's later.
  double last = 0.0;
  for (const LeastMessages& own : messages) {
    if (!(own.count > 0.0)) {
      continue;
    }
    const double length = least_length(network, own.bytes);
    double served = own.bytes * network.byte_time - length;
    double received = 0.0;  // no earlier than this one
    for (const LeastMessages& other : messages) {
      const double others = least_length(network, other.bytes);
      served += other.count * std::min(others, length);
      received += other.bytes >= own.bytes ? other.count : 0.0;
    }
    received = way == FanWay::in ? received : 1.0;
    last = std::max(last, served + received * network.receive_time);
  }
  return last > 0.0 ? network.send_time + network.start_time + last : 0.0;
}

double least_fan(const Network& network, double count, double bytes, FanWay way) noexcept {
  if (!(count > 0.0)) {
    return 0.0;
  }
  const double one = least_arrival(network, bytes);
  if (is_links(network)) {
    return one;
  }
  if (is_ports(network)) {
    // The port lets them through together. Of one processor they leave no faster than it sends, to
    // one they arrive together and are received one after the other.
    const double length = least_length(network, bytes);
    const double in = length + network.receive_time;
    const double each = way == FanWay::in ? in : std::min(std::max(length, network.send_time), in);
    return one + (count - 1.0) * each;
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
  return std::max(one, (hops + bytes / portion) * (links.start_time + portion * links.byte_time));
}

}  // namespace gridcast::network
