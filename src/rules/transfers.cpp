#include "gridcast/rules/transfers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace gridcast::model {

using mapping::AxisRule;
using mapping::IndexRange;
using mapping::Layout;
using mapping::StridedRange;

namespace {

using Coordinates = std::array<std::int64_t, machine::max_grid_rank>;

void whole(std::span<const IndexRange> block, std::size_t rank, std::vector<StridedRange>& needs) {
  needs.clear();
  for (std::size_t dim = 0; dim < rank; ++dim) {
    needs.push_back({block[dim].lo, 1, block[dim].size()});
  }
}

}  // namespace

void TransferBuilder::build(const CommunicationSpec& spec, Transfers& result) {
  result.communication.clear();
  result.fixed_time.reset();
  communication_ = &result.communication;
  out_ = &result.communication.transfers;
  const Script& script = mapping_->script();
  const auto& tables = script.tables();
  if (mapping_->processors() == 1) {
    return;
  }
  const std::span<const std::uint32_t> parts = script.part_ids(spec.parts);
  switch (spec.kind) {
    case CommunicationSpec::Kind::nothing:
      break;
    case CommunicationSpec::Kind::shadow:
      for (const std::uint32_t part : parts) {
        shadow(tables.shadow_parts[part]);
      }
      break;
    case CommunicationSpec::Kind::old_values:
      old_values(spec);
      break;
    case CommunicationSpec::Kind::reduction:
      reduction(spec, result);
      return;  // two ordered phases already
    case CommunicationSpec::Kind::move:
      for (const std::uint32_t part : parts) {
        move(tables.move_parts[part]);
      }
      break;
    case CommunicationSpec::Kind::copy:
      for (const std::uint32_t part : parts) {
        copy(tables.copy_parts[part], spec.view);
      }
      break;
    case CommunicationSpec::Kind::remote:
      for (const std::uint32_t part : parts) {
        remote(tables.remote_parts[part]);
      }
      break;
  }
  network::normalize(*out_);
}

void TransferBuilder::broadcast(std::uint32_t view, double bytes, Transfers& result) {
  result.communication.clear();
  result.fixed_time.reset();
  for (const std::uint32_t p : mapping_->view(view).processors()) {
    if (p != 0 && bytes > 0.0) {
      result.communication.transfers.push_back({0, p, bytes});
    }
  }
}

// --- shadow edges
// ------------------------------------------------------------------------------------

bool TransferBuilder::runs_earlier(const Layout& loop, std::span<const int> shifts) {
  for (int dim = 0; dim < loop.rank(); ++dim) {  // outermost first
    const int j = loop.view_dimension(dim);
    if (j >= 0 && shifts[static_cast<std::size_t>(j)] != 0) {
      return (shifts[static_cast<std::size_t>(j)] < 0) == loop.ascending(j);
    }
  }
  return false;
}

void TransferBuilder::send_edge(const Holder& holder, const ShadowPart& part,
                                std::span<const int> shifts) {
  const Layout& layout = *holder.layout;
  if (later_ != nullptr && !runs_earlier(*later_, shifts)) {
    return;
  }
  const mapping::ProcessorView& view = layout.view();
  Coordinates neighbour{};
  double bytes = static_cast<double>(part.element_size);
  std::int64_t target = 0;
  std::array<std::int64_t, mapping::max_rank> edge{};
  std::uint32_t edge_dimensions = 0;  // one bit per dimension
  for (std::size_t j = 0; j < shifts.size(); ++j) {
    const int view_dim = static_cast<int>(j);
    const std::int64_t there = holder.at[j] + shifts[j];
    if (there < 0 || there >= view.extent(view_dim)) {
      return;
    }
    target = target * view.extent(view_dim) + there;
    neighbour[j] = there;
    if (shifts[j] == 0) {
      continue;
    }
    if (layout.range(view_dim, there).empty()) {
      return;
    }
    const auto dim = static_cast<std::size_t>(layout.split_dimension(view_dim));
    // To the left (towards smaller indices) goes what the neighbour's high shadow holds.
    const bool to_left = (shifts[j] < 0) == layout.ascending(view_dim);
    const Slice widths = to_left ? part.high : part.low;
    edge[dim] = std::min(mapping_->script().ints(widths)[dim], holder.block[dim].size());
    bytes *= static_cast<double>(edge[dim]);
    edge_dimensions |= 1U << dim;
  }
  if (std::array<IndexRange, mapping::max_rank> block;
      !layout.product() && !layout.block(neighbour, block)) {
    return;  // two dimensions of the processor system cut one: what is left may be nothing
  }
  for (std::size_t dim = 0; dim < layout.extents().size(); ++dim) {
    if ((edge_dimensions >> dim & 1U) == 0) {
      edge[dim] = holder.block[dim].size();
      bytes *= static_cast<double>(edge[dim]);
    }
  }
  if (bytes > 0.0) {
    const std::uint32_t to = view.processors()[static_cast<std::size_t>(target)];
    out_->push_back({view.processors()[holder.local], to, bytes});
    pack(holder, std::span(edge).first(layout.extents().size()), to, bytes);
  }
}

