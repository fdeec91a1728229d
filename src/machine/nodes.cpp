#include "gridcast/machine/nodes.h"

#include <algorithm>
#include <limits>

#include "gridcast/base/contract.h"
#include "gridcast/base/error.h"
#include "par_tokens.h"

namespace gridcast::machine {
namespace {

/// The descriptions that occur in the machine outside of nodes, and the nodes, from the top down.
std::vector<std::size_t> down_to_nodes(const Cluster& cluster) {
  std::vector<std::size_t> found{cluster.root()};
  std::vector<bool> known(cluster.nodes().size(), false);
  known[cluster.root()] = true;
  for (std::size_t next = 0; next < found.size(); ++next) {
    const ClusterNode& node = cluster.nodes()[found[next]];
    if (node.node != NodeRole::no) {
      continue;
    }
    for (const ClusterNode::Item& item : node.items) {
      if (!known[item.node]) {
        known[item.node] = true;
        found.push_back(item.node);
      }
    }
  }
  return found;
}

/// The numbers of the first processors of the processes of `threads` threads below a composite that
/// begins with processor `first` (par_threads.cpp has the rule).
void add_starts(const Cluster& cluster, std::size_t at, std::int32_t threads, std::int64_t first,
                std::vector<std::int64_t>& starts) {
  std::int64_t row = first;  // where processors side by side begin
  const auto end_row = [&](std::int64_t end) {
    for (; row + threads <= end; row += threads) {
      starts.push_back(row);
    }
  };
  for (const ClusterNode::Item& item : cluster.nodes()[at].items) {
    const ClusterNode& part = cluster.nodes()[item.node];
    if (part.items.empty()) {
      first += item.count;
      continue;
    }
    end_row(first);
    for (std::int64_t i = 0; i < item.count; ++i, first += part.processors) {
      add_starts(cluster, item.node, threads, first, starts);
    }
    row = first;
  }
  end_row(first);
}

}  // namespace

/// Collects the nodes below a description.
struct NodeList::Walk {
  const std::vector<ClusterNode>& nodes;
  std::int64_t most;
  bool priced;
  const Cluster& whole;  ///< with all its processors
  std::int32_t threads;

  static void append(std::vector<Run>& runs, const Run& run) {
    if (!runs.empty() && runs.back().size == run.size && runs.back().price == run.price &&
        runs.back().alike == run.alike && runs.back().starts == run.starts) {
      runs.back().count += run.count;
    } else {
      runs.push_back(run);
    }
  }

  [[nodiscard]] std::vector<Run> below(std::size_t at) const {
    const ClusterNode& node = nodes[at];
    if (node.node != NodeRole::no) {
      if (priced && !node.price) {
        throw InputError(par::in_quotes(node.name) + " is a node and has no Price",
                         "expected a Price for each node, or none at all");
      }
      Run run{1, node.processors, node.price.value_or(1.0), node.levels <= 1, 0, 0, 0.0};
      if (threads > 1 && !run.alike) {
        const auto own = std::ranges::find(whole.nodes(), node.name, &ClusterNode::name);
        add_starts(whole, static_cast<std::size_t>(own - whole.nodes().begin()), threads, 0,
                   run.starts);
      }
      return {run};
    }
    std::vector<Run> runs;
    std::int64_t covered = 0;
    for (const ClusterNode::Item& item : node.items) {
      if (covered >= most) {
        break;
      }
      const std::vector<Run> part = below(item.node);
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

NodeList::NodeList(const Cluster& cluster, std::int64_t most) : NodeList(cluster, most, 1) {}

NodeList::NodeList(const Cluster& cluster, std::int64_t most, std::int32_t threads)
    : threads_(threads) {
  const Cluster seen = cluster.with_threads(threads);
  priced_ = std::ranges::any_of(down_to_nodes(seen),
                                [&](std::size_t at) { return seen.nodes()[at].price.has_value(); });
  runs_ = Walk{seen.nodes(), std::max<std::int64_t>(1, most / threads), priced_, cluster, threads}
              .below(seen.root());
  for (std::size_t i = 1; i < runs_.size(); ++i) {
    const Run& before = runs_[i - 1];
    runs_[i].first = before.first + before.count * before.size;
    runs_[i].nodes = before.nodes + before.count;
    runs_[i].rate = before.rate + static_cast<double>(before.count) * before.price;
  }
}

NodeList::NodeList(const Cluster& cluster, std::int64_t most, std::span<const std::int32_t> threads)
    : NodeList(cluster, most, threads.front()) {
  others_.reserve(threads.size() - 1);
  for (const std::int32_t number : threads.subspan(1)) {
    others_.push_back(NodeList(cluster, most, number));
  }
}

const NodeList& NodeList::of(std::int32_t threads) const {
  if (threads == threads_) {
    return *this;
  }
  const auto found = std::ranges::find(others_, threads, &NodeList::threads_);
  expects(found != others_.end(), "nodes are known for these threads");
  return *found;
}

template <class F>
void NodeList::for_each_list(F&& f) const {
  f(*this);
  std::ranges::for_each(others_, f);
}

std::int64_t NodeList::fewest_nodes(std::int64_t cores) const noexcept {
  std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
  for_each_list([&](const NodeList& list) {
    fewest = std::min(fewest, list.nodes((cores + list.threads_ - 1) / list.threads_));
  });
  return fewest;
}

std::string node_note(const Cluster& cluster) {
  std::string names;
  std::string first;
  for (const std::size_t at : down_to_nodes(cluster)) {
    const ClusterNode& node = cluster.nodes()[at];
    if (node.node == NodeRole::guessed) {
      first = first.empty() ? node.name : first;
      names += (names.empty() ? "" : ", ") + par::in_quotes(node.name);
    }
  }
  return names.empty() ? names
                       : names + " is taken for the node, the highest cluster under the top one; " +
                             first + ".IsNode = yes; in the machine file confirms it, or says it " +
                             "of the cluster that is";
}

const NodeList::Run& NodeList::run_of(std::int64_t processors) const noexcept {
  const auto after =
      std::upper_bound(runs_.begin(), runs_.end(), processors - 1,
                       [](std::int64_t number, const Run& run) { return number < run.first; });
  return after == runs_.begin() ? runs_.front() : *std::prev(after);
}

bool NodeList::holds(std::int64_t processors) const noexcept {
  const Run& last = runs_.back();
  return processors <= last.first + last.count * last.size;
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
      result.back().count += count;  // they differ in other things
    } else {
      result.push_back({count, run.size});
    }
  }
  return result;
}

NodePlace NodeList::place(std::int64_t processor) const noexcept {
  const Run& run = run_of(processor + 1);
  const std::int64_t inside = processor - run.first;
  const std::int64_t number = inside % run.size;
  return {run.nodes + inside / run.size,
          run.starts.empty() ? number * threads_ : run.starts[static_cast<std::size_t>(number)],
          run.alike};
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
