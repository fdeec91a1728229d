#include "gridcast/evaluate/robustness.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <tuple>
#include <utility>

#include "gridcast/base/readable.h"
#include "gridcast/evaluate/local_search.h"
#include "gridcast/evaluate/questions.h"

namespace gridcast::sweep {
namespace {

using machine::Cluster;
using machine::ClusterNode;
using machine::Network;
using machine::NetworkType;
using search::Outcome;

/// A number of the machine.
struct Number {
  std::string name;
  double value = 0.0;
  bool whole = false;  ///< channels
};

/// The clusters and processors below a node, each once.
void collect(const Cluster& cluster, std::size_t at, std::vector<std::size_t>& nodes) {
  if (std::ranges::find(nodes, at) != nodes.end()) {
    return;
  }
  nodes.push_back(at);
  for (const ClusterNode::Item& item : cluster.nodes()[at].items) {
    collect(cluster, item.node, nodes);
  }
}

std::vector<ClusterNode> parts_of(const Cluster& cluster) {
  std::vector<std::size_t> nodes;
  collect(cluster, cluster.root(), nodes);
  std::vector<ClusterNode> parts;
  parts.reserve(nodes.size());
  for (const std::size_t at : nodes) {
    parts.push_back(cluster.nodes()[at]);
  }
  return parts;
}

/// Every number that counts and is not 0: a multiple of it is another one.
std::vector<Number> numbers_of(const Cluster& cluster, const model::ModelOptions& options) {
  std::vector<Number> numbers;
  const auto add = [&](const std::string& name, double seconds) {
    if (seconds > 0.0) {
      numbers.push_back({name, seconds * 1e6});
    }
  };
  for (const ClusterNode& node : parts_of(cluster)) {
    const Network& network = node.network;
    if (node.items.empty()) {
      numbers.push_back({node.name, node.performance});
    } else if (node.processors > 1) {
      for (const auto& [name, seconds] : machine::named_costs(network)) {
        add(node.name + "." + name, seconds);
      }
      if (network.type == NetworkType::myrinet) {
        numbers.push_back({node.name + ".Channels", static_cast<double>(network.channels), true});
      }
    }
  }
  const machine::LibraryCosts library = options.counted(cluster.library());
  add(cluster.name() + ".TCollective", library.collective);
  add(cluster.name() + ".TLoad", library.load);
  add(cluster.name() + ".TPortion", library.portion);
  add(cluster.name() + ".TCopy", library.copy);
  return numbers;
}

class Study {
public:
  Study(const model::Script& script, const Cluster& cluster, const RobustnessQuestion& question)
      : script_(&script), cluster_(&cluster), question_(&question) {}

  Robustness run() {
    const std::vector<Outcome> first = search(*cluster_, 2);
    if (first.empty()) {
      require_candidates(question_->spaces, 0);
      return result_;
    }
    result_.best = first.front();
    if (first.size() > 1) {
      result_.runner_up = first[1];
      rivals_.push_back(first[1].grid);
      const double best = search::cost(question_->goal, first[0]);
      const double second = search::cost(question_->goal, first[1]);
      result_.gap = best == 0.0 ? 0.0 : (second - best) / std::abs(best);
    }
    for (const Number& number : numbers_of(*cluster_, question_->options)) {
      result_.ranges.push_back(range_of(number));
      const NumberRange& range = result_.ranges.back();
      spdlog::info("{}: {} to {}", range.name, range.low, range.high);
    }
    add_tolerances();
    return result_;
  }

private:
  [[nodiscard]] std::unique_ptr<LocalSearch> on(const Cluster& cluster) const {
    std::vector<std::int32_t> threads;
    for (const search::SearchSpace& space : question_->spaces) {
      threads.push_back(space.threads);
    }
    return std::make_unique<LocalSearch>(*script_, machine::ThreadedClusters(cluster, threads),
                                         question_->spaces, question_->options, question_->margin);
  }

  std::vector<Outcome> search(const Cluster& cluster, std::size_t keep) {
    const auto local = on(cluster);
    search::StrategyOptions options;
    options.goal = question_->goal;
    options.keep = keep;
    options.close = model::has_close_bounds(question_->options);
    const auto strategy = search::make_strategy(search::Mode::exact, question_->spaces, options);
    local->run(*strategy);
    std::vector<Outcome> found = strategy->best().choices();
    ++result_.searches;
    result_.predictions += local->predictions();
    return found;
  }

  [[nodiscard]] Cluster with(const Number& number, double value) const {
    Cluster changed = *cluster_;
    changed.set(number.name + "=" + exact(value));
    return changed;
  }

  /// A grid known to have been the best or second somewhere that beats the best one here.
  std::optional<Outcome> known_rival(const Cluster& cluster) {
    const auto local = on(cluster);
    std::optional<Outcome> winner = local->evaluate(result_.best->grid);
    const bool fails = !search::is_eligible(question_->goal, *winner);
    bool beaten = fails;
    for (const machine::Grid& rival : rivals_) {
      const Outcome other = local->evaluate(rival);
      if (search::is_eligible(question_->goal, other) &&
          (fails || search::is_better(question_->goal, other, *winner))) {
        winner = other;
        beaten = true;
      }
    }
    result_.predictions += local->predictions();
    return beaten && !(fails && winner->grid == result_.best->grid) ? winner : std::nullopt;
  }

