#include "gridcast/machine/unlikely.h"

#include "par_tokens.h"

namespace gridcast::machine {
namespace {

constexpr double slowest = 0.001e9;   // bytes per second
constexpr double fastest = 10'000e9;  // bytes per second
/// For bounds that are met exactly but for the conversion of units.
constexpr double rounding = 1e-9;

bool is_unlikely(double byte_time) {
  const double speed = 1.0 / byte_time;
  return byte_time != 0.0 &&
         (speed < slowest * (1.0 - rounding) || speed > fastest * (1.0 + rounding));
}

}  // namespace

std::vector<std::string> unlikely_costs(const Cluster& cluster) {
  std::vector<std::string> sentences;
  for (const ClusterNode& node : cluster.nodes()) {
    if (node.items.empty() || node.processors < 2) {
      continue;
    }
    for (const auto& [name, seconds] : named_costs(node.network)) {
      if (name.ends_with("TByte") && is_unlikely(seconds)) {
        sentences.push_back(
            "the network of " + par::in_quotes(node.name) + " moves " + par::gigabytes(seconds) +
            ": is its TByte in microseconds per byte? (expected 0.001 to 10,000 GB/s, "
            "or TByte = 0)");
        break;
      }
    }
  }
  return sentences;
}

}  // namespace gridcast::machine
