#include "cluster_build.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "gridcast/base/error.h"
#include "par_tokens.h"

namespace gridcast::machine::par {
namespace {

constexpr double microseconds_per_second = 1e6;

using Index = std::map<std::string, std::size_t, std::less<>>;

Index index_of(const Description& description) {
  Index result;
  for (std::size_t i = 0; i < description.definitions.size(); ++i) {
    result.emplace(lowered(description.definitions[i].name), i);
  }
  return result;
}

/// What a definition gives of the costs that are still open.
void take_costs(const Definition& given, const Definition& definition, const std::string& file,
                Link& link) {
  const auto cost = [](Costs& costs, Cost which) -> std::optional<double>& {
    return costs[static_cast<std::size_t>(which)];
  };
  const bool segmented = !link.segments.empty();
  Costs costs = given.costs;
  if (segmented) {
    cost(costs, Cost::start).reset();
    cost(costs, Cost::byte).reset();
  }
  for (std::size_t i = 0; i < cost_count; ++i) {
    link.costs[i] = link.costs[i] ? link.costs[i] : costs[i];
  }
  if (given.segments.empty() || segmented) {
    return;
  }
  if (cost(link.costs, Cost::start) || cost(link.costs, Cost::byte)) {
    throw InputError(file,
                     definition.segments_line > 0 ? definition.segments_line : definition.line,
                     in_quotes(definition.name) + " has Segments and a TStart or TByte beside them",
                     "expected one of them (one segment: --set NAME.Segments.4096.TStart=4.3)");
  }
  link.segments = given.segments;
}

Link resolved_link(const Description& description, const Index& index, const Definition& definition,
                   const std::string& file) {
  Link result;
  const Definition* at = &definition;
  // A chain of copies longer than the number of clusters one may nest is a circle or a joke.
  for (std::int32_t step = 0; step <= max_levels; ++step) {
    take_costs(*at, definition, file, result);
    if (!at->comm || at->comm->copied_from.empty()) {
      if (at->comm) {
        result.type = at->comm->type;
        result.channels = at->comm->channels;
      } else if (step > 0) {
        throw InputError(file, definition.comm_line,
                         in_quotes(definition.name) + " copies the network of " +
                             in_quotes(at->name) + ", which has none",
                         "expected a cluster with a CommType");
      }
      return result;
    }
    const auto found = index.find(lowered(at->comm->copied_from));
    if (found == index.end() || description.definitions[found->second].is_processor()) {
      throw InputError(
          file, at->comm_line,
          in_quotes(at->comm->copied_from) + " is neither a network nor a cluster",
          "expected ethernet, transputer, myrinet (number of channels), ports, loggp or "
          "the name of another cluster {...}");
    }
    at = &description.definitions[found->second];
  }
  throw InputError(
      file, definition.comm_line,
      "the network of " + in_quotes(definition.name) + " is copied in a circle",
      "expected CommType ethernet, transputer, myrinet (number of channels) or ports in "
      "one of the clusters");
}

class Builder {
public:
  Builder(const Description& description, const std::string& file)
      : description_(description), file_(file), index_(index_of(description)) {}

  Built run() {
    nodes_.resize(description_.definitions.size());
    states_.resize(nodes_.size(), State::fresh);
    holds_mark_.resize(nodes_.size(), false);
    holds_name_.resize(nodes_.size(), false);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      count(i);
    }
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      connect(i);
    }
    const std::size_t root = top();
    find_nodes(root);
    check_library(root);
    check_topology(nodes_[root]);
    return {std::move(nodes_), root};
  }

private:
  enum class State : std::uint8_t { fresh, open, done };

