/// Who sends what a processor needs and does not hold.

#include <algorithm>
#include <array>

#include "gridcast/rules/transfers.h"

namespace gridcast::model {

using mapping::IndexRange;
using mapping::Layout;
using mapping::StridedRange;

namespace {

constexpr std::size_t max_view_rank = machine::max_grid_rank;
using Coordinates = std::array<std::int64_t, max_view_rank>;

/// Elements of `need` in the cell (one coordinate per cutting dimension) of a layout.
double elements_in_cell(const Layout& layout, std::span<const std::int64_t> cell,
                        std::span<const StridedRange> need) {
  std::array<IndexRange, mapping::max_rank> ranges;
  for (std::size_t dim = 0; dim < need.size(); ++dim) {
    ranges[dim] = {0, layout.extent(static_cast<int>(dim))};
  }
  for (int j = 0; j < layout.view().rank(); ++j) {
    const int dim = layout.split_dimension(j);
    if (dim >= 0) {
      IndexRange& range = ranges[static_cast<std::size_t>(dim)];
      range = intersect(range, layout.range(j, cell[static_cast<std::size_t>(j)]));
    }
  }
  double product = 1.0;
  for (std::size_t dim = 0; dim < need.size(); ++dim) {
    product *= static_cast<double>(need[dim].positions_in(ranges[dim]).size());
  }
  return product;
}

}  // namespace

std::uint32_t TransferBuilder::nearest_holder(const Layout& from, std::uint32_t to,
                                              std::span<const std::int64_t> cell) {
  const mapping::ProcessorView& view = from.view();
  const int rank = view.rank();
  Coordinates at{};
  std::copy(cell.begin(), cell.end(), at.begin());
  Coordinates own{};
  bool alone = true;  // each dimension has its own nearest coordinate
  if (view.is_root()) {
    from.coordinates(to, own);
  }
  for (int j = 0; j < rank; ++j) {
    if (from.split_dimension(j) < 0 && view.extent(j) > 1) {
      const auto index = static_cast<std::size_t>(j);
      alone = view.is_root();  // distances add up over its dimensions
      at[index] = from.decides_presence(j) ? from.nearest_present(j, own[index]) : own[index];
      if (at[index] < 0) {
        return none;  // nobody holds it
      }
    }
  }
  if (alone) {
    return view.processors()[number_of(view, at)];
  }
  // A subsystem or another shape: every replica is looked at, the lowest number wins a tie.
  std::array<IndexRange, max_view_rank> replicas;
  for (int j = 0; j < rank; ++j) {
    const auto index = static_cast<std::size_t>(j);
    replicas[index] = from.split_dimension(j) >= 0 ? IndexRange{cell[index], cell[index] + 1}
                                                   : IndexRange{0, view.extent(j)};
    at[index] = replicas[index].lo;
  }
  std::uint32_t best = none;
  std::int64_t best_distance = 0;
  do {
    mapping_->count(1);
    bool holds = true;
    for (int j = 0; j < rank && holds; ++j) {
      holds = from.split_dimension(j) >= 0 || !from.decides_presence(j) ||
              !from.range(j, at[static_cast<std::size_t>(j)]).empty();
    }
    const std::uint32_t candidate = view.processors()[number_of(view, at)];
    const std::int64_t distance = mapping_->grid().distance(candidate, to);
    if (holds && (best == none || distance < best_distance)) {
      best = candidate;
      best_distance = distance;
    }
  } while (next_in(std::span(replicas).first(static_cast<std::size_t>(rank)), at));
  return best;
}

void TransferBuilder::gather(const Layout& from, std::uint32_t to, double element_size) {
  const mapping::ProcessorView& view = from.view();
  const auto rank = static_cast<std::size_t>(view.rank());
  const std::int64_t local = view.local(to);
  Coordinates own{};
  bool holds_own_cell = local >= 0;
  if (holds_own_cell) {
    from.coordinates(static_cast<std::size_t>(local), own);
  }
  std::array<IndexRange, max_view_rank> cells;
  Coordinates at{};
  for (std::size_t j = 0; j < rank; ++j) {
    const int dim = from.split_dimension(static_cast<int>(j));
    if (dim >= 0) {
      cells[j] = from.coordinates_overlapping(static_cast<int>(j),
                                              needs_[static_cast<std::size_t>(dim)].hull());
      if (cells[j].empty()) {
        return;
      }
    } else {
      cells[j] = {0, 1};
      holds_own_cell = holds_own_cell && !(from.decides_presence(static_cast<int>(j)) &&
                                           from.range(static_cast<int>(j), own[j]).empty());
    }
    at[j] = cells[j].lo;
  }
  do {
    mapping_->count(1);
    bool is_own = holds_own_cell;
    for (std::size_t j = 0; j < rank && is_own; ++j) {
      is_own = from.split_dimension(static_cast<int>(j)) < 0 || at[j] == own[j];
    }
    const double elements = is_own ? 0.0 : elements_in_cell(from, at, needs_);
    if (elements > 0.0) {
      const std::uint32_t holder = nearest_holder(from, to, {at.data(), rank});
      if (holder != none) {
        out_->push_back({holder, to, elements * element_size});
      }
    }
  } while (next_in(std::span(cells).first(rank), at));
}

}  // namespace gridcast::model
