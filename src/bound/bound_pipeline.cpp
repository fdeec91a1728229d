#include "bound_pipeline.h"

#include <algorithm>
#include <cmath>

#include "gridcast/rules/pipeline.h"

namespace gridcast::model {

using machine::NetworkType;

namespace {

/// Pipeline simulates so many portions beyond those that fill the line; if there are no more, all.
constexpr double surely_simulated = 2.0 * static_cast<double>(steady_portions);

}  // namespace

void BoundPipeline::reset(std::span<const std::int64_t> candidates) {
  candidates_.assign(candidates.begin(), candidates.end());
  for (Facts& facts : facts_) {
    facts.ready = false;
  }
}

bool BoundPipeline::collect_lines(const GridBlocks& loop, const PipelineSpec& spec) {
  lines_.clear();
  const Script& script = mapping_->script();
  for (int j = 0; j < shape().rank; ++j) {
    if (!loop.cuts(j)) {
      continue;
    }
    Line line;
    line.j = j;
    line.ascending = loop.ascending(j);
    for (const std::uint32_t id : script.part_ids(spec.parts)) {
      const ShadowPart& part = script.tables().shadow_parts[id];
      const GridBlocks* array = mapping_->blocks(part.placement);
      if (array == nullptr) {
        return false;
      }
      if (!array->cuts(j)) {
        continue;
      }
      const auto at = static_cast<std::size_t>(array->dimension(j));
      const std::int64_t low = script.ints(part.low)[at];
      const std::int64_t high = script.ints(part.high)[at];
      const bool forward = line.ascending == array->ascending(j);
      const std::int64_t width = forward || high == 0 ? low : high;
      if (width > 0) {
        line.widths.emplace_back(static_cast<double>(part.element_size), width);
      }
    }
    if (!line.widths.empty()) {
      lines_.push_back(std::move(line));
    }
  }
  return true;
}

void BoundPipeline::collect_shape(Facts& facts, const GridBlocks& loop) {
  // The very figures of Pipeline: the number of portions must come out the same.
  PipelineShape& figures = facts.shape;
  figures = {};
  facts.quantised.clear();
  for (int dim = 0; dim < loop.rank(); ++dim) {
    if (loop.grid_dimension(dim) < 0) {
      facts.quantised.push_back(loop.extent(dim));
      figures.quantised *= static_cast<double>(loop.extent(dim));
    }
  }
  const auto is_line = [this](int j) {
    return std::any_of(lines_.begin(), lines_.end(), [j](const Line& line) { return line.j == j; });
  };
  double parallel = 1.0;
  for (int j = 0; j < shape().rank; ++j) {
    parallel *= loop.cuts(j) && !is_line(j) ? loop.sizes(j).most() : 1.0;
  }
  const double iterations = loop.elements();
  const double slowest = mapping_->machine().slowest(shape().processors);
  figures.iteration_time = iterations > 0.0 ? parallel / (iterations * slowest) : 0.0;
  double edge = 0.0;
  double element_size = 0.0;
  facts.depth = 0;
  for (const Line& line : lines_) {
    figures.pipelined *= static_cast<double>(loop.extent(loop.dimension(line.j)));
    figures.processors *= static_cast<double>(shape().extents[static_cast<std::size_t>(line.j)]);
    facts.depth += shape().extents[static_cast<std::size_t>(line.j)] - 1;
    double others = parallel;
    for (const Line& other : lines_) {
      others *= &other != &line ? loop.sizes(other.j).most() : 1.0;
    }
    for (const auto& [size, width] : line.widths) {
      edge += std::min(static_cast<double>(width), loop.sizes(line.j).most()) * others;
      element_size = std::max(element_size, size);
    }
  }
  figures.edge_width = edge;
  figures.element_transfer = element_size;  // times the byte time, which collect_networks finds
  collect_networks(facts);
}

void BoundPipeline::collect_networks(Facts& facts) const {
  const BoundMachine& machine = mapping_->machine();
  double most_start = 0.0;
  double most_byte = 0.0;
  for (std::size_t id = 0; id < machine.system().networks.size(); ++id) {
    if (machine.part(static_cast<std::uint32_t>(id)).begin < shape().processors) {
      most_start = std::max(most_start, machine.system().networks[id].start_time);
      most_byte = std::max(most_byte, machine.system().networks[id].byte_time);
    }
  }
  double byte_time = 0.0;
  double& start_time = facts.shape.start_time;
  for (const Line& line : lines_) {
    const auto index = static_cast<std::size_t>(line.j);
    const std::int64_t stride = shape().strides[index];
    const std::int64_t extent = shape().extents[index];
    for (std::int64_t p = 0; p + stride < shape().processors; ++p) {
      if (start_time == most_start && byte_time == most_byte) {
        break;  // nothing larger can follow
      }
      if (p / stride % extent + 1 < extent) {
        const machine::Network& network = machine.network(machine.common(p, p + stride));
        start_time = std::max(start_time, network.start_time);
        byte_time = std::max(byte_time, network.byte_time);
      }
    }
  }
  facts.shape.element_transfer *= byte_time;
}

double BoundPipeline::edge_bytes(const GridBlocks& loop, const Line& line,
                                 const GridShape::Coordinates& at) const {
  double bytes = 1.0;
  for (int j = 0; j < shape().rank; ++j) {
    const std::int64_t q = at[static_cast<std::size_t>(j)];
    bytes *= j == line.j ? line.edge->value(q) : loop.sizes(j).value(q);
  }
  return bytes;
}

bool BoundPipeline::step_back(const GridBlocks& loop, const Line& line,
                              GridShape::Coordinates& at) const {
  const auto index = static_cast<std::size_t>(line.j);
  const std::int64_t before = at[index] + (line.ascending ? -1 : 1);
  if (before < 0 || before >= shape().extents[index] || !(loop.sizes(line.j).value(before) > 0.0)) {
    return false;
  }
  at[index] = before;
  return true;
}

std::size_t BoundPipeline::index_of(std::int64_t processor) const noexcept {
  const auto at = std::find(candidates_.begin(), candidates_.end(), processor);
  return static_cast<std::size_t>(at - candidates_.begin());
}

std::int64_t BoundPipeline::line_start(std::uint32_t pipeline, std::int64_t processor) {
  const PipelineSpec& spec = mapping_->script().tables().pipelines[pipeline];
  const GridBlocks* loop = mapping_->blocks(spec.placement);
  if (loop == nullptr || !loop->product() || !collect_lines(*loop, spec)) {
    return processor;
  }
  GridShape::Coordinates at = shape().coordinates(processor);
  if (!(loop->count(at) > 0.0)) {
    return processor;
  }
  for (const Line& line : lines_) {
    while (step_back(*loop, line, at)) {
    }
  }
  return shape().number(at);
}

BoundPipeline::Fill BoundPipeline::fill(const GridBlocks& loop, std::int64_t processor) const {
  const BoundMachine& machine = mapping_->machine();
  Fill result;
  GridShape::Coordinates at = shape().coordinates(processor);
  const auto computation = [&](const GridShape::Coordinates& where) {
    double cut = 1.0;
    for (int j = 0; j < shape().rank; ++j) {
      cut *= loop.sizes(j).value(where[static_cast<std::size_t>(j)]);
    }
    return cut / loop.elements() / machine.performance(shape().number(where));
  };
  result.own = computation(at);
  if (!(result.own > 0.0)) {
    return result;
  }
  bool last = true;
  Way& all = result.all;
  for (const Line& line : lines_) {
    std::int64_t to = shape().number(at);
    while (step_back(loop, line, at)) {
      const std::int64_t from = shape().number(at);
      const std::uint32_t id = machine.common(from, to);
      const machine::Network& network = machine.network(id);
      const double sent = edge_bytes(loop, line, at) * network.byte_time;
      to = from;
      all.started += network.start_time;
      all.sent += sent;
      if (id == mapping_->top()) {
        result.through_top = true;
        result.from_top = all;
      }
      if (const std::size_t passed = index_of(from); passed < candidates_.size()) {
        result.before.emplace_back(passed, all);
      }
      const double computed = computation(at);
      all.computed += computed;
      if (last) {
        result.edge_start = network.start_time;
        result.edge_sent = sent;
        // Several edges of one pair may be on their way at once where there are several channels.
        if (network.type != NetworkType::transputer && network.channels > 1) {
          const auto channels = static_cast<double>(network.channels);
          result.edge_start /= channels;
          result.edge_sent /= channels;
        }
        last = false;
      } else {
        result.but_last.started += network.start_time;
        result.but_last.sent += sent;
      }
      result.but_last.computed += computed;
    }
  }
  result.start = index_of(shape().number(at));
  return result;
}

void BoundPipeline::collect_edges(Facts& facts, const GridBlocks& loop) {
  const BoundMachine& machine = mapping_->machine();
  streams_.clear();
  for (Line& line : lines_) {
    StepFunction& edge = streams_.function();
    const StepFunction& sizes = loop.sizes(line.j);
    edge.derive(sizes, [&](std::int64_t q) {
      const std::int64_t next = q + (line.ascending ? 1 : -1);
      double bytes = 0.0;
      if (next >= 0 && next < sizes.extent() && sizes.value(next) > 0.0) {
        for (const auto& [size, width] : line.widths) {
          bytes += size * std::min(static_cast<double>(width), sizes.value(q));
        }
      }
      return bytes;
    });
    line.edge = &edge;
    std::array<int, machine::max_grid_rank> step{};
    std::array<const StepFunction*, machine::max_grid_rank> bytes{};
    std::array<const StepFunction*, machine::max_grid_rank> counts{};
    for (int j = 0; j < shape().rank; ++j) {
      const auto index = static_cast<std::size_t>(j);
      const StepFunction& factor = j == line.j ? edge : loop.sizes(j);
      StepFunction& count = streams_.function();
      count.derive(factor, [&](std::int64_t q) { return factor.value(q) > 0.0 ? 1.0 : 0.0; });
      step[index] = j == line.j ? (line.ascending ? 1 : -1) : 0;
      bytes[index] = &factor;
      counts[index] = &count;
    }
    streams_.add({step.data(), static_cast<std::size_t>(shape().rank)}, 1.0, bytes, counts);
  }
  facts.carriers.clear();
  for (std::int32_t level = 0; level < machine.system().levels; ++level) {
    const std::uint32_t id = machine.above(0, level);
    if (id == machine::ProcessorSystem::no_network) {
      break;
    }
    const machine::Network& network = machine.network(id);
    if (network.type != NetworkType::transputer) {
      const NeighbourStreams::Load load = streams_.load(id);
      const auto channels = static_cast<double>(network.channels);
      facts.carriers.push_back({id, load.messages * network.start_time / channels,
                                load.bytes * network.byte_time / channels, network.channels == 1});
    }
  }
}

void BoundPipeline::work_out(Facts& facts, const PipelineSpec& spec) {
  facts.ready = true;
  const GridBlocks* loop = mapping_->blocks(spec.placement);
  facts.known = loop != nullptr && loop->product() && spec.view == 0 && collect_lines(*loop, spec);
  facts.pipelined = facts.known && !lines_.empty() && loop->anywhere();
  if (!facts.pipelined) {
    return;
  }
  collect_shape(facts, *loop);
  collect_edges(facts, *loop);
  double least = 1.0;
  for (int j = 0; j < shape().rank; ++j) {
    least *= loop->sizes(j).least_positive();
  }
  facts.least_block = least / loop->elements() / mapping_->machine().fastest(shape().processors);
  facts.fills.clear();
  for (const std::int64_t candidate : candidates_) {
    facts.fills.push_back(fill(*loop, candidate));
  }
  // All processors on one line: every edge follows the computation of its start.
  facts.only_start = -1;
  std::int64_t on_lines = 1;
  bool unbroken = true;
  for (const Line& line : lines_) {
    on_lines *= shape().extents[static_cast<std::size_t>(line.j)];
    const StepFunction& sizes = loop->sizes(line.j);
    for (const StepFunction::Run& run : sizes.runs()) {
      unbroken = unbroken && (run.value > 0.0 || run.begin < sizes.first_positive() ||
                              run.begin > sizes.last_positive());
    }
  }
  for (const Fill& fill : facts.fills) {
    if (unbroken && on_lines == shape().processors && fill.own > 0.0 &&
        fill.start < candidates_.size()) {
      facts.only_start = static_cast<std::int64_t>(fill.start);
    }
  }
}

BoundPipeline::Portions BoundPipeline::cut(const Facts& facts, double call) const {
  Portions portions;
  if (mode_ == PipelineMode::exhaustive && !facts.quantised.empty()) {
    // Any number of portions may turn out best.
    portions.all = false;
    return portions;
  }
  PipelineShape figures = facts.shape;
  figures.iteration_time *= call;
  std::int64_t rest = facts.quantised.empty() ? 1 : figures.best_quanta();
  struct Cut {
    std::int64_t full, last, count;
  };
  std::array<Cut, mapping::max_rank> cuts;
  std::size_t dimensions = 0;
  double total = 1.0;
  for (const std::int64_t any : facts.quantised) {
    const std::int64_t extent = std::max<std::int64_t>(any, 1);
    const std::int64_t parts = std::clamp<std::int64_t>(rest, 1, extent);
    rest = std::max<std::int64_t>(1, rest / parts);
    const std::int64_t full = mapping::ceil_div(extent, parts);
    const std::int64_t count = mapping::ceil_div(extent, full);
    const Cut cut{full, extent - full * (count - 1), count};
    cuts[dimensions++] = cut;
    portions.first *= static_cast<double>(count > 1 ? full : cut.last);
    portions.last *= static_cast<double>(cut.last);
    total *= static_cast<double>(count);
  }
  portions.simulated = std::min(total, static_cast<double>(facts.depth) + surely_simulated);
  portions.all = mode_ == PipelineMode::full || portions.simulated == total;
  if (portions.all) {
    portions.simulated = total;
    portions.points = figures.quantised;
    return portions;
  }
  const auto count = static_cast<std::int64_t>(portions.simulated);
  portions.points = portions.last;
  for (std::int64_t k = 0; k + 1 < count; ++k) {
    double size = 1.0;
    std::int64_t number = k;
    for (std::size_t dim = dimensions; dim-- > 0;) {
      const std::int64_t at = number % cuts[dim].count;
      number /= cuts[dim].count;
      size *= static_cast<double>(at + 1 == cuts[dim].count ? cuts[dim].last : cuts[dim].full);
    }
    portions.points += size;
  }
  return portions;
}

bool BoundPipeline::run(std::uint32_t pipeline, double call, BoundClocks& clocks) {
  Facts& facts = facts_[pipeline];
  if (!facts.ready) {
    work_out(facts, mapping_->script().tables().pipelines[pipeline]);
  }
  if (!facts.known) {
    return true;
  }
  if (!facts.pipelined) {
    return false;
  }
  const Portions portions = cut(facts, call);
  const double first = portions.first;
  const double all = facts.shape.quantised;
  const double rest = all - portions.points;  // extrapolated: at least its computation follows
  const double small = call * facts.least_block;
  const double ready = first * small + (facts.only_start >= 0
                                            ? clocks.own[static_cast<std::size_t>(facts.only_start)]
                                            : clocks.least);
  // Edges come behind the messages that occupy the top network if none is ready before these start.
  const bool behind = first * small >= clocks.taken_spread && clocks.taken > 0.0;
  const double taken_until = clocks.taken_from + clocks.taken;
  const bool one_channel =
      std::any_of(facts.carriers.begin(), facts.carriers.end(), [this](const Carrier& carrier) {
        return carrier.network == mapping_->top() && carrier.one_channel;
      });
  begins_.assign(clocks.own.begin(), clocks.own.end());
  for (std::size_t i = 0; i < begins_.size(); ++i) {
    const Fill& fill = facts.fills[i];
    if (!(fill.own > 0.0)) {
      continue;
    }
    const double own = call * fill.own;
    const double start = fill.start < begins_.size() ? begins_[fill.start] : clocks.least;
    double begin = std::max(begins_[i], start + fill.all.time(call, first));
    if (behind && one_channel && fill.through_top) {
      begin = std::max(begin, taken_until + fill.from_top.time(call, first));
    }
    double end = begin + own * all;
    if (portions.points > 0.0 && fill.edge_start > 0.0) {
      // The edges of the last processor before, one after the other.
      const double edges = portions.simulated * fill.edge_start + portions.points * fill.edge_sent;
      end = std::max(
          end, start + fill.but_last.time(call, first) + edges + own * (portions.last + rest));
    }
    clocks.own[i] = end;
  }
  if (portions.all && portions.points > 0.0) {
    // The last portion follows that of the processors before.
    begins_.assign(clocks.own.begin(), clocks.own.end());
    for (std::size_t i = 0; i < begins_.size(); ++i) {
      const Fill& fill = facts.fills[i];
      for (const auto& [passed, way] : fill.before) {
        clocks.own[i] = std::max(clocks.own[i], begins_[passed] + way.time(call, portions.last) +
                                                    call * fill.own * portions.last);
      }
    }
  }
  for (const Carrier& carrier : facts.carriers) {
    const double busy = portions.simulated * carrier.starts + portions.points * carrier.sent;
    if (!(busy > 0.0 && portions.points > 0.0)) {
      continue;
    }
    const double after = small * (portions.last + rest);
    clocks.latest = std::max(clocks.latest, ready + busy + after);
    if (behind && carrier.network == mapping_->top()) {
      clocks.latest =
          std::max(clocks.latest, taken_until + busy + (carrier.one_channel ? after : 0.0));
    }
  }
  return true;
}

}  // namespace gridcast::model
