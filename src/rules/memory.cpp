#include "gridcast/rules/memory.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

namespace gridcast::model {
namespace {

/// What the part of a dimension that a processor has contributes to the size of a holding: of an
/// array its elements with edges, as far as the array goes; of a buffer its iterations to the power
/// of the dimensions that follow this one.
double size_along(const Script& script, const HoldingSpec& spec, std::size_t dim,
                  mapping::IndexRange range, std::int64_t extent) {
  if (range.empty()) {
    return 0.0;
  }
  if (spec.powers.count > 0) {
    return std::pow(static_cast<double>(range.size()),
                    static_cast<double>(script.ints(spec.powers)[dim]));
  }
  return static_cast<double>(std::min(extent, range.hi + script.ints(spec.high)[dim]) -
                             std::max<std::int64_t>(0, range.lo - script.ints(spec.low)[dim]));
}

bool exceeds_nowhere(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), std::less_equal<>());
}

}  // namespace

MemoryModel::MemoryModel(const Script& script, const machine::Cluster& cluster,
                         const ModelOptions& options)
    : script_(script), cluster_(&cluster), options_(options), mapping_(script_, options) {
  const auto& tables = script_.tables();
  for (const HoldingSpec& spec : tables.holdings) {
    const bool placed = spec.placement != none;
    on_root_ = on_root_ && (placed ? tables.placements[spec.placement].view : spec.view) == 0;
  }
  find_cuts();
  for (const Slice moment : tables.moments) {
    double sum = 0.0;
    for (const std::uint32_t id : script_.part_ids(moment)) {
      const HoldingSpec& spec = tables.holdings[id];
      if (spec.placement != none && spec.powers.count == 0) {
        sum += spec.bytes *
               mapping::elements_of(script_.ints(tables.placements[spec.placement].extents));
      }
    }
    total_ = std::max(total_, sum);
  }
}

/// Which dimensions a grid cuts does not depend on the grid, as long as it has two coordinates.
void MemoryModel::find_cuts() {
  cuts_.resize(script_.tables().holdings.size());
  whole_.resize(cuts_.size(), 0.0);
  if (!on_root_ || cuts_.empty()) {
    return;
  }
  constexpr std::int64_t sample = 1 << machine::max_grid_rank;
  const std::vector<std::int64_t> two(machine::max_grid_rank, 2);
  machine::ProcessorSystem equal;
  equal.performance.assign(sample, 1.0);
  mapping_.reset(machine::Grid(two), equal);
  for (std::size_t i = 0; i < cuts_.size(); ++i) {
    const HoldingSpec& spec = script_.tables().holdings[i];
    cuts_[i].fill(-1);
    whole_[i] = spec.bytes;
    if (spec.placement == none) {
      continue;
    }
    const mapping::Layout& layout = mapping_.layout(spec.placement);
    on_root_ = on_root_ && layout.product();
    for (int dim = 0; dim < machine::max_grid_rank; ++dim) {
      cuts_[i][static_cast<std::size_t>(dim)] = layout.split_dimension(dim);
    }
    for (int dim = 0; dim < layout.rank(); ++dim) {
      if (layout.view_dimension(dim) < 0) {
        const std::int64_t extent = layout.extent(dim);
        whole_[i] *= size_along(script_, spec, static_cast<std::size_t>(dim), {0, extent}, extent);
      }
    }
  }
}

void MemoryModel::expand(const machine::Grid& grid) {
  if (static_cast<std::int64_t>(system_.processors()) < grid.processors()) {
    const std::int64_t wanted = grid.processors();
    system_ = cluster_->expand(std::max(wanted, std::min(2 * wanted, cluster_->processors())));
  }
}

/// Blocks of a dimension do not depend on the other dimensions unless unequal processors have
/// unequal blocks.
bool MemoryModel::by_dimension() const {
  return on_root_ && (!options_.processor_weights || mapping_.homogeneous());
}

double MemoryModel::factor(std::size_t holding, int dim, std::int64_t coordinate) {
  const HoldingSpec& spec = script_.tables().holdings[holding];
  if (spec.placement == none) {
    return 1.0;
  }
  const mapping::Layout& layout = mapping_.layout(spec.placement);
  const int cut = cuts_[holding][static_cast<std::size_t>(dim)];
  const bool there = dim < layout.view().rank();
  if (cut < 0) {
    return there && layout.range(dim, coordinate).empty() ? 0.0 : 1.0;
  }
  const std::int64_t extent = layout.extent(cut);
  const mapping::IndexRange range = there && layout.split_dimension(dim) == cut
                                        ? layout.range(dim, coordinate)
                                        : mapping::IndexRange{0, extent};
  return size_along(script_, spec, static_cast<std::size_t>(cut), range, extent);
}

