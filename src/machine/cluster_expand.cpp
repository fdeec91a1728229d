// From descriptions to instances: the processors that a grid takes (docs/model.md §1).
#include <algorithm>
#include <utility>

#include "gridcast/base/contract.h"
#include "gridcast/base/error.h"
#include "gridcast/machine/cluster.h"

namespace gridcast::machine {
namespace {

class Expansion {
public:
  Expansion(const std::vector<ClusterNode>& nodes, std::size_t wanted)
      : nodes_(nodes), wanted_(wanted) {}

  ProcessorSystem run(std::size_t root) {
    result_.performance.reserve(wanted_);
    result_.ancestors.assign(static_cast<std::size_t>(nodes_[root].levels) * wanted_,
                             ProcessorSystem::no_network);
    add(root, 0);
    result_.ancestors.resize(static_cast<std::size_t>(result_.levels) * wanted_);
    result_.homogeneous = std::ranges::all_of(
        result_.performance, [&](double each) { return each == result_.performance.front(); });
    return std::move(result_);
  }

private:
  // Adds one instance of a node, or as much of it as is still wanted (at least one processor).
  void add(std::size_t at, std::int32_t level) {
    const ClusterNode& node = nodes_[at];
    const std::size_t first = result_.performance.size();
    if (node.items.empty()) {
      result_.performance.push_back(node.performance);
      return;
    }
    const auto instance = static_cast<std::uint32_t>(result_.networks.size());
    result_.networks.push_back(node.network);
    result_.nodes.push_back(at);
    result_.levels = std::max(result_.levels, level + 1);
    for (const ClusterNode::Item& item : node.items) {
      for (std::int64_t i = 0; i < item.count && result_.performance.size() < wanted_; ++i) {
        add(item.node, level + 1);
      }
    }
    const auto row = result_.ancestors.begin() +
                     static_cast<std::ptrdiff_t>(static_cast<std::size_t>(level) * wanted_);
    std::fill(row + static_cast<std::ptrdiff_t>(first),
              row + static_cast<std::ptrdiff_t>(result_.performance.size()), instance);
  }

  const std::vector<ClusterNode>& nodes_;
  std::size_t wanted_;
  ProcessorSystem result_;
};

}  // namespace

std::size_t ProcessorSystem::common_level(std::size_t a, std::size_t b) const noexcept {
  expects(a != b && a < processors() && b < processors(), "two processors of the system");
  const std::size_t row = processors();
  for (auto level = static_cast<std::size_t>(levels); level-- > 1;) {
    const std::uint32_t above = ancestors[level * row + a];
    if (above == ancestors[level * row + b] && above != no_network) {
      return level;
    }
  }
  return 0;  // one network is above all
}

ProcessorSystem Cluster::expand(std::int64_t count) const {
  if (count < 1 || count > processors()) {
    throw InputError(file_, 0,
                     "grid needs " + std::to_string(count) + " processors, cluster " + name() +
                         " has " + std::to_string(processors()),
                     "expected a grid of at most " + std::to_string(processors()));
  }
  ProcessorSystem system = Expansion(nodes_, static_cast<std::size_t>(count)).run(root_);
  system.library = library_;
  system.allreduce = allreduce_;
  return system;
}

}  // namespace gridcast::machine
