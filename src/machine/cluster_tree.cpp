// The text of `gridcast machine show`.
#include <array>
#include <optional>
#include <utility>

#include "gridcast/machine/cluster.h"
#include "gridcast/machine/nodes.h"
#include "par_description.h"
#include "par_tokens.h"

namespace gridcast::machine {
namespace {

constexpr double microseconds_per_second = 1e6;

// Nine digits: seconds times 1e6 may be off in the last place, which nobody wants to read.
std::string microseconds(double seconds) {
  return par::rounded(seconds * microseconds_per_second, 9);
}

std::string processors_text(std::int64_t count) {
  return std::to_string(count) + (count == 1 ? " processor" : " processors");
}

std::string message_text(double start_time, double byte_time) {
  return ", TStart " + microseconds(start_time) + " µs, TByte " + microseconds(byte_time) +
         " µs/byte" + (byte_time > 0.0 ? " (" + par::gigabytes(byte_time) + ")" : std::string());
}

std::string network_text(const Network& network) {
  std::string result = par::comm_text(network.type, network.channels);
  for (const Segment& each : network.segments) {
    result += ", from " + std::to_string(each.bytes) + " bytes" +
              message_text(each.start_time, each.byte_time);
  }
  result += network.segments.empty() ? message_text(network.start_time, network.byte_time) : "";
  if (network.type == NetworkType::ports) {
    result += ", TSend " + microseconds(network.send_time) + " µs, TRecv " +
              microseconds(network.receive_time) + " µs, TGap " + microseconds(network.gap) + " µs";
  }
  if (network.eager_limit != usual_eager_limit) {
    result += ", EagerLimit " + par::shortest(network.eager_limit) + " bytes";
  }
  if (network.detach_limit) {
    result += ", DetachLimit " + par::shortest(*network.detach_limit) + " bytes";
  }
  return result;
}

std::string price_text(const ClusterNode& node) {
  return node.price ? ", price " + par::shortest(*node.price) + " per hour" : std::string();
}

std::string role_text(const ClusterNode& node, bool in_node) {
  return in_node || node.node == NodeRole::no ? "" : ", a node";
}

class Tree {
public:
  explicit Tree(const std::vector<ClusterNode>& nodes)
      : nodes_(nodes), shown_(nodes.size(), false) {}

  std::string run(std::size_t root) {
    show(root, {}, 0, false);
    return std::move(text_);
  }

private:
  // A description that occurs again is shown once: its parts are the same everywhere.
  void show(std::size_t at, const std::string& count, std::size_t depth, bool in_node) {
    const ClusterNode& node = nodes_[at];
    text_ += std::string(2 * depth, ' ') + count + node.name + ": ";
    if (node.items.empty()) {
      text_ += "processor, performance " + par::shortest(node.performance) +
               role_text(node, in_node) + price_text(node);
      if (!node.threads.empty()) {
        text_ += ", threads " + par::threads_text(node.threads);
      }
      text_ += "\n";
      return;
    }
    text_ += processors_text(node.processors) + (count.empty() ? "" : " each");
    if (shown_[at]) {
      text_ += ", as above\n";
      return;
    }
    shown_[at] = true;
    if (node.processors > 1) {
      text_ += ", " + network_text(node.network);
    }
    text_ += role_text(node, in_node) + price_text(node) + "\n";
    for (const ClusterNode::Item& item : node.items) {
      show(item.node, std::to_string(item.count) + " x ", depth + 1,
           in_node || node.node != NodeRole::no);
    }
  }

  const std::vector<ClusterNode>& nodes_;
  std::vector<bool> shown_;
  std::string text_;
};

// One line per level: how many networks there are and how many processors hang below them.
std::string levels_text(const std::vector<ClusterNode>& nodes, std::size_t root) {
  std::string result;
  std::vector<std::int64_t> instances(nodes.size(), 0);
  instances[root] = 1;
  for (std::int32_t level = 0; level < nodes[root].levels; ++level) {
    std::vector<std::int64_t> below(nodes.size(), 0);
    std::int64_t networks = 0;
    std::int64_t processors = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (instances[i] == 0 || nodes[i].items.empty()) {
        continue;
      }
      networks += instances[i];
      processors += instances[i] * nodes[i].processors;
      for (const ClusterNode::Item& item : nodes[i].items) {
        below[item.node] += instances[i] * item.count;
      }
    }
    result += "level " + std::to_string(level) + ": " + std::to_string(networks) +
              (networks == 1 ? " network, " : " networks, ") + processors_text(processors) + "\n";
    instances = std::move(below);
  }
  return result;
}

}  // namespace

std::string Cluster::tree_text() const {
  std::string result = Tree(nodes_).run(root_);
  const std::array<std::optional<double>, par::library_cost_count> costs{
      library_.collective, library_.load, library_.portion, library_.copy, library_.array};
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const std::string_view name = par::library_cost_name(i);
    if (costs[i] && (*costs[i] > 0.0 || name == "TArray")) {
      result += std::string(name) + " " + microseconds(*costs[i]) + " µs" +
                (name == "TCopy" ? "/byte" : "") + "\n";
    }
  }
  if (allreduce_ != AllreduceTable{}) {
    result += "Allreduce " + par::allreduce_text(allreduce_) + "\n";
  }
  if (topology_) {
    result += "topology " + topology_->text() + "\n";
  }
  result += levels_text(nodes_, root_);
  const std::string note = node_note(*this);
  return note.empty() ? result : result + "note: " + note + "\n";
}

}  // namespace gridcast::machine
