#include "gridcast/explain/traffic.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "gridcast/network/networks.h"
#include "gridcast/rules/grid_mapping.h"
#include "gridcast/rules/pipeline.h"
#include "gridcast/rules/transfers.h"

namespace gridcast::model {
namespace {

using machine::Network;
using machine::NetworkType;

/// Pairs that are listed.
constexpr std::size_t most_pairs = 20;

struct PairSum {
  double messages = 0.0;
  double bytes = 0.0;
};

class TrafficCounter {
public:
  TrafficCounter(const Script& script, const machine::Cluster& cluster, const machine::Grid& grid,
                 const ModelOptions& options)
      : script_(script),
        system_(cluster.expand(grid.processors())),
        mapping_(script, options),
        builder_(mapping_),
        grid_(grid),
        busy_(system_.networks.size(), 0.0) {
    mapping_.reset(grid, system_);
  }

  Traffic run(double execution_time) {
    count_operations();
    for (const auto& [communication, times] : communications_) {
      Transfers transfers;
      builder_.build(script_.tables().communications[communication], transfers);
      add_all(transfers.communication, times, 1.0);
    }
    for (const auto& [key, times] : broadcasts_) {
      Transfers transfers;
      builder_.broadcast(key.first, key.second, transfers);
      add_all(transfers.communication, times, 1.0);
    }
    for (const auto& [key, times] : pipelines_) {
      add_pipeline(key.first, key.second, times);
    }
    return result(execution_time);
  }

private:
  /// How often each communication happens; a script says each only once.
  void count_operations() {
    ViewId view = root_view;
    for (const Op& op : script_.tables().ops) {
      switch (op.kind) {
        case Op::Kind::enter_view:
        case Op::Kind::leave_view:
          view = op.view();
          break;
        case Op::Kind::start:
        case Op::Kind::send:
        case Op::Kind::transfer:
        case Op::Kind::exchange:
          if (op.communication() != none) {
            communications_[op.communication()] += 1.0;
          }
          break;
        case Op::Kind::broadcast:
          broadcasts_[{view, op.call}] += 1.0;
          break;
        case Op::Kind::pipeline:
          pipelines_[{op.pipeline(), op.call}] += 1.0;
          break;
        default:
          break;
      }
    }
  }

  void add_all(const network::Communication& communication, double times, double pieces) {
    for (const network::Transfer& transfer : communication.transfers) {
      add(transfer, times, pieces);
    }
  }

  /// A transfer that happens so many times, in so many messages each time.
  void add(const network::Transfer& transfer, double times, double pieces) {
    const std::uint32_t instance = system_.common_network(transfer.from, transfer.to);
    const auto level = static_cast<std::int64_t>(system_.common_level(transfer.from, transfer.to));
    const Network& network = system_.networks[instance];
    const double transmission = network.time_of(transfer.bytes);
    if (network.type == NetworkType::ports) {
      // Both the port out and the port in are taken.
      busy_[instance] += 2.0 * times * std::max(pieces * network.gap, transmission);
    } else {
      busy_[instance] += times * (pieces * network.start_of(transfer.bytes) + transmission);
    }
    const auto key = std::minmax(transfer.from, transfer.to);
    PairSum& pair = pairs_[(std::uint64_t{key.first} << 32U) + key.second];
    pair.messages += times * pieces;
    pair.bytes += times * transfer.bytes;
    LevelUse& use = levels_[level];
    use.messages += times * pieces;
    use.bytes += times * transfer.bytes;
  }

  /// Edges of a pipelined loop, in portions.
  void add_pipeline(PipelineId number, double call, double times) {
    const PipelineSpec& spec = script_.tables().pipelines[number];
    Pipeline pipeline(mapping_);
    if (!pipeline.prepare(spec, call)) {
      return;
    }
    network::Communication edges;
    const double portions = pipeline.edges(edges);
    const double computing = portions * pipeline.shape().portion_time(portions);
    pipeline_fill_ += times * std::max(0.0, pipeline.shape().time(portions) - computing);
    add_all(edges, times, portions);
  }

  /// Media of a network that messages take: channels, links of the grid, or ports.
  [[nodiscard]] double media(std::uint32_t instance) const {
    const Network& network = system_.networks[instance];
    if (network.type == NetworkType::ports) {
      return 2.0 * static_cast<double>(members(instance));
    }
    if (network.type == NetworkType::transputer) {
      double links = 0.0;
      for (const std::int64_t extent : grid_.extents()) {
        const std::int64_t of_dimension = grid_.processors() / extent * (extent - 1);
        links += static_cast<double>(of_dimension);
      }
      return std::max(1.0, links);
    }
    return static_cast<double>(network.channels);
  }

