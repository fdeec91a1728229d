#include "class_pipeline.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "gridcast/base/error.h"
#include "gridcast/rules/pipeline.h"

namespace gridcast::model {

// --- what does not depend on time
// ----------------------------------------------------------------------------------------------

bool ClassPipeline::prepare(const ClassMapping& mapping, const PipelineSpec& spec,
                            const machine::Network& network, double inverse) {
  const ClassLayout& loop = mapping.layout(spec.placement);
  network_ = network;
  inverse_ = inverse;
  collect_lines(mapping, spec);
  if (lines_.empty()) {
    return false;
  }
  quantised_.clear();
  elements_ = 1.0;
  for (std::size_t dim = 0; dim < loop.extents.size(); ++dim) {
    elements_ *= static_cast<double>(loop.extents[dim]);
    const bool cut = std::any_of(loop.dims.begin(), loop.dims.end(),
                                 [&](int d) { return d == static_cast<int>(dim); });
    if (!cut) {
      quantised_.push_back(loop.extents[dim]);
    }
  }
  collect_shape(mapping, loop);
  collect_kinds(mapping, loop);
  lay_out(mapping.classes());
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
  shape_.iteration_time = elements_ > 0.0 ? inverse_ / elements_ * parallel : 0.0;  // of 1 s
  shape_.start_time = network_.start_time;
  shape_.element_transfer = element_size * network_.byte_time;
  if (mapping.options().portions == PortionChoice::trace) {
    shape_.traced_start = mapping.script().header().portion_start;
  }
}

ClassPipeline::Kind ClassPipeline::kind_of(const ClassMapping& mapping, const ClassLayout& loop,
                                           std::size_t which) const {
  const ProcessorClasses& classes = mapping.classes();
  Kind kind;
  std::array<std::int64_t, mapping::max_rank> sizes{};
  if (!mapping.block(loop, which, sizes)) {
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
  }
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

void ClassPipeline::lay_out(const ProcessorClasses& classes) {
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

// --- simulation
// ----------------------------------------------------------------------------------------------

void ClassPipeline::begin_portion(std::uint32_t p) {
  const std::size_t processors = kind_of_.size();
  const Kind& kind = kinds_[kind_of_[p]];
  Progress& progress = progress_[p];
  const std::uint32_t portion = progress.begun++;
  Cell& cell = cells_[portion * processors + p];
  cell.begin = std::max(progress.end, cell.arrival);
  progress.waiting += cell.begin - progress.end;
  progress.end = cell.end = cell.begin + time_per_iteration_ * kind.cut * sizes_[portion];
  // What the processor computed while its longest edge was under way.
  const double from = cell.longest_end > cell.longest_begin ? cell.longest_begin : HUGE_VAL;
  for (std::uint32_t before = portion; before-- > 0;) {
    const Cell& earlier = cells_[before * processors + p];
    if (earlier.end <= from) {
      break;
    }
    progress.overlap +=
        std::max(std::min(cell.longest_end, earlier.end) - std::max(from, earlier.begin), 0.0);
  }
  events_.push({cell.end, p}, kind.length);
}

template <class Medium>
void ClassPipeline::end_portion(std::uint32_t p, double now, Medium& medium) {
  const std::size_t processors = kind_of_.size();
  const Kind& kind = kinds_[kind_of_[p]];
  const std::uint32_t portion = progress_[p].ended++;
  for (std::size_t l = 0; l < lines_.size(); ++l) {
    if (!kind.sends[l]) {
      continue;
    }
    const auto to = static_cast<std::uint32_t>(static_cast<std::int64_t>(p) + lines_[l].step);
    const double bytes = kind.bytes[l] * sizes_[portion];
    const double arrival = bytes > 0.0 ? medium.send(p * lines_.size() + l, bytes, now) : now;
    Cell& cell = cells_[portion * processors + to];
    cell.arrival = std::max(cell.arrival, arrival);
    if (arrival - now >
        cell.longest_end - cell.longest_begin + network::relative_slack * (origin_ + arrival)) {
      cell.longest_begin = now;
      cell.longest_end = arrival;
    }
    --cell.missing;
    if (cell.missing == 0 && progress_[to].begun == portion && progress_[to].ended == portion) {
      begin_portion(to);
    }
  }
  const std::uint32_t next = progress_[p].begun;
  if (next < sizes_.size() && cells_[next * processors + p].missing == 0) {
    begin_portion(p);
  }
}

template <class Medium>
void ClassPipeline::simulate(std::span<const double> clocks, Medium& medium) {
  const std::size_t processors = kind_of_.size();
  cells_.resize(sizes_.size() * processors);
  progress_.resize(processors);
  for (std::size_t p = 0; p < processors; ++p) {
    progress_[p] = {0, 0, clocks[p], 0.0, 0.0};
    Cell cell;
    cell.missing = kinds_[kind_of_[p]].predecessors;
    for (std::size_t at = p; at < cells_.size(); at += processors) {
      cells_[at] = cell;
    }
  }
  events_.reset(cuts_.size(), origin_);
  for (std::uint32_t p = 0; p < processors; ++p) {
    if (kinds_[kind_of_[p]].runs && kinds_[kind_of_[p]].predecessors == 0) {
      begin_portion(p);
    }
  }
  while (const std::optional<PortionEvents::Event> event = events_.pop()) {
    end_portion(event->processor, event->time, medium);
  }
}

double ClassPipeline::simulate_first(std::size_t count, std::span<const double> clocks,
                                     std::span<const double> channels, ClassPipelineTimes& times) {
  sizes_.resize(count);
  double points = 0.0;
  for (std::size_t k = 0; k < count; ++k) {
    const auto portion = k + 1 < count ? static_cast<std::int64_t>(k)
                                       : static_cast<std::int64_t>(portions_.count()) - 1;
    sizes_[k] = portions_.size(portion);
    points += sizes_[k];
  }
  if (network_.type == machine::NetworkType::transputer) {
    EdgeLinks links(network_, kind_of_.size() * lines_.size());
    simulate(clocks, links);
    times.busy_until = -HUGE_VAL;
  } else {
    EdgeChannels edges(network_, channels);
    simulate(clocks, edges);
    times.busy_until = edges.busy_until();
  }
  return points;
}

void ClassPipeline::run(double call, bool steady, double origin, std::span<const double> clocks,
                        std::span<const double> channels, ClassPipelineTimes& times) {
  origin_ = origin;
  PipelineShape shape = shape_;
  shape.iteration_time *= call;
  time_per_iteration_ = call / elements_ * inverse_;
  portions_.cut(quantised_, quantised_.empty() ? 1 : shape.best_quanta());
  const std::size_t few = depth_ + steady_portions;
  const std::size_t more = few + steady_portions;
  const bool whole = !steady || portions_.count() <= static_cast<double>(more);
  double left_out = 0.0;
  double rest = 0.0;
  if (whole) {
    require_few_portions(portions_.count(), kind_of_.size());
    simulate_first(static_cast<std::size_t>(portions_.count()), clocks, channels, times);
  } else {
    const double few_points = simulate_first(few, clocks, channels, times);
    std::swap(shorter_, progress_);
    const double points = simulate_first(more, clocks, channels, times);
    left_out = shape.quantised - points;
    rest = left_out / (points - few_points);
  }
  times.finish.resize(clocks.size());
  times.waiting = times.overlap = 0.0;
  for (std::size_t p = 0; p < clocks.size(); ++p) {
    Progress& progress = progress_[p];
    if (!whole && kinds_[kind_of_[p]].runs) {
      const double waiting = std::max(progress.waiting - shorter_[p].waiting, 0.0) * rest;
      progress.waiting += waiting;
      progress.overlap += std::max(progress.overlap - shorter_[p].overlap, 0.0) * rest;
      progress.end += waiting + time_per_iteration_ * kinds_[kind_of_[p]].cut * left_out;
    }
    times.finish[p] = progress.end;
    times.waiting += progress.waiting;
    times.overlap += progress.overlap;
  }
}

}  // namespace gridcast::model
