#include "gridcast/rules/memory.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace gridcast::model {
namespace {

/// Elements of a range with edges, as far as the array goes.
double with_edges(mapping::IndexRange range, std::int64_t low, std::int64_t high,
                  std::int64_t extent) {
  if (range.empty()) {
    return 0.0;
  }
  return static_cast<double>(std::min(extent, range.hi + high) -
                             std::max<std::int64_t>(0, range.lo - low));
}

/// n to the power of the dimensions that follow a dimension of the loop; without any: whether there
/// are iterations.
double needed(std::int64_t iterations, std::int64_t power) {
  if (iterations == 0) {
    return 0.0;
  }
  return std::pow(static_cast<double>(iterations), static_cast<double>(power));
}

bool exceeds_nowhere(const std::vector<double>& a, const std::vector<double>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] > b[i]) {
      return false;
    }
  }
  return true;
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
      if (spec.kind == HoldingSpec::Kind::array) {
        double bytes = spec.bytes;
        for (const std::int64_t extent : script_.ints(tables.placements[spec.placement].extents)) {
          bytes *= static_cast<double>(extent);
        }
        sum += bytes;
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
    std::vector<bool> cut(static_cast<std::size_t>(layout.rank()), false);
    for (int dim = 0; dim < machine::max_grid_rank; ++dim) {
      const int split = layout.split_dimension(dim);
      cuts_[i][static_cast<std::size_t>(dim)] = split;
      if (split >= 0) {
        cut[static_cast<std::size_t>(split)] = true;
      }
    }
    const auto powers = script_.ints(spec.powers);
    for (std::size_t dim = 0; dim < cut.size(); ++dim) {
      const std::int64_t extent = layout.extent(static_cast<int>(dim));
      if (!cut[dim]) {
        whole_[i] *= spec.kind == HoldingSpec::Kind::array ? static_cast<double>(extent)
                                                           : needed(extent, powers[dim]);
      }
    }
  }
}

void MemoryModel::expand(const machine::Grid& grid) {
  if (static_cast<std::int64_t>(system_.processors()) < grid.processors()) {
    const std::int64_t twice = 2 * static_cast<std::int64_t>(system_.processors());
    const std::int64_t most = std::min(std::max(grid.processors(), twice), cluster_->processors());
    system_ = cluster_->expand(std::max(grid.processors(), most));
  }
}

/// Blocks of a dimension do not depend on the other dimensions unless unequal processors have
/// unequal blocks.
bool MemoryModel::by_dimension(const machine::Grid& grid) {
  return on_root_ &&
         (!options_.processor_weights ||
          std::all_of(system_.performance.begin(),
                      system_.performance.begin() + static_cast<std::ptrdiff_t>(grid.processors()),
                      [&](double w) { return w == system_.performance.front(); }));
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
  const auto at = static_cast<std::size_t>(cut);
  const std::int64_t extent = layout.extent(cut);
  const mapping::IndexRange range = there && layout.split_dimension(dim) == cut
                                        ? layout.range(dim, coordinate)
                                        : mapping::IndexRange{0, extent};
  if (spec.kind == HoldingSpec::Kind::buffer) {
    return needed(range.size(), script_.ints(spec.powers)[at]);
  }
  return with_edges(range, script_.ints(spec.low)[at], script_.ints(spec.high)[at], extent);
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

void MemoryModel::combine(std::span<const Largest* const> dimensions, const Factors& so_far,
                          double& most) {
  if (dimensions.empty()) {
    most = std::max(most, fullest_moment(so_far));
    return;
  }
  Factors product(so_far.size());
  for (const Factors& factors : *dimensions.front()) {
    std::transform(so_far.begin(), so_far.end(), factors.begin(), product.begin(),
                   std::multiplies<>());
    combine(dimensions.subspan(1), product, most);
  }
}

double MemoryModel::peak(const machine::Grid& grid) {
  using Kind = machine::Placement::Kind;
  expand(grid);
  const machine::Placement& wish = options_.placement;
  if (wish.kind == Kind::row || by_dimension(grid)) {
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
  std::array<Largest, machine::max_grid_rank> own;
  std::array<const Largest*, machine::max_grid_rank> dimensions{};
  const bool alike = by_dimension(grid);
  for (int dim = 0; dim < machine::max_grid_rank; ++dim) {
    const auto at = static_cast<std::size_t>(dim);
    if (!alike) {
      own[at] = largest_along(dim, grid.extent(dim));
    }
    dimensions[at] = alike ? &remembered(dim, grid.extent(dim)) : &own[at];
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
  const mapping::ProcessorView& view = layout.view();
  std::vector<std::int64_t> coordinates(static_cast<std::size_t>(view.rank()));
  std::vector<mapping::IndexRange> block(static_cast<std::size_t>(layout.rank()));
  for (std::size_t local = 0; local < view.size(); ++local) {
    layout.coordinates(local, coordinates);
    if (!layout.block(coordinates, block)) {
      continue;
    }
    double size = spec.bytes;
    for (std::size_t dim = 0; dim < block.size(); ++dim) {
      size *= spec.kind == HoldingSpec::Kind::buffer
                  ? needed(block[dim].size(), script_.ints(spec.powers)[dim])
                  : with_edges(block[dim], script_.ints(spec.low)[dim],
                               script_.ints(spec.high)[dim], layout.extent(static_cast<int>(dim)));
    }
    bytes[view.processors()[local]] += size;
  }
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
  double processors = 1.0;
  for (const std::int64_t extent : largest_extents) {
    processors *= static_cast<double>(extent);
  }
  // Sums of the parts may round differently.
  constexpr double safety = 1.0 - 1e-9;
  return safety * total_ / processors;
}

}  // namespace gridcast::model