  /// What is better here than the best one, if anything is.
  std::optional<Outcome> rival(const Cluster& cluster) {
    const std::vector<Outcome> found = search(cluster, 1);
    if (found.empty() || found.front().grid == result_.best->grid) {
      return std::nullopt;
    }
    if (std::ranges::find(rivals_, found.front().grid) == rivals_.end()) {
      rivals_.push_back(found.front().grid);
    }
    return found.front();
  }

  [[nodiscard]] bool close(const Number& number, double inside, double outside) const {
    return number.whole ? std::abs(outside - inside) <= 1.0
                        : std::abs(outside - inside) <=
                              question_->precision * std::max(std::abs(inside), std::abs(outside));
  }

  /// Where the best one loses on the way from the number's value to a limit: the last value inside
  /// and what is best behind it.
  std::pair<double, std::optional<Outcome>> edge(const Number& number, double limit) {
    double inside = number.value;
    double outside = number.value;
    std::optional<Outcome> winner;
    // Out in steps of 2, each with a search of its own unless a known rival has won.
    while (!winner && inside != limit) {
      const bool up = limit > number.value;
      outside = up ? std::min(2.0 * inside, limit) : std::max(0.5 * inside, limit);
      outside = number.whole ? (up ? std::ceil(outside) : std::floor(outside)) : outside;
      const Cluster cluster = with(number, outside);
      winner = known_rival(cluster);
      winner = winner ? winner : rival(cluster);
      inside = winner ? inside : outside;
    }
    if (!winner) {
      return {inside, std::nullopt};
    }
    // Back by halves against the rivals known so far; a search says whether there is another one.
    const double proven = inside;
    while (true) {
      while (!close(number, inside, outside)) {
        double middle =
            number.whole ? std::floor(0.5 * (inside + outside)) : std::sqrt(inside * outside);
        const std::optional<Outcome> here = known_rival(with(number, middle));
        (here ? outside : inside) = middle;
        winner = here ? here : winner;
      }
      if (inside == proven) {
        return {inside, winner};
      }
      const std::optional<Outcome> other = rival(with(number, inside));
      if (!other) {
        return {inside, winner};
      }
      winner = other;
      outside = inside;
      inside = proven;
    }
  }

  NumberRange range_of(const Number& number) {
    const double least = number.value / question_->reach;
    NumberRange range{number.name, number.value, number.value, number.value, {}, {}};
    std::tie(range.low, range.below) =
        edge(number, number.whole ? std::max(1.0, std::ceil(least)) : least);
    std::tie(range.high, range.above) =
        edge(number, number.whole ? std::floor(number.value * question_->reach)
                                  : number.value * question_->reach);
    return range;
  }

  /// The machine with the start times of one network, or of all, so many times as long.
  [[nodiscard]] Cluster slower(const std::string& network, double times) const {
    Cluster changed = *cluster_;
    for (const ClusterNode& node : parts_of(*cluster_)) {
      if (node.items.empty() || node.processors < 2 || !(network.empty() || node.name == network)) {
        continue;
      }
      for (const auto& [name, seconds] : machine::named_costs(node.network)) {
        if (name.ends_with("TStart") && seconds > 0.0) {
          changed.set(node.name + "." + name + "=" + exact(seconds * 1e6 * times));
        }
      }
    }
    return changed;
  }

  double time_with(const std::string& network, double times) {
    const auto local = on(slower(network, times));
    ++result_.predictions;
    return local->evaluate(result_.best->grid).execution_time;
  }

  std::optional<double> tolerated(const std::string& network, double share) {
    constexpr double most = 1048576.0;
    constexpr double precise = 1e-4;
    const double limit = (1.0 + share) * result_.best->execution_time;
    double inside = 1.0;
    double outside = 1.0;
    while (outside < most && time_with(network, outside) <= limit) {
      inside = outside;
      outside *= 2.0;
    }
    if (outside >= most) {
      return std::nullopt;
    }
    while (outside - inside > precise * inside) {
      const double middle = 0.5 * (inside + outside);
      (time_with(network, middle) <= limit ? inside : outside) = middle;
    }
    return inside;
  }

  void add_tolerances() {
    std::vector<std::string> networks;
    for (const ClusterNode& node : parts_of(*cluster_)) {
      if (!node.items.empty() && node.processors > 1 && node.network.start_time > 0.0) {
        networks.push_back(node.name);
      }
    }
    if (networks.size() > 1) {
      networks.insert(networks.begin(), "");
    }
    for (const std::string& network : networks) {
      for (const double share : {0.01, 0.05}) {
        result_.tolerances.push_back({network, share, tolerated(network, share)});
      }
    }
  }

  const model::Script* script_;
  const Cluster* cluster_;
  const RobustnessQuestion* question_;
  std::vector<machine::Grid> rivals_;  // were best or second somewhere
  Robustness result_;
};

}  // namespace

Robustness find_robustness(const model::Script& script, const Cluster& cluster,
                           const RobustnessQuestion& question) {
  return Study(script, cluster, question).run();
}

}  // namespace gridcast::sweep
