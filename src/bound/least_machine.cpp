#include "least_machine.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gridcast/network/least.h"

namespace gridcast::model {

using machine::ClusterNode;
using machine::Network;
using machine::NetworkType;

void LeastMachine::Speed::add(const Speed& other, double times) noexcept {
  least = sum == 0.0 ? other.least : std::min(least, other.least);
  most = std::max(most, other.most);
  sum += times * other.sum;
}

LeastMachine::LeastMachine(const machine::Cluster& cluster, bool scattered)
    : allreduce_(cluster.allreduce()),
      nodes_(cluster.nodes()),
      root_(cluster.root()),
      scattered_(scattered),
      speeds_(cluster.nodes().size()) {
  for (ClusterNode& node : nodes_) {
    node.network.segments.clear();  // TStart and TByte are the least of all segments
  }
  const ClusterNode& root = nodes_[root_];
  if (root.levels == 1 && root.network.type == NetworkType::transputer) {
    links_ = &root.network;
  }
  inverse_of_first_ = 1.0 / of_first(root_, 1).sum;
}

/// Of the first so many processors of a node.
LeastMachine::Speed LeastMachine::of_first(std::size_t node, std::int64_t processors) {
  const ClusterNode& here = nodes_[node];
  const bool whole = processors == here.processors;
  if (whole && speeds_[node].sum > 0.0) {
    return speeds_[node];
  }
  Speed result;
  if (here.items.empty()) {
    result = {here.performance, here.performance, here.performance};
  }
  for (const ClusterNode::Item& item : here.items) {
    const std::int64_t size = nodes_[item.node].processors;
    const std::int64_t full = std::min(item.count, processors / size);
    const std::int64_t rest = full < item.count ? processors - full * size : 0;
    if (full > 0) {
      result.add(of_first(item.node, size), static_cast<double>(full));
    }
    if (rest > 0) {
      result.add(of_first(item.node, rest), 1.0);
    }
    processors -= full * size + rest;
  }
  if (whole) {
    speeds_[node] = result;
  }
  return result;
}

/// The smallest cluster that holds the first so many processors.
std::size_t LeastMachine::top_of(std::int64_t processors) const {
  std::size_t at = root_;
  while (!nodes_[at].items.empty()) {
    const std::size_t first = nodes_[at].items.front().node;
    if (nodes_[first].processors < processors) {
      break;
    }
    at = first;
  }
  return at;
}

void LeastMachine::reset(std::int64_t least, std::int64_t most) {
  most_ = static_cast<double>(most);
  speed_ = of_first(root_, most);
  const std::size_t top = top_of(std::max<std::int64_t>(most, 2));
  top_ = {};
  if (!nodes_[top].items.empty() && top_of(std::max<std::int64_t>(least, 2)) == top) {
    top_ = top_for(top, most_);
  }
  find_port_levels();
}

void LeastMachine::find_port_levels() {
  port_levels_.clear();
  std::int64_t whole = std::numeric_limits<std::int64_t>::max();
  for (std::size_t at = top_.node; top_.network != nullptr;) {
    const ClusterNode& here = nodes_[at];
    const Top parts = top_for(at, most_);
    const bool known = parts.span == 1.0 || (parts.regular && !scattered_);
    if (here.items.empty() || here.network.type != NetworkType::ports || !known) {
      return;
    }
    port_levels_.push_back({&here.network, static_cast<std::int64_t>(parts.span), whole});
    whole = port_levels_.back().part;
    at = here.items.front().node;
  }
}

/// Of so many processors at most in the node, the first of which has the lowest number.
LeastMachine::Top LeastMachine::top_for(std::size_t node, double processors) const noexcept {
  const ClusterNode& here = nodes_[node];
  Top top{node, &here.network, 1.0, processors, here.items.size() == 1};
  for (const ClusterNode::Item& item : here.items) {
    top.span = std::max(top.span, static_cast<double>(nodes_[item.node].processors));
  }
  top.members = top.regular ? std::ceil(processors / top.span) : processors;
  return top;
}

LeastMachine LeastMachine::of_free(const machine::Cluster& cluster, bool scattered) {
  LeastMachine machine(cluster, scattered);
  for (ClusterNode& node : machine.nodes_) {
    node.network.send_time = node.network.receive_time = 0.0;
    node.network.gap = node.network.byte_time > 0.0 ? node.network.gap : 0.0;
  }
  return machine;
}

bool LeastMachine::is_eager(double bytes) const noexcept {
  return std::all_of(nodes_.begin(), nodes_.end(), [&](const ClusterNode& node) {
    return node.processors == 1 ||
           (node.network.is_eager(bytes) && node.network.is_detached(bytes));
  });
}

bool LeastMachine::has_ports() const noexcept {
  return std::any_of(nodes_.begin(), nodes_.end(), [](const auto& node) {
    return node.processors > 1 && node.network.type == NetworkType::ports;
  });
}

bool LeastMachine::has_links() const noexcept {
  return std::any_of(nodes_.begin(), nodes_.end(), [](const auto& node) {
    return node.processors > 1 && node.network.type == NetworkType::transputer;
  });
}

/// Of all networks: messages may use any.
template <class F>
double LeastMachine::least_of_all(F&& time) const noexcept {
  double least = std::numeric_limits<double>::infinity();
  for (const ClusterNode& node : nodes_) {
    least = node.processors > 1 ? std::min(least, time(node.network)) : least;
  }
  return std::isfinite(least) ? least : 0.0;
}

double LeastMachine::arrival(double bytes, double distance) const noexcept {
  if (leaves_parts(top_, distance)) {
    return network::least_arrival(*top_.network, bytes);
  }
  return least_of_all(
      [&](const Network& network) { return network::least_arrival(network, bytes); });
}

double LeastMachine::least_overhead(double distance) const noexcept {
  const auto of = [](const Network& network) { return network.send_time + network.receive_time; };
  return leaves_parts(top_, distance) ? of(*top_.network) : least_of_all(of);
}

/// How many of the messages this network surely carries.
double LeastMachine::crossing(const Top& top, const Stream& stream) const noexcept {
  if (top.network == nullptr || leaves_parts(top, stream.distance)) {
    return top.network == nullptr ? 0.0 : stream.count;
  }
  const double distance = scattered_ ? 1.0 : stream.distance;
  double inside = stream.count;  // messages between processors of one part, at most
  if (stream.hubs > 0.0) {
    inside = stream.hubs * std::min(stream.near, std::floor((top.span - 1.0) / distance));
  } else if (top.regular) {
    inside = top.members * (top.span - distance);
  }
  return std::max(stream.count - inside, 0.0);
}

double LeastMachine::load(const Top& top, std::span<const Stream> streams) const noexcept {
  double all = 0.0;
  for (const Stream& stream : streams) {
    const double count = crossing(top, stream);
    if (count > 0.0) {
      const double inside = stream.count - count;
      const double bytes =
          inside > 0.0 ? std::max(count * stream.own, stream.bytes - inside * stream.longest)
                       : stream.bytes;
      all += network::least_load(*top.network, count, bytes, top.members);
    }
  }
  return all > 0.0 ? all + network::least_besides_load(*top.network) : 0.0;
}

double LeastMachine::load_among_first(const Stream& stream, double processors) const noexcept {
  if (scattered_ || !(processors >= 2.0)) {
    return 0.0;
  }
  const auto count = static_cast<std::int64_t>(std::min(processors, most_));
  return load(top_for(top_of(count), static_cast<double>(count)), std::span(&stream, 1));
}

double LeastMachine::of_one(std::span<const network::LeastMessages> messages,
                            network::FanWay way) const noexcept {
  const bool alone = top_.network != nullptr && top_.span == 1.0;
  return alone ? network::least_through_port(*top_.network, messages, way) : 0.0;
}

double LeastMachine::fan(double count, double bytes, network::FanWay way) const noexcept {
  if (!(count > 0.0)) {
    return 0.0;
  }
  const double one = arrival(bytes);
  return top_.network == nullptr ? one : std::max(one, fan_in(top_.node, count, bytes, way));
}

double LeastMachine::fan_after(double count, double bytes, double before) const noexcept {
  if (!(count > 0.0)) {
    return 0.0;
  }
  // Who shares a port with messages that were sent before waits for their lengths, not for them.
  const double sent = least_of_all([](const Network& network) { return network.send_time; });
  const double each = least_of_all([](const Network& network) { return network.receive_time; });
  return std::max(fan(count, bytes, network::FanWay::in),
                  arrival(bytes) + before * sent + (count - 1.0) * each);
}

/// Of messages between one processor of the node and others in it, the least over all parts that it
/// may belong to: half of the messages or more leave the part, or half or more stay in it.
double LeastMachine::fan_in(std::size_t node, double count, double bytes,
                            network::FanWay way) const noexcept {
  const ClusterNode& here = nodes_[node];
  const auto leave = [&](double some) {
    return network::least_fan(here.network, some, bytes, way);
  };
  const double half = std::ceil(count / 2.0);
  double least = std::numeric_limits<double>::infinity();
  for (const ClusterNode::Item& item : here.items) {
    const auto others = static_cast<double>(nodes_[item.node].processors - 1);
    const double split =
        half > others ? leave(half) : std::min(leave(half), fan_in(item.node, half, bytes, way));
    least = std::min(least, std::max(leave(std::max(count - others, 0.0)), split));
  }
  return least;
}

double LeastMachine::fan_over_links(double distance, double bytes) const noexcept {
  return links_ == nullptr ? 0.0 : network::least_way(*links_, distance, bytes);
}

}  // namespace gridcast::model