bool contiguous(std::span<const std::int64_t> edge, std::span<const std::int64_t> block,
                bool first) noexcept {
  bool inside = false;  // of the first dimension that is longer than 1
  for (std::size_t k = 0; k < edge.size(); ++k) {
    const std::size_t dim = first ? edge.size() - 1 - k : k;
    if (inside && edge[dim] != block[dim]) {
      return false;
    }
    inside = inside || edge[dim] > 1;
  }
  return true;
}

void TransferBuilder::pack(const Holder& holder, std::span<const std::int64_t> edge,
                           std::uint32_t to, double bytes) {
  const double copy = mapping_->system().library.copy;
  if (!(copy > 0.0)) {
    return;
  }
  std::array<std::int64_t, mapping::max_rank> block{};
  for (std::size_t dim = 0; dim < edge.size(); ++dim) {
    block[dim] = holder.block[dim].size();
  }
  if (contiguous(edge, std::span(block).first(edge.size()), mapping_->options().first_contiguous)) {
    return;
  }
  communication_->packing.resize(mapping_->processors(), 0.0);
  communication_->unpacking.resize(mapping_->processors(), 0.0);
  communication_->packing[holder.layout->view().processors()[holder.local]] += bytes * copy;
  communication_->unpacking[to] += bytes * copy;
}

void TransferBuilder::faces(const Holder& holder, const ShadowPart& part) {
  const int rank = holder.layout->view().rank();
  std::array<int, machine::max_grid_rank> shifts{};
  const auto send = [&](int j, int shift) {
    if (holder.layout->split_dimension(j) >= 0) {
      shifts[static_cast<std::size_t>(j)] = shift;
      send_edge(holder, part, {shifts.data(), static_cast<std::size_t>(rank)});
      shifts[static_cast<std::size_t>(j)] = 0;
    }
  };
  // In ascending order of the target: the first dimension makes the largest steps.
  for (int j = 0; j < rank; ++j) {
    send(j, -1);
  }
  for (int j = rank; j-- > 0;) {
    send(j, 1);
  }
}

void TransferBuilder::faces_and_corners(const Holder& holder, const ShadowPart& part) {
  // All ways to go at most one step along the cutting dimensions, in ascending order of the target.
  const auto rank = static_cast<std::size_t>(holder.layout->view().rank());
  std::array<int, machine::max_grid_rank> shifts{};
  std::array<bool, machine::max_grid_rank> cuts{};
  for (std::size_t j = 0; j < rank; ++j) {
    cuts[j] = holder.layout->split_dimension(static_cast<int>(j)) >= 0;
    shifts[j] = cuts[j] ? -1 : 0;
  }
  while (true) {
    const auto steps =
        std::count_if(shifts.begin(), shifts.end(), [](int shift) { return shift != 0; });
    if (steps > 0 && steps <= part.tuple_limit) {
      send_edge(holder, part, {shifts.data(), rank});
    }
    std::size_t j = rank;
    while (j > 0 && (!cuts[j - 1] || ++shifts[j - 1] > 1)) {
      --j;
      if (cuts[j]) {
        shifts[j] = -1;
      }
    }
    if (j == 0) {
      break;
    }
  }
}

void TransferBuilder::shadow(const ShadowPart& part) {
  const Layout& layout = mapping_->layout(part.placement);
  if (layout.fully_replicated()) {
    return;
  }
  for_each_holder(layout, [&](const Holder& holder) {
    if (part.tuple_limit == 1) {
      faces(holder, part);
    } else {
      faces_and_corners(holder, part);
    }
  });
}

void TransferBuilder::old_values(const CommunicationSpec& spec) {
  const auto& tables = mapping_->script().tables();
  const Layout& loop = mapping_->layout(spec.placement);
  for (const std::uint32_t id : mapping_->script().part_ids(spec.parts)) {
    const ShadowPart& part = tables.shadow_parts[id];
    const Layout& layout = mapping_->layout(part.placement);
    if (layout.view() != loop.view()) {
      continue;  // the loop does not run along this array
    }
    later_ = &loop;
    shadow(part);
    later_ = nullptr;
  }
}

// --- redistribution, copies, buffers
// -------------------------------------------------------------------

void TransferBuilder::move(const MovePart& part) {
  const Layout& from = mapping_->layout(part.from);
  const Layout& to = mapping_->layout(part.to);
  for_each_holder(to, [&](const Holder& holder) {
    whole(holder.block, static_cast<std::size_t>(to.rank()), needs_);
    gather(from, to.view().processors()[holder.local], needs_,
           static_cast<double>(part.element_size));
  });
}

