#include "gridcast/rules/pipeline_formulas.h"

#include <algorithm>
#include <cmath>

namespace gridcast::model {

void PipelineShape::add_network(const machine::Network& network) noexcept {
  const bool of_ports = network.type == machine::NetworkType::ports;
  // What a message costs each portion and each step, on other networks Tir + Twr and Tir + Tis.
  const double edge = element_size * edge_width * quantised;  // bytes of the whole one
  const double start = network.start_of(edge);
  const double twice = 2.0 * start;
  const double own = network.send_time + network.receive_time;
  ports = ports || of_ports;
  start_time = std::max(start_time, start);
  hop_time = std::max(hop_time, of_ports ? own + start : twice);
  overhead = std::max(overhead, of_ports ? own : twice);
  gap = std::max(gap, network.gap);
  element_transfer = std::max(element_transfer, element_size * network.byte_of(edge));
}

double PipelineShape::each_portion() const noexcept {
  if (traced_start > 0.0) {
    return traced_start;
  }
  return (ports ? overhead : 2.0 * start_time) + portion_cost;
}

double PipelineShape::portion_time(double quanta) const noexcept {
  return iteration_time * (pipelined / processors) * (quantised / quanta);
}

double PipelineShape::edge_time(double quanta) const noexcept {
  return std::max(gap, element_transfer * edge_width * quantised / quanta);
}

bool PipelineShape::overloaded() const noexcept {
  return processors * edge_width * element_transfer <= pipelined * iteration_time;
}

double PipelineShape::time(double quanta) const noexcept {
  const double filling =
      ports ? (processors - 1.0) * hop_time
            : processors * start_time + (processors - 1.0) * start_time + start_time + portion_cost;
  const double common = filling + quanta * each_portion();
  const double portion = portion_time(quanta);
  const double edge = edge_time(quanta);
  if (overloaded()) {
    return common + (processors - 1.0 + quanta) * portion + (processors - 1.0) * edge;
  }
  return common + (processors - 2.0) * portion + (processors + quanta) * edge;
}

double PipelineShape::ideal_quanta() const noexcept {
  if (!(each_portion() > 0.0)) {
    return quantised;
  }
  const double work = pipelined * iteration_time;
  const double both = work + processors * edge_width * element_transfer;
  const double gain = overloaded() ? (processors - 1.0) * both : processors * both - 2.0 * work;
  return std::sqrt(quantised * std::max(gain, 0.0) / (processors * each_portion()));
}

std::int64_t PipelineShape::best_quanta() const noexcept {
  if (portions > 0) {
    return std::min(portions, static_cast<std::int64_t>(std::min(quantised, 1e15)));
  }
  constexpr double rounding = 1e-12;  // whole numbers and ties are so but for this
  const double ideal = std::floor(ideal_quanta() * (1.0 + rounding));
  const double lower = std::clamp(ideal, 1.0, quantised);
  const double upper = std::clamp(ideal + 1.0, 1.0, quantised);
  const bool better = time(upper) < time(lower) * (1.0 - rounding);
  return static_cast<std::int64_t>(better ? upper : lower);
}

}  // namespace gridcast::model
