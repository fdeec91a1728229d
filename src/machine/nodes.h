#pragma once
/// The nodes of a cluster: what a batch system hands out whole and what is paid for
/// (docs/search.md).

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gridcast/machine/cluster.h"

namespace gridcast::machine {

/// Equal nodes in a row.
struct NodeRun {
  std::int64_t count = 0;  ///< nodes
  std::int64_t size = 0;   ///< processors of each
};

/// Where a processor is; a process of several threads is where the first of its processors is.
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

  /// The same for grids of processes of each of these numbers of threads (ascending, not empty), of
  /// at most `most` processors of the cluster: asked for numbers of processors it is the list of
  /// the first of them. Throws InputError, also as Cluster::with_threads().
  NodeList(const Cluster& cluster, std::int64_t most, std::span<const std::int32_t> threads);

  /// The nodes as processes of so many threads see them: numbers of processors are numbers of
  /// processes. Precondition: the list was made for that number.
  [[nodiscard]] const NodeList& of(std::int32_t threads) const;

  /// Nodes that hold the grid, and what they cost per hour.
  [[nodiscard]] std::int64_t nodes(const Grid& grid) const {
    return of(grid.threads()).nodes(grid.processors());
  }
  /// What those nodes cost per hour, as rate() of a number.
  [[nodiscard]] double rate(const Grid& grid) const {
    return of(grid.threads()).rate(grid.processors());
  }

  /// The fewest nodes that hold a grid of at least `cores` processors of the machine, whatever its
  /// threads.
  [[nodiscard]] std::int64_t fewest_nodes(std::int64_t cores) const noexcept;

  /// True if there are so many processors in the list.
  [[nodiscard]] bool holds(std::int64_t processors) const noexcept;

  /// Nodes that hold the first `processors` processors, the last one perhaps in part.
  [[nodiscard]] std::int64_t nodes(std::int64_t processors) const noexcept;

  /// Those nodes in their order, equal ones in a row together.
  [[nodiscard]] std::vector<NodeRun> first(std::int64_t processors) const;

  /// Where a processor, or a process, is; `processor` counts from 0 and is one of the machine's.
  [[nodiscard]] NodePlace place(std::int64_t processor) const noexcept;

  /// What those nodes cost per hour: the sum of their prices, 1 per node without prices. Does not
  /// fall when `processors` rises.
  [[nodiscard]] double rate(std::int64_t processors) const noexcept;

  /// The least number of processors, at least `processors`, that fills whole nodes; nothing beyond
  /// the last node.
  [[nodiscard]] std::optional<std::int64_t> next_full(std::int64_t processors) const noexcept;

  /// True if nodes have prices, so that rates are money.
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
    /// Numbers of the first processors of its processes, where they do not follow from the threads.
    std::vector<std::int64_t> starts{};
  };
  struct Walk;

  NodeList(const Cluster& cluster, std::int64_t most, std::int32_t threads);

  [[nodiscard]] const Run& run_of(std::int64_t processors) const noexcept;
  template <class F>
  void for_each_list(F&& f) const;

  std::vector<Run> runs_;
  bool priced_ = false;
  std::int32_t threads_ = 1;
  std::vector<NodeList> others_;  ///< of the other numbers of threads
};

/// What to know where nodes count: which clusters are taken for nodes although neither a mark nor
/// their name says so. One sentence, empty if there are none.
[[nodiscard]] std::string node_note(const Cluster& cluster);

}  // namespace gridcast::machine
