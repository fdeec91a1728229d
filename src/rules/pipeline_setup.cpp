/// Pipelined loops before any time is known: which dimensions they run along, what edges there are.

#include <algorithm>
#include <array>
#include <cmath>

#include "gridcast/rules/pipeline.h"

namespace gridcast::model {

using mapping::IndexRange;
using mapping::Layout;

namespace {

using Coordinates = std::array<std::int64_t, machine::max_grid_rank>;

/// In the extents of a block: of a dimension that portions cut.
constexpr std::int64_t cut_by_portions = -1;

}  // namespace

bool Pipeline::prepare(const PipelineSpec& spec, double call) {
  loop_ = &mapping_->layout(spec.placement);
  call_ = call;
  collect_lines(spec);
  if (lines_.empty()) {
    return false;
  }
  quantised_.clear();
  for (int dim = 0; dim < loop_->rank(); ++dim) {
    if (loop_->view_dimension(dim) < 0) {
      quantised_.push_back(loop_->extent(dim));
    }
  }
  collect_shape();
  factor_ = ShapeFactor(mapping_->script(), spec.portion, loop_->extents());
  collect_edges(spec);
  return true;
}

void Pipeline::collect_lines(const PipelineSpec& spec) {
  lines_.clear();
  depth_ = 0;
  const Script& script = mapping_->script();
  for (int j = 0; j < loop_->view().rank(); ++j) {
    const int dim = loop_->split_dimension(j);
    if (dim < 0) {
      continue;
    }
    Line line;
    line.view_dim = j;
    line.loop_dim = static_cast<std::size_t>(dim);
    line.ascending = loop_->ascending(j);
    line.stride = loop_->view().stride(j);
    for (const std::uint32_t id : script.part_ids(spec.parts)) {
      const ShadowPart& part = script.tables().shadow_parts[id];
      const Layout& array = mapping_->layout(part.placement);
      const int array_dim = array.view() == loop_->view() ? array.split_dimension(j) : -1;
      if (array_dim < 0) {
        continue;  // the loop does not run along this array
      }
      const auto at = static_cast<std::size_t>(array_dim);
      const std::int64_t low = script.ints(part.low)[at];
      const std::int64_t high = script.ints(part.high)[at];
      const bool forward = line.ascending == array.ascending(j);
      const std::int64_t width = forward || high == 0 ? low : high;
      if (width > 0) {
        line.widths.emplace_back(static_cast<double>(part.element_size), width);
      }
    }
    if (!line.widths.empty()) {
      depth_ += static_cast<std::size_t>(loop_->view().extent(j)) - 1;
      lines_.push_back(std::move(line));
    }
  }
}

void Pipeline::collect_shape() {
  const mapping::ProcessorView& view = loop_->view();
  shape_ = {};
  double slowest = mapping_->system().performance[view.processors().front()];
  for (const std::uint32_t p : view.processors()) {
    slowest = std::min(slowest, mapping_->system().performance[p]);
  }
  for (const std::int64_t extent : quantised_) {
    shape_.quantised *= static_cast<double>(extent);
  }
  // The largest extents of any block along the cut dimensions.
  std::array<double, mapping::max_rank> largest{};
  double parallel = 1.0;
  for (int j = 0; j < view.rank(); ++j) {
    const int dim = loop_->split_dimension(j);
    if (dim < 0) {
      continue;
    }
    double most = 0.0;
    for (std::int64_t q = 0; q < view.extent(j); ++q) {
      most = std::max(most, static_cast<double>(loop_->range(j, q).size()));
    }
    largest[static_cast<std::size_t>(dim)] = most;
    const bool pipelined = std::any_of(lines_.begin(), lines_.end(),
                                       [j](const Line& line) { return line.view_dim == j; });
    if (!pipelined) {
      parallel *= most;
    }
  }
  const double iterations = loop_->elements();
  shape_.iteration_time = iterations > 0.0 ? call_ / (iterations * slowest) * parallel : 0.0;
  double edge = 0.0;
  double element_size = 0.0;
  for (const Line& line : lines_) {
    shape_.pipelined *= static_cast<double>(loop_->extent(static_cast<int>(line.loop_dim)));
    shape_.processors *= static_cast<double>(view.extent(line.view_dim));
    double others = parallel;
    for (const Line& other : lines_) {
      if (&other != &line) {
        others *= largest[other.loop_dim];
      }
    }
    for (const auto& [size, width] : line.widths) {
      edge += std::min(static_cast<double>(width), largest[line.loop_dim]) * others;
      element_size = std::max(element_size, size);
    }
  }
  shape_.edge_width = edge;  // of the whole loop, per quantised element: the extents cancel N
  shape_.element_transfer = element_size * collect_networks();
  shape_.portion_cost = mapping_->system().library.portion;
  if (mapping_->options().portions == PortionChoice::trace) {
    shape_.traced_start = mapping_->script().header().portion_start;
  }
}

double Pipeline::collect_networks() {
  const mapping::ProcessorView& view = loop_->view();
  double byte_time = 0.0;
  const machine::ProcessorSystem& system = mapping_->system();
  for (const Line& line : lines_) {
    for (std::size_t local = 0; local < view.size(); ++local) {
      const auto coordinate =
          static_cast<std::int64_t>(local) / line.stride % view.extent(line.view_dim);
      if (coordinate + 1 < view.extent(line.view_dim)) {
        const std::uint32_t a = view.processors()[local];
        const std::uint32_t b = view.processors()[local + static_cast<std::size_t>(line.stride)];
        const machine::Network& network = system.networks[system.common_network(a, b)];
        shape_.add_network(network);
        byte_time = std::max(byte_time, network.byte_time);
      }
    }
  }
  return byte_time;
}

void Pipeline::collect_edges(const PipelineSpec& spec) {
  const mapping::ProcessorView& view = loop_->view();
  // A task may hold a part of the loop's processors only: the others neither compute nor send.
  const mapping::ProcessorView& current = mapping_->view(spec.view);
  const auto takes_part = [&](std::size_t local) {
    return &current == &view || current.local(view.processors()[local]) >= 0;
  };
  const std::size_t processors = view.size();
  edges_.assign(processors * lines_.size(), {});
  predecessors_.assign(processors, 0);
  receive_times_.assign(processors * lines_.size(), 0.0);
  send_costs_.assign(processors, 0.0);
  iteration_time_.assign(processors, 0.0);
  relative_.assign(processors, 1.0);
  blocks_.assign(factor_.known() ? processors : 0, {});
  runs_.assign(processors, 0);
  Coordinates at{};
  Block block;
  for (std::size_t local = 0; local < processors; ++local) {
    loop_->coordinates(local, at);
    if (!takes_part(local) || !loop_->block(at, block)) {
      continue;
    }
    runs_[local] = 1;
    note_work(local, block);
    for (std::size_t l = 0; l < lines_.size(); ++l) {
      if (const std::int64_t to =
              behind(lines_[l], local, at[static_cast<std::size_t>(lines_[l].view_dim)]);
          to >= 0 && takes_part(static_cast<std::size_t>(to))) {
        note_edge(l, local, static_cast<std::size_t>(to), block);
      }
    }
  }
}

/// Iterations of a block at one point of what is not cut.
double Pipeline::cut_size(const Block& block) const {
  double cut = 1.0;
  for (int dim = 0; dim < loop_->rank(); ++dim) {
    if (loop_->view_dimension(dim) >= 0) {
      cut *= static_cast<double>(block[static_cast<std::size_t>(dim)].size());
    }
  }
  return cut;
}

/// How long a processor computes, and its block without what portions cut.
void Pipeline::note_work(std::size_t local, const Block& block) {
  const double cut = cut_size(block);
  iteration_time_[local] = call_ / loop_->elements() * cut /
                           mapping_->system().performance[loop_->view().processors()[local]];
  if (factor_.known()) {
    for (int dim = 0; dim < loop_->rank(); ++dim) {
      const auto d = static_cast<std::size_t>(dim);
      blocks_[local][d] = loop_->view_dimension(dim) >= 0 ? block[d].size() : cut_by_portions;
    }
  }
}

/// The processor that comes next along a line and runs iterations; -1 if there is none.
std::int64_t Pipeline::behind(const Line& line, std::size_t local, std::int64_t coordinate) const {
  const std::int64_t next = coordinate + (line.ascending ? 1 : -1);
  if (next < 0 || next >= loop_->view().extent(line.view_dim) ||
      loop_->range(line.view_dim, next).empty()) {
    return -1;
  }
  return static_cast<std::int64_t>(local) + (line.ascending ? line.stride : -line.stride);
}

/// What a portion sends on along a line.
void Pipeline::note_edge(std::size_t line_number, std::size_t local, std::size_t to,
                         const Block& block) {
  const Line& line = lines_[line_number];
  const double cut = cut_size(block);
  const auto own = static_cast<double>(block[line.loop_dim].size());
  Edge& edge = edges_[local * lines_.size() + line_number];
  edge.exists = true;
  edge.to = to;
  for (const auto& [size, width] : line.widths) {
    edge.bytes_per_quantised += size * std::min(static_cast<double>(width), own) * cut / own;
  }
  ++predecessors_[edge.to];
  const machine::ProcessorSystem& system = mapping_->system();
  const std::span<const std::uint32_t> processors = loop_->view().processors();
  const machine::Network& network =
      system.networks[system.common_network(processors[local], processors[edge.to])];
  edge.send_time = network.send_time;
  send_costs_[local] += network.send_time;
  receive_times_[to * lines_.size() + line_number] = network.receive_time;
}

std::vector<std::int64_t> Pipeline::portion_extents(std::size_t local) const {
  std::vector<std::int64_t> extents;
  std::size_t cut = 0;
  for (int dim = 0; dim < loop_->rank(); ++dim) {
    const std::int64_t extent = blocks_[local][static_cast<std::size_t>(dim)];
    extents.push_back(extent == cut_by_portions ? portions_.first(cut++) : extent);
  }
  return extents;
}

void Pipeline::shape_blocks() {
  for (std::size_t p = 0; p < blocks_.size(); ++p) {
    relative_[p] = runs_[p] != 0 ? factor_(portion_extents(p)) : 1.0;
  }
}

std::vector<std::int64_t> Pipeline::first_block(std::size_t local, std::int64_t quanta) {
  if (local >= blocks_.size() || runs_[local] == 0) {
    return {};
  }
  portions_.cut(quantised_, quanta);
  return portion_extents(local);
}

}  // namespace gridcast::model
