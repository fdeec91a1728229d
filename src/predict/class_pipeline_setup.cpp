/// Pipelined loops by kinds of processors: what does not depend on time.

#include <algorithm>

#include "class_pipeline.h"

namespace gridcast::model {

bool ClassPipeline::prepare(const ClassMapping& mapping, const PipelineSpec& spec,
                            const PipelineMachine& machine) {
  const ClassLayout& loop = mapping.layout(spec.placement);
  machine_ = machine;
  collect_lines(mapping, spec);
  if (lines_.empty()) {
    return false;
  }
  quantised_.clear();
  elements_ = loop.elements();
  for (std::size_t dim = 0; dim < loop.extents.size(); ++dim) {
    const bool cut = std::any_of(loop.dims.begin(), loop.dims.end(),
                                 [&](int d) { return d == static_cast<int>(dim); });
    if (!cut) {
      quantised_.push_back(loop.extents[dim]);
    }
  }
  collect_shape(mapping, loop);
  collect_kinds(mapping, loop);
  classes_ = &mapping.classes();
  kind_of_.clear();
  order_.clear();
  return true;
}

void ClassPipeline::collect_lines(const ClassMapping& mapping, const PipelineSpec& spec) {
  lines_.clear();
  depth_ = 0;
  const Script& script = mapping.script();
  const ClassLayout& loop = mapping.layout(spec.placement);
  for (int j = 0; j < mapping.classes().rank(); ++j) {
    const auto at = static_cast<std::size_t>(j);
    if (loop.dims[at] < 0) {
      continue;
    }
    Line line;
    line.dim = j;
    line.ascending = loop.cuts[at].ascending();
    line.step = mapping.classes().stride(j) * (line.ascending ? 1 : -1);
    for (const std::uint32_t id : script.part_ids(spec.parts)) {
      const ShadowPart& part = script.tables().shadow_parts[id];
      const ClassLayout& array = mapping.layout(part.placement);
      if (array.dims[at] < 0) {
        continue;  // the loop does not run along this array
      }
      const auto dim = static_cast<std::size_t>(array.dims[at]);
      const std::int64_t low = script.ints(part.low)[dim];
      const std::int64_t high = script.ints(part.high)[dim];
      const bool forward = line.ascending == array.cuts[at].ascending();
      const std::int64_t width = forward || high == 0 ? low : high;
      if (width > 0) {
        line.widths.emplace_back(static_cast<double>(part.element_size), width);
      }
    }
    if (!line.widths.empty()) {
      depth_ += static_cast<std::size_t>(mapping.classes().extent(j)) - 1;
      lines_.push_back(std::move(line));
    }
  }
}

void ClassPipeline::collect_shape(const ClassMapping& mapping, const ClassLayout& loop) {
  const ProcessorClasses& classes = mapping.classes();
  shape_ = {};
  for (const std::int64_t extent : quantised_) {
    shape_.quantised *= static_cast<double>(extent);
  }
  // The largest extents of any block along the cut dimensions.
  std::array<double, machine::max_grid_rank> largest{};
  double parallel = 1.0;
  for (int j = 0; j < classes.rank(); ++j) {
    const auto at = static_cast<std::size_t>(j);
    if (loop.dims[at] < 0) {
      continue;
    }
    for (std::size_t run = 0; run < classes.runs(j); ++run) {
      const std::int64_t size = loop.cuts[at].range(classes.starts(j)[run]).size();
      largest[at] = std::max(largest[at], static_cast<double>(size));
    }
    const bool pipelined =
        std::any_of(lines_.begin(), lines_.end(), [j](const Line& line) { return line.dim == j; });
    parallel *= pipelined ? 1.0 : largest[at];
  }
  double element_size = 0.0;
  for (const Line& line : lines_) {
    const auto at = static_cast<std::size_t>(line.dim);
    shape_.pipelined *= static_cast<double>(loop.extents[static_cast<std::size_t>(loop.dims[at])]);
    shape_.processors *= static_cast<double>(classes.extent(line.dim));
    double others = parallel;
    for (const Line& other : lines_) {
      others *= &other == &line ? 1.0 : largest[static_cast<std::size_t>(other.dim)];
    }
    for (const auto& [size, width] : line.widths) {
      shape_.edge_width += std::min(static_cast<double>(width), largest[at]) * others;
      element_size = std::max(element_size, size);
    }
  }
  shape_.iteration_time =
      elements_ > 0.0 ? machine_.inverse / elements_ * parallel : 0.0;  // of 1 s
  shape_.element_transfer = element_size * collect_networks(classes);
  shape_.portion_cost = machine_.portion_cost;
  if (mapping.options().portions == PortionChoice::trace) {
    shape_.traced_start = mapping.script().header().portion_start;
  }
}

double ClassPipeline::collect_networks(const ProcessorClasses& classes) {
  if (machine_.levels.empty()) {
    shape_.add_network(machine_.network);
    return machine_.network.byte_time;
  }
  // Neighbours along a line are a stride apart: too far for the lowest networks, and those above
  // connect them where one of these ends between them.
  std::vector<std::uint8_t> used(machine_.levels.size(), 0);
  for (const Line& line : lines_) {
    const std::int64_t stride = classes.stride(line.dim);
    std::size_t left = 0;  // networks that may still turn out to be used
    for (std::size_t at = 0; at < used.size(); ++at) {
      left += used[at] == 0 && stride < machine_.levels[at].size ? 1 : 0;
    }
    for (std::int64_t p = 0; p + stride < classes.processors() && left > 0; ++p) {
      if (p / stride % classes.extent(line.dim) + 1 < classes.extent(line.dim)) {
        std::size_t at = 0;
        while (p / machine_.levels[at].size != (p + stride) / machine_.levels[at].size) {
          ++at;
        }
        left -= used[at] == 0 ? 1 : 0;
        used[at] = 1;
      }
    }
  }
  double byte_time = 0.0;
  for (std::size_t at = 0; at < used.size(); ++at) {
    if (used[at] != 0) {
      shape_.add_network(machine_.levels[at].network);
      byte_time = std::max(byte_time, machine_.levels[at].network.byte_time);
    }
  }
  return byte_time;
}

ClassPipeline::Kind ClassPipeline::kind_of(const ClassMapping& mapping, const ClassLayout& loop,
                                           std::size_t which) const {
  const ProcessorClasses& classes = mapping.classes();
  Kind kind;
  std::array<std::int64_t, mapping::max_rank> sizes{};
  if (!loop.block(classes, which, sizes)) {
    return kind;
  }
  kind.runs = true;
  kind.cut = 1.0;
  for (const int dim : loop.dims) {
    kind.cut *= dim < 0 ? 1.0 : static_cast<double>(sizes[static_cast<std::size_t>(dim)]);
  }
  for (std::size_t l = 0; l < lines_.size(); ++l) {
    const Line& line = lines_[l];
    const auto at = static_cast<std::size_t>(line.dim);
    const std::size_t run = classes.run(which, line.dim);
    const std::int64_t first = classes.starts(line.dim)[run];
    const std::int64_t last = classes.starts(line.dim)[run + 1] - 1;
    // Down from the first and up from the last of a run, which stand for all.
    const auto runs = [&](std::int64_t x) {
      return x >= 0 && x < classes.extent(line.dim) && !loop.cuts[at].range(x).empty();
    };
    kind.sends[l] = runs(line.ascending ? last + 1 : first - 1);
    kind.predecessors += runs(line.ascending ? first - 1 : last + 1) ? 1 : 0;
    const auto own = static_cast<double>(sizes[static_cast<std::size_t>(loop.dims[at])]);
    for (const auto& [size, width] : line.widths) {
      kind.bytes[l] += size * std::min(static_cast<double>(width), own) * kind.cut / own;
    }
    kind.send_cost += kind.sends[l] ? machine_.network.send_time : 0.0;
  }
  kind.first_line = next_line(kind, 0);
  return kind;
}

void ClassPipeline::collect_kinds(const ClassMapping& mapping, const ClassLayout& loop) {
  kinds_.clear();
  cuts_.clear();
  for (std::size_t which = 0; which < mapping.classes().size(); ++which) {
    Kind kind = kind_of(mapping, loop, which);
    const auto known = std::find(cuts_.begin(), cuts_.end(), kind.cut);
    kind.length = static_cast<std::uint32_t>(known - cuts_.begin());
    if (known == cuts_.end()) {
      cuts_.push_back(kind.cut);
    }
    kinds_.push_back(kind);
  }
}

void ClassPipeline::lay_out() {
  const ProcessorClasses& classes = *classes_;
  kind_of_.resize(static_cast<std::size_t>(classes.processors()));
  const std::span<const std::int64_t> starts = classes.starts(classes.rank() - 1);
  std::size_t p = 0;
  while (p < kind_of_.size()) {
    const auto line = static_cast<std::uint32_t>(classes.class_of(static_cast<std::int64_t>(p)));
    for (std::uint32_t run = 0; run + 1 < starts.size(); ++run) {
      const auto length = static_cast<std::size_t>(starts[run + 1] - starts[run]);
      std::fill_n(kind_of_.begin() + static_cast<std::ptrdiff_t>(p), length, line + run);
      p += length;
    }
  }
}

}  // namespace gridcast::model
