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

std::uint32_t number_of(const mapping::ProcessorView& view, std::span<const std::int64_t> at) {
  std::int64_t local = 0;
  for (int j = 0; j < view.rank(); ++j) {
    local = local * view.extent(j) + at[static_cast<std::size_t>(j)];
  }
  return view.processors()[static_cast<std::size_t>(local)];
}

}  // namespace

std::uint32_t TransferBuilder::nearest_holder(const Layout& from, std::uint32_t to,
                                              std::span<const std::int64_t> cell) {
  const mapping::ProcessorView& view = from.view();
  const int rank = view.rank();
  Coordinates at{};
  std::copy(cell.begin(), cell.end(), at.begin());
  if (view.is_root()) {
    // Distances add up over the dimensions, so each dimension has its own nearest coordinate.
    Coordinates own{};
    from.coordinates(to, own);
    for (int j = 0; j < rank; ++j) {
      if (from.split_dimension(j) < 0) {
        const auto index = static_cast<std::size_t>(j);
        at[index] = from.decides_presence(j) ? from.nearest_present(j, own[index]) : own[index];
        if (at[index] < 0) {
          return none;  // nobody holds it
        }
      }
    }
    return number_of(view, at);
  }
  bool replicas = false;
  for (int j = 0; j < rank; ++j) {
    replicas = replicas || (from.split_dimension(j) < 0 && view.extent(j) > 1);
  }
  if (!replicas) {
    return number_of(view, at);  // the cell has one holder
  }
  // A subsystem or another shape: every replica is looked at, the lowest number wins a tie.
  mapping_->count(view.size());
  std::uint32_t best = none;
  std::int64_t best_distance = 0;
  for (std::size_t local = 0; local < view.size(); ++local) {
    from.coordinates(local, at);
    bool holds = true;
    for (int j = 0; j < rank && holds; ++j) {
      const auto index = static_cast<std::size_t>(j);
      holds = from.split_dimension(j) >= 0
                  ? at[index] == cell[index]
                  : !from.decides_presence(j) || !from.range(j, at[index]).empty();
    }
    if (!holds) {
      continue;
    }
    const std::uint32_t candidate = view.processors()[local];
    const std::int64_t distance = mapping_->grid().distance(candidate, to);
    if (best == none || distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

void TransferBuilder::gather(const Layout& from, std::uint32_t to,
                             std::span<const StridedRange> need, double element_size) {
  for (const StridedRange& range : need) {
    if (range.count <= 0) {
      return;
    }
  }
  const mapping::ProcessorView& view = from.view();
  const auto rank = static_cast<std::size_t>(view.rank());
  const std::int64_t local = view.local(to);
  Coordinates own{};
  bool holds_own_cell = local >= 0;
  if (holds_own_cell) {
    from.coordinates(static_cast<std::size_t>(local), own);
  }
  std::array<IndexRange, max_view_rank> cells;
  for (std::size_t j = 0; j < rank; ++j) {
    const int dim = from.split_dimension(static_cast<int>(j));
    if (dim >= 0) {
      cells[j] = from.coordinates_overlapping(static_cast<int>(j),
                                              need[static_cast<std::size_t>(dim)].hull());
      if (cells[j].empty()) {
        return;
      }
    } else {
      cells[j] = {0, 1};
      holds_own_cell = holds_own_cell && !(from.decides_presence(static_cast<int>(j)) &&
                                           from.range(static_cast<int>(j), own[j]).empty());
    }
  }
  Coordinates at{};
  for (std::size_t j = 0; j < rank; ++j) {
    at[j] = cells[j].lo;
  }
  while (true) {
    mapping_->count(1);
    bool is_own = holds_own_cell;
    for (std::size_t j = 0; j < rank && is_own; ++j) {
      is_own = from.split_dimension(static_cast<int>(j)) < 0 || at[j] == own[j];
    }
    if (!is_own) {
      const double elements = elements_in_cell(from, at, need);
      if (elements > 0.0) {
        const std::uint32_t holder = nearest_holder(from, to, {at.data(), rank});
        if (holder != none) {
          out_->push_back({holder, to, elements * element_size});
        }
      }
    }
    std::size_t j = rank;
    while (j > 0 && ++at[j - 1] >= cells[j - 1].hi) {
      --j;
      at[j] = cells[j].lo;
    }
    if (j == 0) {
      break;
    }
  }
}

}  // namespace gridcast::model