  /// Items of the cluster that the network joins, as far as the grid has them.
  [[nodiscard]] std::size_t members(std::uint32_t instance) const {
    std::map<std::uint32_t, bool> below;
    std::size_t count = 0;
    const std::size_t processors = system_.processors();
    for (std::size_t p = 0; p < processors; ++p) {
      for (std::int32_t level = 0; level < system_.levels; ++level) {
        if (system_.ancestors[static_cast<std::size_t>(level) * processors + p] != instance) {
          continue;
        }
        const std::uint32_t next =
            level + 1 < system_.levels
                ? system_.ancestors[static_cast<std::size_t>(level + 1) * processors + p]
                : machine::ProcessorSystem::no_network;
        count += next == machine::ProcessorSystem::no_network || below.emplace(next, true).second
                     ? 1
                     : 0;
      }
    }
    return count;
  }

  /// The depth of an instance of a network.
  [[nodiscard]] std::int64_t level_of(std::uint32_t instance) const {
    const std::size_t processors = system_.processors();
    for (std::size_t i = 0; i < system_.ancestors.size(); ++i) {
      if (system_.ancestors[i] == instance) {
        return static_cast<std::int64_t>(i / processors);
      }
    }
    return 0;
  }

  Traffic result(double execution_time) {
    Traffic traffic;
    traffic.pipeline_fill = pipeline_fill_;
    const auto rate = [&](double amount) {
      return execution_time > 0.0 ? amount / execution_time : 0.0;
    };
    std::map<std::int64_t, std::pair<double, double>> taken;  // seconds and media, by level
    for (std::uint32_t i = 0; i < system_.networks.size(); ++i) {
      const std::int64_t level = level_of(i);
      LevelUse& use = levels_[level];
      const double count = media(i);
      use.level = level;
      ++use.networks;
      use.most_utilisation = std::max(use.most_utilisation, rate(busy_[i] / count));
      taken[level].first += busy_[i];
      taken[level].second += count;
      const NetworkType type = system_.networks[i].type;
      use.medium = type == NetworkType::ports        ? "ports"
                   : type == NetworkType::transputer ? "links"
                                                     : "channels";
    }
    for (auto& [level, use] : levels_) {
      use.throughput = rate(use.bytes);
      const auto& [seconds, count] = taken[level];
      use.utilisation = count > 0.0 ? rate(seconds / count) : 0.0;
      traffic.messages += use.messages;
      traffic.bytes += use.bytes;
      traffic.levels.push_back(use);
    }
    for (const auto& [key, sum] : pairs_) {
      const auto first = static_cast<std::uint32_t>(key >> 32U);
      const auto second = static_cast<std::uint32_t>(key);
      traffic.pairs.push_back({first, second,
                               static_cast<std::int64_t>(system_.common_level(first, second)),
                               sum.messages, sum.bytes, rate(sum.bytes)});
    }
    std::ranges::sort(traffic.pairs, [](const PairUse& a, const PairUse& b) {
      return a.bytes != b.bytes ? a.bytes > b.bytes
                                : std::pair(a.first, a.second) < std::pair(b.first, b.second);
    });
    traffic.pairs.resize(std::min(traffic.pairs.size(), most_pairs));
    return traffic;
  }

  const Script& script_;
  machine::ProcessorSystem system_;
  GridMapping mapping_;
  TransferBuilder builder_;
  machine::Grid grid_;
  std::map<CommunicationId, double> communications_;
  std::map<std::pair<ViewId, double>, double> broadcasts_;
  std::map<std::pair<PipelineId, double>, double> pipelines_;
  double pipeline_fill_ = 0.0;
  std::vector<double> busy_;  ///< seconds that media of a network are taken
  std::unordered_map<std::uint64_t, PairSum> pairs_;
  std::map<std::int64_t, LevelUse> levels_;
};

}  // namespace

Traffic count_traffic(const Script& script, const machine::Cluster& cluster,
                      const machine::Grid& grid, const ModelOptions& options,
                      double execution_time) {
  return TrafficCounter(script, cluster, grid, options).run(execution_time);
}

}  // namespace gridcast::model
