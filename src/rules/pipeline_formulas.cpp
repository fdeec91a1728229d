#include "gridcast/rules/pipeline_formulas.h"

#include <algorithm>
#include <cmath>

namespace gridcast::model {

double PipelineShape::portion_time(double quanta) const noexcept {
  return iteration_time * (pipelined / processors) * (quantised / quanta);
}

double PipelineShape::edge_time(double quanta) const noexcept {
  return element_transfer * edge_width * quantised / quanta;
}

bool PipelineShape::overloaded() const noexcept {
  return processors * edge_width * element_transfer <= pipelined * iteration_time;
}

double PipelineShape::time(double quanta) const noexcept {
  const double common = processors * start_time + (processors - 1.0) * start_time + start_time +
                        quanta * (start_time + start_time);
  const double portion = portion_time(quanta);
  const double edge = edge_time(quanta);
  if (overloaded()) {
    return common + (processors - 1.0 + quanta) * portion + (processors - 1.0) * edge;
  }
  return common + (processors - 2.0) * portion + (processors + quanta) * edge;
}

double PipelineShape::ideal_quanta() const noexcept {
  if (!(start_time > 0.0)) {
    return quantised;
  }
  const double work = pipelined * iteration_time;
  const double both = work + processors * edge_width * element_transfer;
  const double gain = overloaded() ? (processors - 1.0) * both : processors * both - 2.0 * work;
  return std::sqrt(quantised * std::max(gain, 0.0) / (processors * 2.0 * start_time));
}

std::int64_t PipelineShape::best_quanta() const noexcept {
  const double ideal = std::min(std::floor(ideal_quanta()), quantised);
  const double lower = std::clamp(ideal, 1.0, quantised);
  const double upper = std::clamp(ideal + 1.0, 1.0, quantised);
  return static_cast<std::int64_t>(time(upper) < time(lower) ? upper : lower);
}

}  // namespace gridcast::model