bool TransferBuilder::copy_needs(const CopyPart& part, std::span<const IndexRange> block,
                                 Needs& needs, double& elements) const {
  const Script& script = mapping_->script();
  const std::span<const std::int64_t> source = script.ints(part.from_section);
  elements = 1.0;
  needs.clear();
  if (block.empty()) {
    for (std::size_t i = 0; i < source.size(); i += 3) {
      const StridedRange all{source[i], source[i + 1], source[i + 2]};
      const StridedRange forward =
          all.step > 0 ? all
                       : StridedRange{all.first + all.step * (all.count - 1), -all.step, all.count};
      needs.push_back(forward);
      elements *= static_cast<double>(all.count);
    }
    return elements > 0.0;
  }
  // Positions of the written section that this block holds, dimension by dimension.
  const std::span<const std::int64_t> target = script.ints(part.to_section);
  std::array<IndexRange, mapping::max_rank> positions;
  std::size_t longer = 0;
  for (std::size_t dim = 0; dim * 3 < target.size(); ++dim) {
    StridedRange section{target[dim * 3], target[dim * 3 + 1], target[dim * 3 + 2]};
    IndexRange held;
    if (section.step > 0) {
      held = section.positions_in(block[dim]);
    } else {
      const StridedRange mirrored{section.first + section.step * (section.count - 1), -section.step,
                                  section.count};
      const IndexRange from_the_end = mirrored.positions_in(block[dim]);
      held = {section.count - from_the_end.hi, section.count - from_the_end.lo};
    }
    elements *= static_cast<double>(held.size());
    if (section.count != 1) {
      positions[longer++] = held;
    }
  }
  if (!(elements > 0.0)) {
    return false;
  }
  std::size_t next = 0;
  for (std::size_t i = 0; i < source.size(); i += 3) {
    const StridedRange all{source[i], source[i + 1], source[i + 2]};
    const IndexRange part_of = all.count == 1 ? IndexRange{0, 1} : positions[next++];
    const StridedRange piece{all.first + all.step * part_of.lo, all.step, part_of.size()};
    needs.push_back(piece.step > 0 ? piece
                                   : StridedRange{piece.first + piece.step * (piece.count - 1),
                                                  -piece.step, piece.count});
  }
  return true;
}

void TransferBuilder::copy(const CopyPart& part, std::uint32_t view_id) {
  if (part.from == none) {
    return;  // every processor has the buffer
  }
  const Layout& from = mapping_->layout(part.from);
  double elements = 0.0;
  if (part.to == none) {
    if (copy_needs(part, {}, needs_, elements)) {
      for (const std::uint32_t p : mapping_->view(view_id).processors()) {
        gather(from, p, needs_, static_cast<double>(part.element_size));
      }
    }
    return;
  }
  const Layout& to = mapping_->layout(part.to);
  for_each_holder(to, [&](const Holder& holder) {
    if (copy_needs(part, holder.block, needs_, elements)) {
      gather(from, to.view().processors()[holder.local], needs_,
             static_cast<double>(part.element_size));
    }
  });
}

bool TransferBuilder::remote_needs(const RemotePart& part, std::span<const IndexRange> iterations,
                                   Needs& needs) const {
  const Script& script = mapping_->script();
  const std::span<const std::int64_t> extents =
      script.ints(script.tables().placements[part.array].extents);
  const std::span<const AxisRule> rules = script.rules(part.needs);
  needs.clear();
  for (std::size_t dim = 0; dim < rules.size(); ++dim) {
    const AxisRule& rule = rules[dim];
    StridedRange need{0, 1, extents[dim]};
    if (rule.kind == AxisRule::Kind::constant) {
      need = {rule.constant, 1, rule.constant >= 0 && rule.constant < extents[dim] ? 1 : 0};
    } else if (rule.kind == AxisRule::Kind::linear && !iterations.empty()) {
      const IndexRange own = iterations[static_cast<std::size_t>(rule.dim)];
      need = {rule.coefficient * own.lo + rule.constant, rule.coefficient, own.size()};
      if (need.step < 0) {
        need = {need.first + need.step * (need.count - 1), -need.step, need.count};
      }
      need = need.part(need.positions_in({0, extents[dim]}));
    }
    if (need.count <= 0) {
      return false;
    }
    needs.push_back(need);
  }
  return true;
}

void TransferBuilder::remote(const RemotePart& part) {
  const Layout& from = mapping_->layout(part.array);
  const auto element_size = static_cast<double>(part.element_size);
  if (part.reader == none) {
    if (remote_needs(part, {}, needs_)) {
      for (const std::uint32_t p : mapping_->view(part.view).processors()) {
        gather(from, p, needs_, element_size);
      }
    }
    return;
  }
  const Layout& reader = mapping_->layout(part.reader);
  for_each_holder(reader, [&](const Holder& holder) {
    if (remote_needs(part, holder.block, needs_)) {
      gather(from, reader.view().processors()[holder.local], needs_, element_size);
    }
  });
}

}  // namespace gridcast::model
