#include "network_levels.h"

#include <algorithm>

namespace gridcast::model {

std::vector<NetworkLevel> network_levels(const machine::Cluster& cluster, std::int64_t processors) {
  std::vector<NetworkLevel> levels;
  const machine::ClusterNode* node = &cluster.nodes()[cluster.root()];
  while (!node->items.empty()) {
    const bool channels = node->network.type == machine::NetworkType::ethernet ||
                          node->network.type == machine::NetworkType::myrinet;
    const machine::ClusterNode::Item& first = node->items.front();
    const machine::ClusterNode& part = cluster.nodes()[first.node];
    const std::int64_t wanted = std::min(processors, node->processors);
    if (!channels || first.count * part.processors < wanted) {
      return {};
    }
    // The network of a single part carries nothing.
    if (part.processors < node->processors) {
      levels.push_back({node->processors, node->network});
    }
    node = &part;
  }
  std::reverse(levels.begin(), levels.end());
  return levels;
}

}  // namespace gridcast::model
