#pragma once
/// The nodes of a cluster: what a batch system hands out whole and what is paid for
/// (docs/search.md).

#include <cstdint>
#include <optional>
#include <vector>

#include "gridcast/machine/cluster.h"

namespace gridcast::machine {

/// Equal nodes in a row.
struct NodeRun {
  std::int64_t count = 0;  ///< nodes
  std::int64_t size = 0;   ///< processors of each
};

/// The nodes of the first processors of a cluster, in their order. A node is what has a `Price`; in
/// a machine without prices it is a composite, other than the top one, that has processors among
/// its parts, and each processor that is a part of the top one.
class NodeList {
public:
  /// The nodes of at least the first `most` processors. Throws InputError if prices are given but
  /// a processor is in no node with a price, or in two.
  NodeList(const Cluster& cluster, std::int64_t most);

  /// Nodes that hold the first `processors` processors, the last one perhaps in part.
  [[nodiscard]] std::int64_t nodes(std::int64_t processors) const noexcept;

  /// Those nodes in their order, equal ones in a row together.
  [[nodiscard]] std::vector<NodeRun> first(std::int64_t processors) const;

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
    std::int64_t first = 0;  ///< number of the first processor
    std::int64_t nodes = 0;  ///< nodes before
    double rate = 0.0;       ///< of the nodes before
  };
  struct Walk;

  [[nodiscard]] const Run& run_of(std::int64_t processors) const noexcept;

  std::vector<Run> runs_;
  bool priced_ = false;
};

}  // namespace gridcast::machine