  // Fills name, items, processors and levels of a node, after those below it.
  void count(std::size_t at) {
    const Definition& definition = description_.definitions[at];
    ClusterNode& node = nodes_[at];
    if (states_[at] == State::done) {
      return;
    }
    node.name = definition.name;
    node.price = definition.price;
    node.line = definition.line;
    if (definition.is_processor()) {
      node.performance = *definition.performance;
      node.threads = definition.threads;
      look_for_marks(at);
      states_[at] = State::done;
      return;
    }
    states_[at] = State::open;
    path_.push_back(at);
    node.processors = 0;
    for (const Part& part : definition.parts) {
      const std::size_t child = child_of(part, definition);
      count(child);
      node.items.push_back({part.count, child});
      node.levels = std::max(node.levels, nodes_[child].levels + 1);
      // Both factors are below 2^31, and so is the sum so far.
      node.processors += part.count * nodes_[child].processors;
      if (node.processors > max_processors) {
        throw InputError(file_, part.line, in_quotes(node.name) + " has too many processors",
                         "expected at most " + std::to_string(max_processors));
      }
    }
    if (node.levels > max_levels) {
      too_deep(definition);
    }
    look_for_marks(at);
    path_.pop_back();
    states_[at] = State::done;
  }

  // Whether a description, or one below it, is marked as a node or has the name of one.
  void look_for_marks(std::size_t at) {
    const Definition& definition = description_.definitions[at];
    const bool marked = definition.is_node || definition.price;
    const auto below = [&](const std::vector<bool>& holds) {
      return std::ranges::find_if(nodes_[at].items,
                                  [&](const auto& item) { return holds[item.node]; });
    };
    const auto inner = below(holds_mark_);
    if (marked && inner != nodes_[at].items.end()) {
      throw InputError(file_, definition.mark_line,
                       in_quotes(definition.name) +
                           " is a node (IsNode or Price), and so is a "
                           "part of it: " +
                           in_quotes(marked_in(inner->node)),
                       "expected one node on the way from the top cluster to a processor");
    }
    holds_mark_[at] = marked || inner != nodes_[at].items.end();
    holds_name_[at] =
        lowered(definition.name) == "node" || below(holds_name_) != nodes_[at].items.end();
  }

  [[nodiscard]] const std::string& marked_in(std::size_t at) const {
    for (const ClusterNode::Item& item : nodes_[at].items) {
      if (holds_mark_[item.node]) {
        return marked_in(item.node);
      }
    }
    return nodes_[at].name;
  }

