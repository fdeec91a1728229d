#include "gridcast/machine/nodes.h"

#include <algorithm>

#include "gridcast/base/error.h"
#include "par_tokens.h"

namespace gridcast::machine {
namespace {

/// Whether a node of the tree or one below it has a price.
bool has_price(const std::vector<ClusterNode>& nodes, std::size_t at) {
  return nodes[at].price || std::ranges::any_of(nodes[at].items, [&](const auto& item) {
           return has_price(nodes, item.node);
         });
}

}  // namespace

/// Collects the nodes below a description.
struct NodeList::Walk {
  const std::vector<ClusterNode>& nodes;
  std::int64_t most;
  bool priced;

  static void append(std::vector<Run>& runs, const Run& run) {
    if (!runs.empty() && runs.back().size == run.size && runs.back().price == run.price) {
      runs.back().count += run.count;
    } else {
      runs.push_back(run);
    }
  }

  [[nodiscard]] bool is_node(const ClusterNode& node, bool top) const {
    if (priced) {
      return node.price.has_value();
    }
    return node.items.empty() || (!top && std::ranges::any_of(node.items, [this](const auto& item) {
             return nodes[item.node].items.empty();
           }));
  }

  void refuse(const ClusterNode& node, const std::string& problem) const {
    throw InputError(par::in_quotes(node.name) + problem,
                     "expected a Price for each node, or none at all");
  }

  [[nodiscard]] std::vector<Run> below(std::size_t at, bool top) const {
    const ClusterNode& node = nodes[at];
    if (is_node(node, top)) {
      for (const ClusterNode::Item& item : node.items) {
        if (priced && has_price(nodes, item.node)) {
          refuse(node, " has a Price, and so has a part of it");
        }
      }
      return {{1, node.processors, node.price.value_or(1.0), 0, 0, 0.0}};
    }
    if (node.items.empty()) {
      refuse(node, " has no Price and is part of no node that has one");
    }
    std::vector<Run> runs;
    std::int64_t covered = 0;
    for (const ClusterNode::Item& item : node.items) {
      if (covered >= most) {
        break;
      }
      const std::vector<Run> part = below(item.node, false);
      if (part.size() == 1) {
        Run many = part.front();
        many.count *= item.count;
        append(runs, many);
        covered += item.count * nodes[item.node].processors;
        continue;
      }
      for (std::int64_t i = 0; i < item.count && covered < most; ++i) {
        for (const Run& run : part) {
          append(runs, run);
        }
        covered += nodes[item.node].processors;
      }
    }
    return runs;
  }
};

NodeList::NodeList(const Cluster& cluster, std::int64_t most)
    : priced_(has_price(cluster.nodes(), cluster.root())) {
  runs_ = Walk{cluster.nodes(), most, priced_}.below(cluster.root(), true);
  for (std::size_t i = 1; i < runs_.size(); ++i) {
    const Run& before = runs_[i - 1];
    runs_[i].first = before.first + before.count * before.size;
    runs_[i].nodes = before.nodes + before.count;
    runs_[i].rate = before.rate + static_cast<double>(before.count) * before.price;
  }
}

const NodeList::Run& NodeList::run_of(std::int64_t processors) const noexcept {
  const auto after =
      std::upper_bound(runs_.begin(), runs_.end(), processors - 1,
                       [](std::int64_t number, const Run& run) { return number < run.first; });
  return after == runs_.begin() ? runs_.front() : *std::prev(after);
}

std::int64_t NodeList::nodes(std::int64_t processors) const noexcept {
  const Run& run = run_of(processors);
  return run.nodes + (processors - run.first + run.size - 1) / run.size;
}

std::vector<NodeRun> NodeList::first(std::int64_t processors) const {
  const std::int64_t wanted = nodes(processors);
  std::vector<NodeRun> result;
  for (const Run& run : runs_) {
    if (run.nodes >= wanted) {
      break;
    }
    const std::int64_t count = std::min(run.count, wanted - run.nodes);
    if (!result.empty() && result.back().size == run.size) {
      result.back().count += count;  // they differ in price
    } else {
      result.push_back({count, run.size});
    }
  }
  return result;
}

double NodeList::rate(std::int64_t processors) const noexcept {
  const Run& run = run_of(processors);
  return run.rate + static_cast<double>(nodes(processors) - run.nodes) * run.price;
}

std::optional<std::int64_t> NodeList::next_full(std::int64_t processors) const noexcept {
  const Run& run = run_of(processors);
  const std::int64_t full = nodes(processors) - run.nodes;
  return full > run.count ? std::nullopt : std::optional(run.first + full * run.size);
}

}  // namespace gridcast::machine
