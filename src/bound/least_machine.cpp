#include "least_machine.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "gridcast/network/least.h"

namespace gridcast::model {

using machine::ClusterNode;
using machine::Network;
using machine::NetworkType;

void LeastMachine::Speed::add(const Speed& other, double times) noexcept {
  if (times > 0.0) {
    least = sum == 0.0 ? other.least : std::min(least, other.least);
    most = std::max(most, other.most);
    sum += times * other.sum;
  }
}

LeastMachine::LeastMachine(const machine::Cluster& cluster) : cluster_(&cluster) {
  speeds_.resize(cluster.nodes().size());
  const std::function<void(std::size_t)> fill = [&](std::size_t at) {
    const ClusterNode& node = cluster.nodes()[at];
    if (speeds_[at].sum > 0.0) {
      return;
    }
    if (node.items.empty()) {
      speeds_[at] = {node.performance, node.performance, node.performance};
      return;
    }
    for (const ClusterNode::Item& item : node.items) {
      fill(item.node);
      speeds_[at].add(speeds_[item.node], static_cast<double>(item.count));
    }
  };
  fill(cluster.root());
  const ClusterNode& root = cluster.nodes()[cluster.root()];
  if (root.levels == 1 && root.network.type == NetworkType::transputer) {
    links_ = &root.network;
  }
  inverse_of_first_ = 1.0 / speed_of(cluster.root(), 1).sum;
}

LeastMachine::Speed LeastMachine::speed_of(std::size_t node, std::int64_t processors) const {
  const ClusterNode& here = cluster_->nodes()[node];
  if (processors >= here.processors) {
    return speeds_[node];
  }
  Speed speed;
  for (const ClusterNode::Item& item : here.items) {
    const std::int64_t size = cluster_->nodes()[item.node].processors;
    const std::int64_t full = std::min(item.count, processors / size);
    speed.add(speeds_[item.node], static_cast<double>(full));
    processors -= full * size;
    if (full < item.count) {
      if (processors > 0) {
        speed.add(speed_of(item.node, processors), 1.0);
      }
      break;
    }
  }
  return speed;
}

/// The smallest cluster that holds the first so many processors.
std::size_t LeastMachine::top_of(std::int64_t processors) const {
  std::size_t at = cluster_->root();
  while (!cluster_->nodes()[at].items.empty()) {
    const std::size_t first = cluster_->nodes()[at].items.front().node;
    if (cluster_->nodes()[first].processors < processors) {
      break;
    }
    at = first;
  }
  return at;
}

void LeastMachine::collect(std::size_t node, std::vector<char>& seen) {
  const ClusterNode& here = cluster_->nodes()[node];
  if (here.processors < 2 || seen[node] != 0) {
    return;
  }
  seen[node] = 1;
  if (std::find(below_.begin(), below_.end(), here.network) == below_.end()) {
    below_.push_back(here.network);
  }
  for (const ClusterNode::Item& item : here.items) {
    collect(item.node, seen);
  }
}

void LeastMachine::reset(std::int64_t least, std::int64_t most) {
  most_ = static_cast<double>(most);
  speed_ = speed_of(cluster_->root(), most);
  const std::size_t top = top_of(std::max<std::int64_t>(most, 2));
  if (collected_ != top) {
    below_.clear();
    std::vector<char> seen(cluster_->nodes().size(), 0);
    collect(top, seen);
    collected_ = top;
  }
  top_ = nullptr;
  const ClusterNode& node = cluster_->nodes()[top];
  if (node.items.empty() || top_of(std::max<std::int64_t>(least, 2)) != top) {
    return;
  }
  top_ = &node.network;
  span_ = 1.0;
  for (const ClusterNode::Item& item : node.items) {
    span_ = std::max(span_, static_cast<double>(cluster_->nodes()[item.node].processors));
  }
  regular_ = node.items.size() == 1;
  members_ = regular_ ? std::ceil(most_ / span_) : most_;
}

const Network* LeastMachine::bus() const noexcept {
  return top_ != nullptr && span_ == 1.0 && top_->channels == 1 &&
                 (top_->type == NetworkType::ethernet || top_->type == NetworkType::myrinet)
             ? top_
             : nullptr;
}

double LeastMachine::message(double bytes, double distance) const noexcept {
  if (top_ != nullptr && distance >= span_) {
    return network::least_message(*top_, bytes);
  }
  double least = std::numeric_limits<double>::infinity();
  for (const Network& network : below_) {
    least = std::min(least, network::least_message(network, bytes));
  }
  return below_.empty() ? 0.0 : least;
}

double LeastMachine::arrival(double bytes, double distance) const noexcept {
  if (top_ != nullptr && distance >= span_) {
    return network::least_arrival(*top_, bytes);
  }
  double least = std::numeric_limits<double>::infinity();
  for (const Network& network : below_) {
    least = std::min(least, network::least_arrival(network, bytes));
  }
  return below_.empty() ? 0.0 : least;
}

double LeastMachine::crossing(const Stream& stream) const noexcept {
  if (top_ == nullptr) {
    return 0.0;
  }
  if (stream.distance >= span_) {
    return stream.count;
  }
  // Of consecutive numbers in one part, so many have a partner in the same part.
  return regular_ ? std::max(stream.count - members_ * (span_ - stream.distance), 0.0) : 0.0;
}

double LeastMachine::load(const Stream& stream) const noexcept {
  const double count = crossing(stream);
  if (!(count > 0.0)) {
    return 0.0;
  }
  const double bytes = count == stream.count ? stream.bytes : count * stream.own;
  return network::least_load(*top_, count, bytes, members_);
}

double LeastMachine::fan(double count, double bytes) const noexcept {
  if (top_ == nullptr) {
    return count > 0.0 ? arrival(bytes) : 0.0;
  }
  // The other processors of its part are reached without the top.
  const double far = std::max(count - (span_ - 1.0), 0.0);
  return std::max(network::least_fan(*top_, far, bytes), count > 0.0 ? arrival(bytes) : 0.0);
}

double LeastMachine::fan_to(double number, double bytes) const noexcept {
  return top_ != nullptr && number >= span_
             ? network::least_fan(*top_, number - (span_ - 1.0), bytes)
             : arrival(bytes);
}

double LeastMachine::turn(double before, double bytes, double distance) const noexcept {
  return top_ != nullptr && distance >= span_ ? network::least_turn(*top_, before, bytes) : 0.0;
}

}  // namespace gridcast::model
