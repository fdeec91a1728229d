/// Who sends what a processor needs and does not hold.

#include <algorithm>
#include <array>

#include "transfer_kinds.h"

namespace gridcast::model {

using mapping::IndexRange;
using mapping::Layout;
using mapping::StridedRange;

namespace {

using Coordinates = std::array<std::int64_t, machine::max_grid_rank>;

/// The holder nearest to a processor of what is at these coordinates of the cutting dimensions; any
/// coordinates if nobody holds it. For subsystems and other shapes, where distances do not add up
/// over the dimensions: every replica is looked at, the lowest number wins a tie.
Coordinates nearest_replica(const GridMapping& mapping, const Layout& from, std::uint32_t to,
                            Coordinates at) {
  const mapping::ProcessorView& view = from.view();
  std::array<IndexRange, machine::max_grid_rank> replicas;
  for (int j = 0; j < view.rank(); ++j) {
    const auto index = static_cast<std::size_t>(j);
    replicas[index] = from.split_dimension(j) >= 0 ? IndexRange{at[index], at[index] + 1}
                                                   : IndexRange{0, view.extent(j)};
    at[index] = replicas[index].lo;
  }
  Coordinates best = at;
  std::int64_t best_distance = -1;
  std::array<IndexRange, mapping::max_rank> block;
  do {
    mapping.count(1);
    const std::int64_t distance =
        mapping.grid().distance(view.processors()[number_of(view, at)], to);
    if ((best_distance < 0 || distance < best_distance) && from.block(at, block)) {
      best = at;
      best_distance = distance;
    }
  } while (next_in(std::span(replicas).first(static_cast<std::size_t>(view.rank())), at));
  return best;
}

}  // namespace

void gather(const GridMapping& mapping, const Layout& from, std::uint32_t to,
            std::span<const StridedRange> needs, double element_size,
            std::vector<network::Transfer>& transfers) {
  const mapping::ProcessorView& view = from.view();
  std::array<IndexRange, machine::max_grid_rank> cells;
  Coordinates own{};
  Coordinates at{};
  if (view.is_root()) {
    from.coordinates(to, own);
  }
  for (int j = 0; j < view.rank(); ++j) {
    const auto index = static_cast<std::size_t>(j);
    if (const int dim = from.split_dimension(j); dim >= 0) {
      cells[index] = from.coordinates_overlapping(j, needs[static_cast<std::size_t>(dim)].hull());
    } else {
      const std::int64_t nearest =
          from.decides_presence(j) ? from.nearest_present(j, own[index]) : own[index];
      cells[index] = {nearest, nearest < 0 ? nearest : nearest + 1};
    }
    if (cells[index].empty()) {
      return;
    }
    at[index] = cells[index].lo;
  }
  std::array<IndexRange, mapping::max_rank> block;
  do {
    mapping.count(1);
    const Coordinates nearest = view.is_root() ? at : nearest_replica(mapping, from, to, at);
    const std::uint32_t holder = view.processors()[number_of(view, nearest)];
    if (holder == to || !from.block(nearest, block)) {
      continue;
    }
    double elements = 1.0;
    for (std::size_t dim = 0; dim < needs.size(); ++dim) {
      elements *= static_cast<double>(needs[dim].positions_in(block[dim]).size());
    }
    if (elements > 0.0) {
      transfers.push_back({holder, to, elements * element_size});
    }
  } while (next_in(std::span(cells).first(static_cast<std::size_t>(view.rank())), at));
}

}  // namespace gridcast::model
