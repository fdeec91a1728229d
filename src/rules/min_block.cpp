#include "gridcast/rules/min_block.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <functional>
#include <map>
#include <system_error>
#include <utility>

#include "gridcast/base/error.h"
#include "gridcast/mapping/block_cut.h"

namespace gridcast::model {

MinBlock MinBlock::parse(std::string_view text) {
  if (text == "edge") {
    return {true, {}};
  }
  const std::string whole(text);
  MinBlock min;
  for (bool more = true; more;) {
    const std::size_t comma = text.find(',');
    more = comma != std::string_view::npos;
    const std::string_view entry = text.substr(0, comma);
    std::int64_t length = 0;
    const char* const last = entry.data() + entry.size();
    const auto [rest, error] = std::from_chars(entry.data(), last, length);
    if (error != std::errc() || rest != last || length < 0 || length > mapping::max_index ||
        min.lengths.size() == machine::max_grid_rank) {
      throw InputError("--min-block " + whole,
                       "expected 0, edge, a number of elements or one per dimension, as 4,2");
    }
    min.lengths.push_back(length);
    text = more ? text.substr(comma + 1) : std::string_view();
  }
  return min;
}

std::string MinBlock::text() const {
  std::string result = edge ? "edge" : "";
  for (const std::int64_t length : lengths) {
    result += (result.empty() ? "" : ",") + std::to_string(length);
  }
  return result.empty() ? "0" : result;
}

bool MinBlock::any() const noexcept {
  return edge || std::ranges::any_of(lengths, [](std::int64_t length) { return length > 1; });
}

BlockLimit::BlockLimit(const Script& script, const machine::Cluster& cluster,
                       const ModelOptions& options, MinBlock min)
    : script_(script),
      cluster_(&cluster),
      options_(options),
      min_(std::move(min)),
      mapping_(script_, options) {
  std::map<std::pair<PlacementId, int>, std::int64_t> widths;
  for (const ShadowPart& part : script_.tables().shadow_parts) {
    const auto low = script_.ints(part.low);
    const auto high = script_.ints(part.high);
    for (std::size_t dim = 0; dim < low.size(); ++dim) {
      std::int64_t& width = widths[{part.placement, static_cast<int>(dim)}];
      width = std::max({width, low[dim], high[dim]});
    }
  }
  for (const DomainSpec& domain : script_.tables().domains) {
    const auto ghost = script_.ints(domain.ghost);
    for (std::size_t dim = 0; dim < ghost.size(); ++dim) {
      std::int64_t& width = widths[{domain.placement, static_cast<int>(dim)}];
      width = std::max(width, ghost[dim]);
    }
  }
  for (const auto& [where, width] : widths) {
    if (width > 0) {
      edges_.push_back({where.first, where.second, width});
    }
  }
}

/// Blocks that hold something have an element.
std::int64_t BlockLimit::wanted(const Edge& edge, std::size_t grid_dim) const {
  if (min_.edge) {
    return edge.width;
  }
  return min_.lengths.size() == 1         ? min_.lengths.front()
         : grid_dim < min_.lengths.size() ? min_.lengths[grid_dim]
                                          : 0;
}

bool BlockLimit::admits_on(const machine::Grid& grid, const machine::ProcessorSystem& system) {
  mapping_.reset(grid, system);
  for (const Edge& edge : edges_) {
    const mapping::Layout& layout = mapping_.layout(edge.placement);
    for (int dim = 0; dim < layout.view().rank(); ++dim) {
      const std::int64_t least = wanted(edge, static_cast<std::size_t>(dim));
      const std::int64_t coordinates = layout.view().extent(dim);
      if (coordinates == 1 || least <= 1 || layout.split_dimension(dim) != edge.dim) {
        continue;
      }
      for (std::int64_t at = 0; at < coordinates; ++at) {
        const std::int64_t length = layout.range(dim, at).size();
        if (length > 0 && length < least) {
          return false;
        }
      }
    }
  }
  return true;
}

bool BlockLimit::admits(const machine::Grid& grid) {
  using Kind = machine::Placement::Kind;
  if (static_cast<std::int64_t>(system_.processors()) < grid.processors()) {
    system_ = cluster_->expand(
        std::max(grid.processors(), std::min(2 * grid.processors(), cluster_->processors())));
  }
  const machine::Placement& wish = options_.placement;
  mapping_.reset(grid, system_);
  if (wish.kind == Kind::row || !options_.processor_weights || mapping_.homogeneous()) {
    return admits_on(grid, system_);
  }
  const std::vector<machine::Placement> placements =
      wish.kind == Kind::search ? machine::placements(system_, grid)
                                : std::vector{machine::placement_on(system_, grid, wish)};
  return std::ranges::all_of(placements, [&](const machine::Placement& each) {
    return admits_on(grid, machine::placed(system_, machine::order_of(grid, each)));
  });
}

/// Equal blocks of templates on the whole grid: those of a dimension do not depend on the others.
bool BlockLimit::separable() const {
  const auto& tables = script_.tables();
  std::vector<double> performances;
  for (const machine::ClusterNode& node : cluster_->nodes()) {
    if (node.items.empty()) {
      performances.push_back(node.performance);
    }
  }
  const bool equal =
      !options_.processor_weights ||
      std::ranges::adjacent_find(performances, std::not_equal_to<>()) == performances.end();
  return equal && std::ranges::all_of(edges_, [&](const Edge& edge) {
           const PlacementSpec& placement = tables.placements[edge.placement];
           return placement.view == root_view &&
                  (placement.target == none ||
                   (tables.targets[placement.target].view == root_view &&
                    tables.targets[placement.target].lists.count == 0));
         });
}

std::vector<BlockLimit::Cut> BlockLimit::cuts(std::size_t grid_dim) const {
  const auto& tables = script_.tables();
  std::vector<Cut> cuts;
  for (const Edge& edge : edges_) {
    const PlacementSpec& placement = tables.placements[edge.placement];
    const std::int64_t least = wanted(edge, grid_dim);
    if (placement.target == none || least <= 1) {
      continue;
    }
    const TargetSpec& target = tables.targets[placement.target];
    const auto axes = script_.ints(target.axes);
    const std::int64_t axis = grid_dim < axes.size() ? axes[grid_dim] : -1;
    if (axis < 0) {
      continue;
    }
    const auto at = static_cast<std::size_t>(axis);
    const mapping::AxisRule& rule = script_.rules(placement.rules)[at];
    if (rule.kind == mapping::AxisRule::Kind::linear && rule.dim == edge.dim) {
      const auto divisors = script_.ints(target.divisors);
      cuts.push_back({script_.ints(target.extents)[at], at < divisors.size() ? divisors[at] : 1,
                      rule_of(target, options_), rule,
                      script_.ints(placement.extents)[static_cast<std::size_t>(edge.dim)], least});
    }
  }
  return cuts;
}

/// The blocks between the first and the last that hold something are whole blocks of the template:
/// the shortest of these is the first of all, unless the longer ones come first.
bool BlockLimit::is_long_enough(const Cut& cut, std::int64_t coordinates) const {
  mapping::BlockCut blocks;
  blocks.assign(cut.elements, coordinates, cut.blocks, cut.multiplier);
  const std::int64_t ends[] = {cut.rule.constant,
                               cut.rule.constant + cut.rule.coefficient * (cut.extent - 1)};
  const std::int64_t low = std::max<std::int64_t>(0, std::min(ends[0], ends[1]));
  const std::int64_t high = std::min(cut.elements - 1, std::max(ends[0], ends[1]));
  if (low > high) {
    return true;
  }
  const std::int64_t first = blocks.coordinate_of(low);
  const std::int64_t last = blocks.coordinate_of(high);
  const auto too_short = [&](std::int64_t at) {
    const std::int64_t length =
        mapping::preimage({blocks.boundary(at), blocks.boundary(at + 1)}, cut.rule.coefficient,
                          cut.rule.constant, cut.extent)
            .size();
    return length > 0 && length < cut.wanted;
  };
  if (too_short(first) || too_short(last)) {
    return false;
  }
  if (cut.blocks != mapping::BlockRule::first &&
      (blocks.boundary(1) - blocks.boundary(0)) / std::abs(cut.rule.coefficient) >= cut.wanted) {
    return true;
  }
  for (std::int64_t at = first + 1; at < last; ++at) {
    if (too_short(at)) {
      return false;
    }
  }
  return true;
}

std::optional<std::vector<std::vector<std::int64_t>>> BlockLimit::extents(std::int64_t most) {
  if (!separable()) {
    return std::nullopt;
  }
  std::vector<std::vector<std::int64_t>> result(machine::max_grid_rank);
  for (std::size_t dim = 0; dim < result.size(); ++dim) {
    const std::vector<Cut> dim_cuts = cuts(dim);
    if (dim_cuts.empty()) {
      continue;
    }
    std::int64_t limit = most;
    for (const Cut& cut : dim_cuts) {
      // On so many coordinates no block is longer than one element less than wanted.
      const bool falls = cut.multiplier == 1;
      limit = falls ? std::min(limit, mapping::ceil_div(cut.elements, cut.wanted - 1)) : limit;
    }
    result[dim].push_back(1);
    for (std::int64_t extent = 2; extent <= limit; ++extent) {
      if (std::ranges::all_of(dim_cuts,
                              [&](const Cut& cut) { return is_long_enough(cut, extent); })) {
        result[dim].push_back(extent);
      }
    }
  }
  return result;
}

}  // namespace gridcast::model
