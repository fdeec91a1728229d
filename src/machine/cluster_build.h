#pragma once
/// From a description to the nodes of a Cluster: names become indices, networks that copy others
/// are resolved, processors are counted.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "gridcast/machine/cluster.h"
#include "par_description.h"

namespace gridcast::machine::par {

/// A network as far as it is known, costs in microseconds.
struct Link {
  std::optional<NetworkType> type;
  std::int32_t channels = 1;
  Costs costs;
  std::vector<Segment> segments;  ///< in microseconds; empty: none
};

/// The network of `definition` with what it copies from others. Throws InputError if a name is
/// unknown or clusters copy one another in a circle.
Link link_of(const Description& description, const Definition& definition, const std::string& file);

struct Built {
  std::vector<ClusterNode> nodes;  ///< one per definition, in the same order
  std::size_t root = 0;
};

/// Throws InputError for unknown names, clusters that contain themselves, more than max_levels
/// levels or max_processors processors, nodes inside nodes, missing networks and a topology larger
/// than the cluster.
Built build(const Description& description, const std::string& file);

}  // namespace gridcast::machine::par
