/// Up to how many workers one master is enough, and what group masters change: the product's
/// scheduler in simulated time.
/// farm_simulation [task=S,S,...] [latency=S] [message=S] [row=S] [relay=S] [group=RANKS]
/// Times are seconds; `message` and `row` are what rank 0 needs per message and per row, `relay`
/// what a group master needs per row (tools/bench farm measures them).

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "gridcast/farm/layout.h"
#include "simulated_farm.h"

namespace {

using gridcast::bench::FarmCosts;
using gridcast::bench::FarmResult;

/// Each rank has so much work, but not more tasks than that.
constexpr double work_per_rank = 5.0;
constexpr double most_tasks_per_rank = 300.0;
constexpr double least_tasks_per_rank = 100.0;

double number(const std::map<std::string, std::string>& values, const char* key, double otherwise) {
  const auto found = values.find(key);
  return found == values.end() ? otherwise : std::strtod(found->second.c_str(), nullptr);
}

void print_table(const FarmCosts& costs, int group) {
  const double per_rank =
      std::clamp(work_per_rank / costs.task, least_tasks_per_rank, most_tasks_per_rank);
  fmt::print("\ntasks of {:g} ms, {:.0f} per rank; of all ranks' time in tasks, and load:\n",
             1e3 * costs.task, per_rank);
  fmt::print("{:>7} | {:>10} {:>9} {:>11} | {:>10} {:>9} {:>11} {:>12}\n", "ranks", "one master",
             "rank 0", "messages/s", fmt::format("groups {}", group), "rank 0", "messages/s",
             "group master");
  for (const int ranks : {16, 64, 256, 1024, 4096, 8192, 16384}) {
    const auto tasks = static_cast<std::int64_t>(per_rank * ranks);
    const FarmResult one = simulate_farm({ranks, 0, tasks}, costs);
    fmt::print("{:>7} | {:>8.1f} % {:>7.1f} % {:>11.0f} |", ranks, 100.0 * one.efficiency,
               100.0 * one.load, one.messages);
    if (ranks - 1 <= group) {
      fmt::print("\n");
      continue;
    }
    const FarmResult groups = simulate_farm({ranks, group, tasks}, costs);
    fmt::print(" {:>8.1f} % {:>7.1f} % {:>11.0f} {:>10.1f} %\n", 100.0 * groups.efficiency,
               100.0 * groups.load, groups.messages, 100.0 * groups.group_load);
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::map<std::string, std::string> values{{"task", "0.01,0.05"}};
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const std::size_t equals = argument.find('=');
    if (equals == std::string::npos) {
      fmt::print(stderr, "farm_simulation: {}: expected key=value\n", argument);
      return 2;
    }
    values[argument.substr(0, equals)] = argument.substr(equals + 1);
  }
  FarmCosts costs;
  costs.latency = number(values, "latency", costs.latency);
  costs.message = number(values, "message", costs.message);
  costs.row = number(values, "row", costs.row);
  costs.relay = number(values, "relay", costs.relay);
  const auto group = static_cast<int>(number(values, "group", gridcast::sweep::usual_group_size));
  fmt::print(
      "latency {:.3g} us; rank 0 {:.3g} us per message, {:.3g} us per row; group master "
      "{:.3g} us per row\n",
      1e6 * costs.latency, 1e6 * costs.message, 1e6 * costs.row, 1e6 * costs.relay);
  std::istringstream tasks(values["task"]);
  for (std::string task; std::getline(tasks, task, ',');) {
    costs.task = std::strtod(task.c_str(), nullptr);
    print_table(costs, group);
  }
  return 0;
}
