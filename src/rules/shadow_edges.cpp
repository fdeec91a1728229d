/// Shadow edges: who sends what to which neighbour (docs/model.md §5).

#include <algorithm>
#include <array>

#include "gridcast/rules/transfers.h"

namespace gridcast::model {

using mapping::IndexRange;
using mapping::Layout;

bool TransferBuilder::runs_earlier(const Layout& loop, std::span<const std::int64_t> shifts) {
  for (int dim = 0; dim < loop.rank(); ++dim) {  // outermost first
    const int j = loop.view_dimension(dim);
    if (j >= 0 && shifts[static_cast<std::size_t>(j)] != 0) {
      return (shifts[static_cast<std::size_t>(j)] < 0) == loop.ascending(j);
    }
  }
  return false;
}

void TransferBuilder::send_edge(const Holder& holder, const ShadowPart& part,
                                std::span<const std::int64_t> shifts) {
  const Layout& layout = *holder.layout;
  if (later_ != nullptr && !runs_earlier(*later_, shifts)) {
    return;
  }
  const mapping::ProcessorView& view = layout.view();
  std::array<std::int64_t, machine::max_grid_rank> receiver{};
  double bytes = static_cast<double>(part.element_size);
  std::array<std::int64_t, mapping::max_rank> edge{};
  std::uint32_t edge_dimensions = 0;  // one bit per dimension
  for (std::size_t j = 0; j < shifts.size(); ++j) {
    const int view_dim = static_cast<int>(j);
    const std::int64_t there = neighbour(j, holder.at[j], shifts[j]);
    if (there < 0 || there >= view.extent(view_dim) || (shifts[j] != 0 && there == holder.at[j])) {
      return;  // nobody there, or a ring of one: it has the elements
    }
    receiver[j] = there;
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
    edge[dim] = std::min(mapping_->script().ints(widths)[dim], holder.ranges[dim].size());
    bytes *= static_cast<double>(edge[dim]);
    edge_dimensions |= 1U << dim;
  }
  if (std::array<IndexRange, mapping::max_rank> block;
      !layout.product() && !layout.block(receiver, block)) {
    return;  // two dimensions of the processor system cut one: what is left may be nothing
  }
  for (std::size_t dim = 0; dim < layout.extents().size(); ++dim) {
    if ((edge_dimensions >> dim & 1U) == 0) {
      edge[dim] = holder.ranges[dim].size();
      bytes *= static_cast<double>(edge[dim]);
    }
  }
  if (bytes > 0.0) {
    const std::uint32_t to = view.processors()[number_of(view, receiver)];
    out_->push_back({holder.processor(), to, bytes});
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
    block[dim] = holder.ranges[dim].size();
  }
  if (contiguous(edge, std::span(block).first(edge.size()), mapping_->options().first_contiguous)) {
    return;
  }
  communication_->packing.resize(mapping_->processors(), 0.0);
  communication_->unpacking.resize(mapping_->processors(), 0.0);
  communication_->packing[holder.processor()] += bytes * copy;
  communication_->unpacking[to] += bytes * copy;
}

void TransferBuilder::send_edges(const Holder& holder, const ShadowPart& part) {
  // All ways to go at most one step along the cutting dimensions.
  const auto rank = static_cast<std::size_t>(holder.layout->view().rank());
  std::array<IndexRange, machine::max_grid_rank> steps;
  std::array<std::int64_t, machine::max_grid_rank> shifts{};
  for (std::size_t j = 0; j < rank; ++j) {
    const bool cuts = holder.layout->split_dimension(static_cast<int>(j)) >= 0;
    steps[j] = cuts ? IndexRange{-1, 2} : IndexRange{0, 1};
    shifts[j] = steps[j].lo;
  }
  do {
    const auto taken =
        static_cast<std::ptrdiff_t>(rank) - std::count(shifts.begin(), shifts.begin() + rank, 0);
    if (taken > 0 && taken <= part.tuple_limit) {
      send_edge(holder, part, {shifts.data(), rank});
    }
  } while (next_in(std::span(steps).first(rank), shifts));
}

void TransferBuilder::find_rings(const Layout& layout, std::uint32_t rings) {
  rings_.fill({0, 0});
  for (int j = 0; rings != 0 && j < layout.view().rank(); ++j) {
    const int dim = layout.split_dimension(j);
    if (dim < 0 || (rings >> static_cast<unsigned>(dim) & 1U) == 0) {
      continue;
    }
    IndexRange& ring = rings_[static_cast<std::size_t>(j)];
    for (std::int64_t q = 0; q < layout.view().extent(j); ++q) {
      if (!layout.range(j, q).empty()) {
        ring = {ring.empty() ? q : ring.lo, q + 1};
      }
    }
  }
}

std::int64_t TransferBuilder::neighbour(std::size_t dim, std::int64_t from,
                                        std::int64_t shift) const {
  const IndexRange ring = rings_[dim];
  if (!ring.empty() && shift < 0 && from == ring.lo) {
    return ring.hi - 1;
  }
  return !ring.empty() && shift > 0 && from == ring.hi - 1 ? ring.lo : from + shift;
}

void TransferBuilder::shadow(const ShadowPart& part) {
  const Layout& layout = mapping_->layout(part.placement);
  const bool runs_along = later_ == nullptr || layout.view() == later_->view();
  if (layout.fully_replicated() || !runs_along) {
    return;
  }
  find_rings(layout, part.rings);
  mapping_->for_each_holder(layout, [&](const Holder& holder) { send_edges(holder, part); });
}

}  // namespace gridcast::model
