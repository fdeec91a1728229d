#include "gridcast/rules/options.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>

#include "gridcast/base/readable.h"

namespace gridcast::model {
namespace {

/// Raised with every change of the model that changes a figure.
constexpr int rules_version = 2;

}  // namespace

std::string ModelOptions::text() const {
  constexpr std::array modes{"steady", "full", "exhaustive"};  // in the order of PipelineMode
  const auto on = [](bool yes) { return yes ? "on" : "off"; };
  return fmt::format(
      "startup={} block-rule={} processor-weights={} pipeline={} extrapolate-iterations={} "
      "engine={} reduction={} contiguous={} trace-cost={}{}{}{}",
      skip_startup ? "skip" : "count",
      block_rule == mapping::BlockRule::balanced ? "balanced" : "ceil", on(processor_weights),
      modes[static_cast<std::size_t>(pipeline)], on(extrapolate_iterations),
      engine == EngineKind::reference ? "reference" : "fast",
      reduction == ReductionKind::tree ? "tree" : "linear", first_contiguous ? "first" : "last",
      exact(trace_cost),
      // Later options are named where they are not the default: stores of earlier versions stay
      // valid.
      portions == PortionChoice::trace ? " portions=trace" : "",
      shapes.empty() ? "" : " shapes=" + shapes,
      placement == machine::Placement{} ? "" : " placement=" + placement.text());
}

std::string model_version(const ModelOptions& options) {
  // FNV-1a, 64 bits, over the rules' number and the options' text.
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : fmt::format("{} {}", rules_version, options.text())) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  }
  return fmt::format("{}-{:016x}", rules_version, hash);
}

}  // namespace gridcast::model
