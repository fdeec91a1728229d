/// Shadow edges: who sends what to which neighbour (docs/model.md §5).

#include <algorithm>
#include <array>

#include "transfer_kinds.h"

namespace gridcast::model {

using mapping::IndexRange;
using mapping::Layout;

namespace {

using Coordinates = std::array<std::int64_t, machine::max_grid_rank>;

/// Whether the processor that many steps away runs earlier iterations of the loop.
bool runs_earlier(const Layout& loop, std::span<const std::int64_t> shifts) {
  for (int dim = 0; dim < loop.rank(); ++dim) {  // outermost first
    const int j = loop.view_dimension(dim);
    if (j >= 0 && shifts[static_cast<std::size_t>(j)] != 0) {
      return (shifts[static_cast<std::size_t>(j)] < 0) == loop.ascending(j);
    }
  }
  return false;
}

/// The edges of one array.
class EdgeSender {
public:
  EdgeSender(const GridMapping& mapping, const Layout& layout, const ShadowPart& part,
             const Layout* later, network::Communication& communication)
      : mapping_(&mapping),
        layout_(&layout),
        part_(&part),
        later_(later),
        communication_(&communication) {
    find_rings();
  }

  /// To all that are at most one step away along the cutting dimensions.
  void send_edges(const Holder& holder) {
    const auto rank = static_cast<std::size_t>(layout_->view().rank());
    std::array<IndexRange, machine::max_grid_rank> steps;
    Coordinates shifts{};
    for (std::size_t j = 0; j < rank; ++j) {
      const bool cuts = layout_->split_dimension(static_cast<int>(j)) >= 0;
      steps[j] = cuts ? IndexRange{-1, 2} : IndexRange{0, 1};
      shifts[j] = steps[j].lo;
    }
    const auto ways = std::span(shifts).first(rank);
    do {
      const auto taken =
          static_cast<std::ptrdiff_t>(rank) - std::count(ways.begin(), ways.end(), 0);
      if (taken > 0 && taken <= part_->tuple_limit &&
          (later_ == nullptr || runs_earlier(*later_, ways))) {
        send_edge(holder, ways);
      }
    } while (next_in(std::span(steps).first(rank), ways));
  }

private:
  void find_rings() {
    for (int j = 0; part_->rings != 0 && j < layout_->view().rank(); ++j) {
      const int dim = layout_->split_dimension(j);
      if (dim < 0 || (part_->rings >> static_cast<unsigned>(dim) & 1U) == 0) {
        continue;
      }
      IndexRange& ring = rings_[static_cast<std::size_t>(j)];
      for (std::int64_t q = 0; q < layout_->view().extent(j); ++q) {
        if (!layout_->range(j, q).empty()) {
          ring = {ring.empty() ? q : ring.lo, q + 1};
        }
      }
    }
  }

  /// The coordinate that many steps away, around the ring if there is one.
  [[nodiscard]] std::int64_t neighbour(std::size_t dim, std::int64_t from,
                                       std::int64_t shift) const {
    const IndexRange ring = rings_[dim];
    if (!ring.empty() && shift < 0 && from == ring.lo) {
      return ring.hi - 1;
    }
    return !ring.empty() && shift > 0 && from == ring.hi - 1 ? ring.lo : from + shift;
  }

  void send_edge(const Holder& holder, std::span<const std::int64_t> shifts) {
    const mapping::ProcessorView& view = layout_->view();
    Coordinates receiver{};
    auto edge = holder.sizes();
    for (std::size_t j = 0; j < shifts.size(); ++j) {
      const int view_dim = static_cast<int>(j);
      const std::int64_t there = neighbour(j, holder.at[j], shifts[j]);
      receiver[j] = there;
      if (shifts[j] == 0) {
        continue;
      }
      if (there < 0 || there >= view.extent(view_dim) || there == holder.at[j]) {
        return;  // nobody there, or a ring of one: it has the elements
      }
      const auto dim = static_cast<std::size_t>(layout_->split_dimension(view_dim));
      // To the left (towards smaller indices) goes what the neighbour's high shadow holds.
      const bool to_left = (shifts[j] < 0) == layout_->ascending(view_dim);
      edge[dim] =
          std::min(edge[dim], mapping_->script().ints(to_left ? part_->high : part_->low)[dim]);
    }
    const auto extents = std::span(edge).first(holder.block().size());
    const double bytes = static_cast<double>(part_->element_size) * mapping::elements_of(extents);
    std::array<IndexRange, mapping::max_rank> block;
    if (bytes > 0.0 && layout_->block(receiver, block)) {
      const std::uint32_t to = view.processors()[number_of(view, receiver)];
      communication_->transfers.push_back({holder.processor(), to, bytes});
      pack(holder, extents, to, bytes);
    }
  }

  void pack(const Holder& holder, std::span<const std::int64_t> edge, std::uint32_t to,
            double bytes) {
    const double copy = mapping_->system().library.copy;
    const auto sizes = holder.sizes();
    if (!(copy > 0.0) || contiguous(edge, std::span(sizes).first(edge.size()),
                                    mapping_->options().first_contiguous)) {
      return;
    }
    communication_->packing.resize(mapping_->processors(), 0.0);
    communication_->unpacking.resize(mapping_->processors(), 0.0);
    communication_->packing[holder.processor()] += bytes * copy;
    communication_->unpacking[to] += bytes * copy;
  }

  const GridMapping* mapping_;
  const Layout* layout_;
  const ShadowPart* part_;
  const Layout* later_;
  network::Communication* communication_;
  /// Per dimension of the view whose edges wrap: from the first to the last coordinate with
  /// elements, which are neighbours; empty elsewhere.
  std::array<IndexRange, machine::max_grid_rank> rings_{};
};

}  // namespace

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

void add_edges(GridMapping& mapping, const ShadowPart& part, const Layout* later,
               network::Communication& communication) {
  const Layout& layout = mapping.layout(part.placement);
  const bool runs_along = later == nullptr || layout.view() == later->view();
  if (layout.fully_replicated() || !runs_along) {
    return;
  }
  EdgeSender sender(mapping, layout, part, later, communication);
  mapping.for_each_holder(layout, [&](const Holder& holder) { sender.send_edges(holder); });
}

}  // namespace gridcast::model
