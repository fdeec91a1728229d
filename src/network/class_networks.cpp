#include "gridcast/network/class_networks.h"

#include <algorithm>
#include <utility>

namespace gridcast::network {
namespace {

/// Whether processors or nodes are connected in a way that needs following each message.
bool links_below(const machine::Cluster& cluster, std::size_t at, bool top) {
  const machine::ClusterNode& node = cluster.nodes()[at];
  if (node.items.empty()) {
    return false;
  }
  const bool other = !queues_at(node.network.type, Queues::channels);
  return (other && (!top || node.levels > 1)) ||
         std::any_of(node.items.begin(), node.items.end(),
                     [&](const machine::ClusterNode::Item& item) {
                       return links_below(cluster, item.node, false);
                     });
}

}  // namespace

ClassNetworks::ClassNetworks(const machine::Cluster& cluster, System system)
    : cluster_(&cluster), system_(std::move(system)) {}

void ClassNetworks::reset(std::int64_t processors) {
  const machine::ClusterNode& top = cluster_->nodes()[cluster_->root()];
  levels_ = network_levels(*cluster_, processors, Queues::channels);
  port_levels_ = network_levels(*cluster_, processors, Queues::ports);
  const std::vector<NetworkLevel>& levels = levels_.empty() ? port_levels_ : levels_;
  const bool one = levels.size() == 1;  // few processors hang under one network
  flat_ = one || top.levels <= 1;
  top_ = one ? levels.front().network : top.network;
  links_below_ = !one && links_below(*cluster_, cluster_->root(), true);
}

}  // namespace gridcast::network