MemoryModel::Largest MemoryModel::largest_along(int dim, std::int64_t extent) {
  Largest largest;
  Factors factors(cuts_.size());
  for (std::int64_t coordinate = 0; coordinate < extent; ++coordinate) {
    for (std::size_t i = 0; i < factors.size(); ++i) {
      factors[i] = factor(i, dim, coordinate);
    }
    if (std::any_of(largest.begin(), largest.end(),
                    [&](const Factors& other) { return exceeds_nowhere(factors, other); })) {
      continue;
    }
    std::erase_if(largest, [&](const Factors& other) { return exceeds_nowhere(other, factors); });
    largest.push_back(factors);
  }
  return largest;
}

const MemoryModel::Largest& MemoryModel::remembered(int dim, std::int64_t extent) {
  const auto [at, is_new] = remembered_.try_emplace({dim, extent});
  if (is_new) {
    // A grid of this dimension alone cuts it as every other grid does.
    std::vector<std::int64_t> extents(static_cast<std::size_t>(dim) + 1, 1);
    extents.back() = extent;
    mapping_.reset(machine::Grid(extents), system_);
    at->second = largest_along(dim, extent);
  }
  return at->second;
}

double MemoryModel::fullest_moment(const Factors& bytes) const {
  double most = 0.0;
  for (const Slice moment : script_.tables().moments) {
    double sum = 0.0;
    for (const std::uint32_t id : script_.part_ids(moment)) {
      sum += bytes[id];
    }
    most = std::max(most, sum);
  }
  return most;
}

void MemoryModel::combine(std::span<const Largest> dimensions, const Factors& so_far,
                          double& most) {
  if (dimensions.empty()) {
    most = std::max(most, fullest_moment(so_far));
    return;
  }
  Factors product(so_far.size());
  for (const Factors& factors : dimensions.front()) {
    std::transform(so_far.begin(), so_far.end(), factors.begin(), product.begin(),
                   std::multiplies<>());
    combine(dimensions.subspan(1), product, most);
  }
}

double MemoryModel::peak(const machine::Grid& grid) {
  using Kind = machine::Placement::Kind;
  expand(grid);
  const machine::Placement& wish = options_.placement;
  mapping_.reset(grid, system_);
  if (wish.kind == Kind::row || by_dimension()) {
    return peak_on(grid, system_);
  }
  double most = 0.0;
  for (const machine::Placement& each :
       wish.kind == Kind::search ? machine::placements(system_, grid)
                                 : std::vector{machine::placement_on(system_, grid, wish)}) {
    most = std::max(most, peak_on(grid, machine::placed(system_, machine::order_of(grid, each))));
  }
  return most;
}

double MemoryModel::peak_on(const machine::Grid& grid, const machine::ProcessorSystem& system) {
  mapping_.reset(grid, system);
  if (!on_root_) {
    return peak_one_by_one();
  }
  // A dimension of one coordinate cuts nothing; what it would cut counts in full.
  std::array<Largest, machine::max_grid_rank> dimensions;
  const bool alike = by_dimension();
  for (int dim = 0; dim < machine::max_grid_rank; ++dim) {
    dimensions[static_cast<std::size_t>(dim)] =
        alike ? remembered(dim, grid.extent(dim)) : largest_along(dim, grid.extent(dim));
  }
  double most = 0.0;
  combine(dimensions, whole_, most);
  return most;
}

/// Adds what each processor of the grid has of a holding.
void MemoryModel::add_bytes(std::size_t holding, std::vector<double>& bytes) {
  const HoldingSpec& spec = script_.tables().holdings[holding];
  if (spec.placement == none) {
    for (const std::uint32_t processor : mapping_.view(spec.view).processors()) {
      bytes[processor] += spec.bytes;
    }
    return;
  }
  const mapping::Layout& layout = mapping_.layout(spec.placement);
  mapping_.for_each_holder(layout, [&](const Holder& holder) {
    double size = spec.bytes;
    for (std::size_t dim = 0; dim < holder.block().size(); ++dim) {
      size *= size_along(script_, spec, dim, holder.ranges[dim], layout.extents()[dim]);
    }
    bytes[holder.processor()] += size;
  });
}

double MemoryModel::peak_one_by_one() {
  double most = 0.0;
  std::vector<double> bytes;
  for (const Slice moment : script_.tables().moments) {
    bytes.assign(mapping_.processors(), 0.0);
    for (const std::uint32_t id : script_.part_ids(moment)) {
      add_bytes(id, bytes);
    }
    most = std::max(most, *std::max_element(bytes.begin(), bytes.end()));
  }
  return most;
}

double MemoryModel::least(std::span<const std::int64_t> largest_extents) const noexcept {
  // Sums of the parts may round differently.
  constexpr double safety = 1.0 - 1e-9;
  return safety * total_ / mapping::elements_of(largest_extents);
}

}  // namespace gridcast::model
