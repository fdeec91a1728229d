#include "gridcast/rules/options.h"

#include <array>
#include <cstdint>
#include <cstdio>

#include "gridcast/base/readable.h"

namespace gridcast::model {
namespace {

/// Raised with every change of the model that changes a figure.
constexpr int rules_version = 2;

}  // namespace

std::string ModelOptions::text() const {
  std::string result = "startup=";
  result += skip_startup ? "skip" : "count";
  result += " block-rule=";
  result += block_rule == mapping::BlockRule::balanced ? "balanced" : "ceil";
  result += " processor-weights=";
  result += processor_weights ? "on" : "off";
  result += " pipeline=";
  switch (pipeline) {
    case PipelineMode::steady:
      result += "steady";
      break;
    case PipelineMode::full:
      result += "full";
      break;
    case PipelineMode::exhaustive:
      result += "exhaustive";
      break;
  }
  result += " extrapolate-iterations=";
  result += extrapolate_iterations ? "on" : "off";
  result += " engine=";
  result += engine == EngineKind::reference ? "reference" : "fast";
  result += " reduction=";
  result += reduction == ReductionKind::tree ? "tree" : "linear";
  result += " contiguous=";
  result += first_contiguous ? "first" : "last";
  result += " trace-cost=" + exact(trace_cost);
  // Later options are named where they are not the default: stores of earlier versions stay valid.
  result += portions == PortionChoice::trace ? " portions=trace" : "";
  result += shapes.empty() ? "" : " shapes=" + shapes;
  if (placement != machine::Placement{}) {
    result += " placement=" + placement.text();
  }
  return result;
}

std::string model_version(const ModelOptions& options) {
  // FNV-1a, 64 bits, over the rules' number and the options' text.
  const std::string text = std::to_string(rules_version) + " " + options.text();
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  }
  std::array<char, 17> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llx", static_cast<unsigned long long>(hash));
  return std::to_string(rules_version) + "-" + digits.data();
}

}  // namespace gridcast::model
