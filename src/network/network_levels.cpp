#include "gridcast/network/network_levels.h"

#include <algorithm>

namespace gridcast::network {

std::vector<NetworkLevel> network_levels(const machine::Cluster& cluster, std::int64_t processors,
                                         Queues queues) {
  std::vector<NetworkLevel> levels;
  const machine::ClusterNode* node = &cluster.nodes()[cluster.root()];
  while (!node->items.empty()) {
    const machine::ClusterNode::Item& first = node->items.front();
    const machine::ClusterNode& part = cluster.nodes()[first.node];
    if (part.processors >= processors) {
      node = &part;  // this network carries nothing
      continue;
    }
    const std::int64_t wanted = std::min(processors, node->processors);
    const bool equal = node->levels <= 1 || first.count * part.processors >= wanted;
    if (!queues_at(node->network.type, queues) || !equal) {
      return {};
    }
    // Nor does that of a single part.
    if (part.processors < node->processors) {
      levels.push_back({node->processors, node->network});
    }
    node = &part;
  }
  std::reverse(levels.begin(), levels.end());
  return levels;
}

}  // namespace gridcast::network
