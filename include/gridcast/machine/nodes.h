#pragma once
/// The nodes of a cluster: what a batch system hands out whole and what is paid for
/// (docs/search.md).

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gridcast/machine/cluster.h"

namespace gridcast::machine {

/// Equal nodes in a row.
struct NodeRun {
  std::int64_t count = 0;  ///< nodes
  std::int64_t size = 0;   ///< processors of each
};

/// Where a processor is.
struct NodePlace {
  std::int64_t node = 0;  ///< number of its node, from 0
  std::int64_t slot = 0;  ///< its number in the node, from 0
  bool alike = true;      ///< all processors of the node are equally far from each other
};

/// The nodes of the first processors of a cluster, in their order. A node is, on the way down from
/// the top cluster to a processor: what has `IsNode = yes` or a `Price`; else what is named `node`;
/// else the first part of the top cluster.
class NodeList {
public:
  /// The nodes of at least the first `most` processors. Throws InputError if some nodes of the
  /// cluster have a price and one of these has none.
  NodeList(const Cluster& cluster, std::int64_t most);

  /// Whether there are so many processors in the list.
  [[nodiscard]] bool holds(std::int64_t processors) const noexcept;

  /// Nodes that hold the first `processors` processors, the last one perhaps in part.
  [[nodiscard]] std::int64_t nodes(std::int64_t processors) const noexcept;

  /// Those nodes in their order, equal ones in a row together.
  [[nodiscard]] std::vector<NodeRun> first(std::int64_t processors) const;

  /// Where a processor is; `processor` counts from 0 and is one of the machine's.
  [[nodiscard]] NodePlace place(std::int64_t processor) const noexcept;

  /// What those nodes cost per hour: the sum of their prices, 1 per node without prices. Does not
  /// fall when `processors` rises.
  [[nodiscard]] double rate(std::int64_t processors) const noexcept;

  /// The least number of processors, at least `processors`, that fills whole nodes; nothing beyond
  /// the last node.
  [[nodiscard]] std::optional<std::int64_t> next_full(std::int64_t processors) const noexcept;

  /// Whether nodes have prices, so that rates are money.
  [[nodiscard]] bool priced() const noexcept { return priced_; }

private:
  /// Equal nodes in a row.
  struct Run {
    std::int64_t count = 0;  ///< nodes
    std::int64_t size = 0;   ///< processors of each
    double price = 1.0;      ///< of each, per hour
    bool alike = true;       ///< no clusters inside
    std::int64_t first = 0;  ///< number of the first processor
    std::int64_t nodes = 0;  ///< nodes before
    double rate = 0.0;       ///< of the nodes before
  };
  struct Walk;

  [[nodiscard]] const Run& run_of(std::int64_t processors) const noexcept;

  std::vector<Run> runs_;
  bool priced_ = false;
};

/// What to know where nodes count: which clusters are taken for nodes although neither a mark nor
/// their name says so. One sentence, empty if there are none.
[[nodiscard]] std::string node_note(const Cluster& cluster);

}  // namespace gridcast::machine
