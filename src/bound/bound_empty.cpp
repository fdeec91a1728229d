#include "bound_empty.h"

#include <algorithm>

#include "bound_facts.h"
#include "gridcast/mapping/index_range.h"

namespace gridcast::model {
namespace {

/// Every communication finds idle networks, and all transfers to processors without elements come
/// behind all others of their communication.
bool empty_processors_come_last(const Script& script, const ModelOptions& options) {
  const auto& tables = script.tables();
  const std::vector<OperationFacts> facts = find_operation_facts(script, options);
  for (std::size_t i = 0; i < tables.ops.size(); ++i) {
    switch (tables.ops[i].kind) {
      case Op::Kind::broadcast:
      case Op::Kind::pipeline:
        return false;
      case Op::Kind::start:
      case Op::Kind::send:
      case Op::Kind::transfer:
      case Op::Kind::exchange:
        if (!facts[i].idle) {
          return false;
        }
        break;
      default:
        break;
    }
  }
  const auto on_all = [](std::uint32_t placement) { return placement == none; };
  return std::none_of(tables.copy_parts.begin(), tables.copy_parts.end(),
                      [&](const CopyPart& part) { return on_all(part.from) || on_all(part.to); }) &&
         std::none_of(tables.remote_parts.begin(), tables.remote_parts.end(),
                      [&](const RemotePart& part) { return on_all(part.reader); });
}

/// Whether the placement is cut along a dimension of its target's processors.
bool is_cut(const Script& script, const PlacementSpec& placement, int dim) {
  if (placement.target == none) {
    return false;
  }
  const auto axes = script.ints(script.tables().targets[placement.target].axes);
  const auto index = static_cast<std::size_t>(dim);
  if (index >= axes.size() || axes[index] < 0) {
    return false;
  }
  const auto rules = script.rules(placement.rules);
  const auto axis = static_cast<std::size_t>(axes[index]);
  return axis < rules.size() && rules[axis].kind == mapping::AxisRule::Kind::linear;
}

}  // namespace

std::int64_t EmptyProcessors::Axis::block(std::int64_t processors) const noexcept {
  const std::int64_t even = mapping::ceil_div(elements, processors);
  return std::max<std::int64_t>(mapping::ceil_div(even, multiplier) * multiplier, 1);
}

EmptyProcessors::EmptyProcessors(const Script& script, const ModelOptions& options) {
  const auto& tables = script.tables();
  if (!runs_on_root_grid(script) || options.extrapolate_iterations ||
      options.block_rule != mapping::BlockRule::ceil || options.reduction == ReductionKind::tree ||
      !empty_processors_come_last(script, options)) {
    return;
  }
  for (int dim = 0; dim < machine::max_grid_rank; ++dim) {
    std::vector<Axis>& axes = axes_[static_cast<std::size_t>(dim)];
    const bool all_cut =
        std::all_of(tables.placements.begin(), tables.placements.end(),
                    [&](const PlacementSpec& placement) { return is_cut(script, placement, dim); });
    for (const TargetSpec& target : tables.targets) {
      const auto cut_axes = script.ints(target.axes);
      const auto index = static_cast<std::size_t>(dim);
      if (!all_cut || target.view != 0 || target.weights != TargetSpec::Weights::none ||
          index >= cut_axes.size() || cut_axes[index] < 0) {
        axes.clear();
        break;
      }
      const auto axis = static_cast<std::size_t>(cut_axes[index]);
      const Axis cut{script.ints(target.extents)[axis],
                     axis < target.divisors.count ? script.ints(target.divisors)[axis] : 1};
      if (std::find(axes.begin(), axes.end(), cut) == axes.end()) {
        axes.push_back(cut);
      }
    }
  }
}

std::optional<machine::Grid> EmptyProcessors::without(const machine::Grid& grid,
                                                      BoundMachine& machine) const {
  int dim = 0;
  while (dim < grid.rank() && grid.extent(dim) == 1) {
    ++dim;
  }
  if (dim == grid.rank() || axes_[static_cast<std::size_t>(dim)].empty()) {
    return std::nullopt;
  }
  const std::int64_t extent = grid.extent(dim);
  std::int64_t used = 2;  // with one coordinate nothing would be cut any more
  for (const Axis& axis : axes_[static_cast<std::size_t>(dim)]) {
    used = std::max(used, mapping::ceil_div(axis.elements, axis.block(extent)));
  }
  const auto same_blocks = [&](const Axis& axis) { return axis.block(used) == axis.block(extent); };
  const auto& axes = axes_[static_cast<std::size_t>(dim)];
  if (used >= extent || !std::all_of(axes.begin(), axes.end(), same_blocks)) {
    return std::nullopt;
  }
  machine.cover(grid.processors());
  if (!machine.equal(grid.processors()) || machine.has_links(grid.processors())) {
    return std::nullopt;
  }
  std::array<std::int64_t, machine::max_grid_rank> extents{};
  for (int j = 0; j < grid.rank(); ++j) {
    extents[static_cast<std::size_t>(j)] = j == dim ? used : grid.extent(j);
  }
  return machine::Grid(std::span(extents).first(static_cast<std::size_t>(grid.rank())));
}

}  // namespace gridcast::model
