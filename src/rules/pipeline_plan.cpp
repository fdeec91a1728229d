#include "gridcast/rules/pipeline_plan.h"

#include <algorithm>

namespace gridcast::model {

void PipelineStage::send(std::size_t line, const machine::Network& network) noexcept {
  sends[line] = true;
  first_line = std::min(first_line, static_cast<std::uint32_t>(line));
  send_time[line] = network.send_time;
  send_cost += network.send_time;
}

void PipelineStage::receive(std::size_t line, const machine::Network& network) noexcept {
  ++predecessors;
  receive_time[line] = network.receive_time;
}

bool PipelinePlan::assign(const Script& script, const ModelOptions& options,
                          const PipelineSpec& spec, std::span<const std::int64_t> extents,
                          double iterations, std::span<const LoopDimension> dimensions,
                          const ArrayCut& array_cut) {
  elements = iterations;
  depth = 0;
  lines.clear();
  split.assign(extents.size(), 0);
  quantised.clear();
  stages.clear();
  stage_of.clear();
  lengths.clear();
  for (std::size_t j = 0; j < dimensions.size(); ++j) {
    const LoopDimension& dimension = dimensions[j];
    if (dimension.cut.dim < 0) {
      continue;
    }
    split[static_cast<std::size_t>(dimension.cut.dim)] = 1;
    const bool ascending = dimension.cut.ascending;
    PipelineLine line{static_cast<int>(j),
                      dimension.cut.dim,
                      ascending,
                      ascending ? dimension.stride : -dimension.stride,
                      {}};
    for (const std::uint32_t id : script.part_ids(spec.parts)) {
      const ShadowPart& part = script.tables().shadow_parts[id];
      const DimensionCut array = array_cut(part.placement, line.dim);
      if (array.dim < 0) {
        continue;  // the loop does not run along this array
      }
      const std::int64_t low = script.ints(part.low)[static_cast<std::size_t>(array.dim)];
      const std::int64_t high = script.ints(part.high)[static_cast<std::size_t>(array.dim)];
      const std::int64_t width = ascending == array.ascending || high == 0 ? low : high;
      if (width > 0) {
        line.widths.emplace_back(static_cast<double>(part.element_size), width);
      }
    }
    if (!line.widths.empty()) {
      depth += static_cast<std::size_t>(dimension.extent) - 1;
      lines.push_back(std::move(line));
    }
  }
  if (lines.empty()) {
    return false;
  }
  collect_shape(extents, dimensions);
  shape.portions = spec.portions;
  if (options.portions == PortionChoice::trace) {
    shape.traced_start = script.header().portion_start;
  }
  return true;
}

void PipelinePlan::collect_shape(std::span<const std::int64_t> extents,
                                 std::span<const LoopDimension> dimensions) {
  shape = {};
  for (std::size_t dim = 0; dim < extents.size(); ++dim) {
    if (split[dim] == 0) {
      quantised.push_back(extents[dim]);
      shape.quantised *= static_cast<double>(extents[dim]);
    }
  }
  // The largest block but for the dimensions that portions cut, and its part along no line.
  double block = 1.0;
  double parallel = 1.0;
  for (std::size_t j = 0; j < dimensions.size(); ++j) {
    const bool pipelined = std::any_of(lines.begin(), lines.end(), [j](const PipelineLine& line) {
      return line.dim == static_cast<int>(j);
    });
    const double largest = dimensions[j].cut.dim < 0 ? 1.0 : dimensions[j].largest;
    block *= largest;
    parallel *= pipelined ? 1.0 : largest;
  }
  for (const PipelineLine& line : lines) {
    const LoopDimension& along = dimensions[static_cast<std::size_t>(line.dim)];
    shape.pipelined *= static_cast<double>(extents[static_cast<std::size_t>(line.loop_dim)]);
    shape.processors *= static_cast<double>(along.extent);
    for (const auto& [size, width] : line.widths) {
      const double edge = std::min(static_cast<double>(width), along.largest);
      shape.edge_width += edge > 0.0 ? edge * (block / along.largest) : 0.0;
      shape.element_size = std::max(shape.element_size, size);
    }
  }
  shape.iteration_time = elements > 0.0 ? parallel / elements : 0.0;
}

PipelineStage PipelinePlan::stage(std::span<const std::int64_t> block, double inverse) {
  PipelineStage stage;
  stage.runs = true;
  double cut = 1.0;
  for (std::size_t dim = 0; dim < split.size(); ++dim) {
    cut *= split[dim] != 0 ? static_cast<double>(block[dim]) : 1.0;
  }
  for (std::size_t l = 0; l < lines.size(); ++l) {
    const auto own = static_cast<double>(block[static_cast<std::size_t>(lines[l].loop_dim)]);
    for (const auto& [size, width] : lines[l].widths) {
      stage.bytes[l] += size * std::min(static_cast<double>(width), own) * cut / own;
    }
  }
  stage.work = cut * inverse;
  constexpr std::size_t most_lengths = 32;
  const auto known = static_cast<std::size_t>(
      std::find(lengths.begin(), lengths.end(), stage.work) - lengths.begin());
  if (known == lengths.size() && known < most_lengths) {
    lengths.push_back(stage.work);
  }
  stage.length = static_cast<std::uint32_t>(std::min(known, most_lengths - 1));
  return stage;
}

}  // namespace gridcast::model