  // Which descriptions are nodes (nodes.h).
  void find_nodes(std::size_t root) {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const Definition& definition = description_.definitions[i];
      ClusterNode& node = nodes_[i];
      if (holds_mark_[i]) {
        node.node = definition.is_node || definition.price ? NodeRole::known : NodeRole::no;
      } else if (holds_name_[i]) {
        node.node = lowered(definition.name) == "node" ? NodeRole::known : NodeRole::no;
      } else if (i == root && !node.items.empty()) {
        node.node = NodeRole::no;
      } else {
        node.node = node.levels > 1 ? NodeRole::guessed : NodeRole::known;
      }
    }
  }

  [[nodiscard]] std::size_t child_of(const Part& part, const Definition& parent) const {
    const auto found = index_.find(lowered(part.name));
    if (found == index_.end()) {
      throw InputError(
          file_, part.line,
          in_quotes(parent.name) + " contains the unknown " + in_quotes(part.name),
          "expected a definition NAME = PERFORMANCE; or NAME = {...}; of it in the file");
    }
    if (states_[found->second] == State::open) {
      throw InputError(file_, part.line,
                       in_quotes(parent.name) + " contains itself: " + circle(found->second),
                       "expected clusters that end in processors");
    }
    if (path_.size() > static_cast<std::size_t>(max_levels)) {
      too_deep(parent);
    }
    return found->second;
  }

  [[nodiscard]] std::string circle(std::size_t start) const {
    std::string result;
    for (auto at = std::ranges::find(path_, start); at != path_.end(); ++at) {
      result += nodes_[*at].name + " -> ";
    }
    return result + nodes_[start].name;
  }

  [[noreturn]] void too_deep(const Definition& definition) const {
    throw InputError(
        file_, definition.line,
        in_quotes(definition.name) + " is part of too many clusters inside one another",
        "expected at most " + std::to_string(max_levels) + " levels");
  }

  void connect(std::size_t at) {
    const Definition& definition = description_.definitions[at];
    ClusterNode& node = nodes_[at];
    if (definition.is_processor()) {
      return;
    }
    const Link link = resolved_link(description_, index_, definition, file_);
    const auto cost = [&](Cost which) { return link.costs[static_cast<std::size_t>(which)]; };
    if (node.processors > 1) {
      require(link.type.has_value(), definition, "CommType", "myrinet (1)");
      const bool segmented = !link.segments.empty();
      require(segmented || cost(Cost::start).has_value(), definition, "TStart", "7");
      require(segmented || cost(Cost::byte).has_value(), definition, "TByte", "0.004");
    }
    if (!definition.ports_name.empty() && link.type && link.type != NetworkType::ports) {
      throw InputError(file_, definition.ports_line,
                       in_quotes(definition.name) + " is no network of ports and has no " +
                           in_quotes(definition.ports_name),
                       "expected " + definition.name + ".CommType = ports (or loggp)");
    }
    const auto seconds = [&](Cost which) {
      return cost(which).value_or(0.0) / microseconds_per_second;
    };
    node.network.type = link.type.value_or(NetworkType::ethernet);
    node.network.channels = link.channels;
    node.network.start_time = seconds(Cost::start);
    node.network.byte_time = seconds(Cost::byte);
    for (const Segment& each : link.segments) {
      node.network.segments.push_back({each.bytes, each.start_time / microseconds_per_second,
                                       each.byte_time / microseconds_per_second});
    }
    if (!link.segments.empty()) {
      const auto least = [&](double Segment::*which) {
        return (*std::ranges::min_element(node.network.segments, {}, which)).*which;
      };
      node.network.start_time = least(&Segment::start_time);
      node.network.byte_time = least(&Segment::byte_time);
    }
    node.network.eager_limit = cost(Cost::eager).value_or(usual_eager_limit);
    node.network.detach_limit = cost(Cost::detach);
    if (node.network.type == NetworkType::ports) {
      node.network.send_time = seconds(Cost::send);
      node.network.receive_time = seconds(Cost::receive);
      node.network.gap = seconds(Cost::gap);
    }
  }

  void require(bool given, const Definition& definition, const std::string& attribute,
               const std::string& example) const {
    if (!given) {
      throw InputError(
          file_, definition.line, in_quotes(definition.name) + " has no " + attribute,
          "expected a statement like " + definition.name + "." + attribute + " = " + example + ";");
    }
  }

  [[nodiscard]] std::size_t top() const {
    const auto found = index_.find(lowered(description_.top));
    if (found == index_.end()) {
      throw InputError(file_, description_.top_line,
                       "the top cluster " + in_quotes(description_.top) + " is not defined",
                       "expected a definition " + description_.top + " = {...};");
    }
    return found->second;
  }

  void check_library(std::size_t root) const {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const Definition& definition = description_.definitions[i];
      if (i != root && definition.library_line > 0) {
        throw InputError(
            file_, definition.library_line,
            "properties of the run-time library are given for " + in_quotes(definition.name),
            "expected them for the top cluster, " + nodes_[root].name);
      }
    }
  }

  void check_topology(const ClusterNode& root) const {
    if (description_.topology && description_.topology->processors() > root.processors) {
      throw InputError(file_, description_.topology_line,
                       "the topology " + description_.topology->text() + " needs " +
                           std::to_string(description_.topology->processors()) +
                           " processors, cluster " + root.name + " has " +
                           std::to_string(root.processors),
                       "expected a topology within the cluster");
    }
  }

  const Description& description_;
  const std::string& file_;
  Index index_;
  std::vector<ClusterNode> nodes_;
  std::vector<State> states_;
  std::vector<bool> holds_mark_;   // IsNode or Price, at or below it
  std::vector<bool> holds_name_;   // "node", at or below it
  std::vector<std::size_t> path_;  // the composites being counted, outermost first
};

}  // namespace

Link link_of(const Description& description, const Definition& definition,
             const std::string& file) {
  return resolved_link(description, index_of(description), definition, file);
}

Built build(const Description& description, const std::string& file) {
  return Builder(description, file).run();
}

}  // namespace gridcast::machine::par
