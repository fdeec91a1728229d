#include "match_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gridcast/compile/compile.h"
#include "gridcast/explain/traffic.h"

namespace gridcast::matching {
namespace {

using machine::Network;
using machine::NetworkType;
using model::Op;

/// Seconds of the program that processors of performance 1 share, and that each of them spends.
struct WorkSums {
  double shared = 0.0;    ///< parallel loops
  double repeated = 0.0;  ///< everything else
  double depth = 0.0;     ///< communications, one after another
};

WorkSums work_of(const model::Script& script) {
  WorkSums sums;
  for (const Op& op : script.tables().ops) {
    const bool is_loop = op.kind == Op::Kind::share || op.kind == Op::Kind::pipeline;
    const bool moves = op.kind == Op::Kind::start || op.kind == Op::Kind::transfer ||
                       op.kind == Op::Kind::exchange || op.kind == Op::Kind::send ||
                       op.kind == Op::Kind::broadcast;
    if (is_loop) {
      sums.shared += op.call;
      sums.repeated += op.ret;
    } else if (op.kind == Op::Kind::work || op.kind == Op::Kind::io_work) {
      sums.repeated += op.call + op.ret;
    } else if (op.kind == Op::Kind::copied) {
      sums.shared += op.ret;
    }
    sums.depth += moves ? 1.0 : 0.0;
  }
  return sums;
}

const char* parameter_of(NetworkType type) {
  return type == NetworkType::ports ? "ports" : "channels";
}

}  // namespace

Measures program_measures(const trace::Program& program, const machine::Grid& grid,
                          const model::ModelOptions& options) {
  const model::Compiled compiled = model::compile(program);
  const WorkSums work = work_of(compiled.script);
  // What is sent does not depend on the machine: one bus counts it.
  const machine::Cluster bus = machine::Cluster::parse(
      fmt::format("cluster = b; b = {{{} x p}}; b.CommType = ethernet; b.TStart = 1; b.TByte = 0; "
                  "p = 1;",
                  grid.processors()),
      "a bus");
  const model::Traffic traffic = model::count_traffic(compiled.script, bus, grid, options, 1.0);
  Measures measures{{"shared work", work.shared},
                    {"repeated work", work.repeated},
                    {"depth", work.depth},
                    {"messages", traffic.messages},
                    {"bytes", traffic.bytes}};
  const auto& counts = compiled.script.tables().intervals.front().operations;
  for (std::size_t kind = 0; kind < model::operation_count; ++kind) {
    measures[std::string(model::operation_names[kind]) + " operations"] =
        static_cast<double>(counts[kind]);
  }
  return measures;
}

Measures machine_measures(const machine::Cluster& cluster, std::int64_t processors) {
  const machine::ProcessorSystem system = cluster.expand(processors);
  Measures measures{{"processors", static_cast<double>(processors)}};
  measures["performance"] =
      std::accumulate(system.performance.begin(), system.performance.end(), 0.0);
  measures["least performance"] = *std::ranges::min_element(system.performance);
  for (std::int32_t level = 0; level < system.levels; ++level) {
    // The first network of a level stands for all: levels are of equal clusters as a rule.
    const auto begin = static_cast<std::size_t>(level) * system.processors();
    const auto end = begin + system.processors();
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t instance = system.ancestors[i];
      if (instance == machine::ProcessorSystem::no_network) {
        continue;
      }
      const Network& network = system.networks[instance];
      const std::string name = fmt::format("level {} ", level);
      measures[name + "latency"] = network.start_time;
      measures[name + "overhead"] = network.send_time + network.receive_time;
      measures[name + "gap"] = network.gap;
      measures[name + "seconds per byte"] = network.byte_time;
      measures[name + parameter_of(network.type)] = network.channels;
      break;
    }
  }
  return measures;
}

std::vector<ResourceTime> resource_times(const model::Script& script,
                                         const machine::Cluster& cluster, const machine::Grid& grid,
                                         const model::ModelOptions& options) {
  const machine::ProcessorSystem system = cluster.expand(grid.processors());
  const WorkSums work = work_of(script);
  const double performance =
      std::accumulate(system.performance.begin(), system.performance.end(), 0.0);
  const double fastest = *std::ranges::max_element(system.performance);
  std::vector<ResourceTime> times{
      {"processors", work.shared / performance + work.repeated / fastest, true}};
  if (grid.processors() > 1) {
    const model::Traffic traffic = model::count_traffic(script, cluster, grid, options, 1.0);
    double latency = 0.0;
    for (const model::LevelUse& use : traffic.levels) {
      times.push_back({fmt::format("networks of level {}", use.level), use.most_utilisation, true});
    }
    for (const Network& network : system.networks) {
      latency = std::max(latency, network.start_time + network.send_time + network.receive_time);
    }
    times.push_back({"latency", work.depth * latency, true});
    if (traffic.pipeline_fill > 0.0) {
      times.push_back({"filling of pipelines", traffic.pipeline_fill, false});
    }
  }
  std::ranges::stable_sort(times, [](const ResourceTime& a, const ResourceTime& b) {
    return std::pair(a.ideal, a.seconds) > std::pair(b.ideal, b.seconds);
  });
  return times;
}

std::vector<std::string> changes_of(const machine::Cluster& cluster, double factor) {
  std::vector<std::string> changes;
  constexpr double microseconds = 1e6;
  for (const machine::ClusterNode& node : cluster.nodes()) {
    if (node.items.empty()) {
      changes.push_back(fmt::format("{}={:.12g}", node.name, node.performance * factor));
      continue;
    }
    if (node.processors < 2) {
      continue;
    }
    const Network& network = node.network;
    for (const auto& [name, seconds] : machine::named_costs(network)) {
      if (seconds > 0.0) {
        changes.push_back(
            fmt::format("{}.{}={:.12g}", node.name, name, seconds * microseconds / factor));
      }
    }
    if (network.type == NetworkType::myrinet) {
      changes.push_back(fmt::format("{}.Channels={}", node.name,
                                    std::llround(std::ceil(network.channels * factor))));
    }
  }
  return changes;
}

}  // namespace gridcast::matching
