#include "gridcast/model/options.h"

namespace gridcast::model {

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
  return result;
}

std::string model_version() { return "1"; }

}  // namespace gridcast::model
