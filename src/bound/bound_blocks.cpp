/// Placements on one grid by formulas: what mapping::Layout lists per coordinate.

#include <algorithm>

#include "bound_shape.h"
#include "gridcast/rules/grid_mapping.h"

namespace gridcast::model {

using mapping::AxisRule;
using mapping::IndexRange;

std::int64_t GridCut::boundary(std::int64_t coordinate) const noexcept {
  return block > 0 ? std::min(elements, coordinate * block)
                   : boundaries[static_cast<std::size_t>(coordinate)];
}

bool GridCut::leaves_empty(std::int64_t coordinates) const noexcept {
  return block > 0 ? (coordinates - 1) * block >= elements
                   : std::adjacent_find(boundaries.begin(), boundaries.end()) != boundaries.end();
}

void GridBlocks::assign(const GridShape& shape, std::span<const GridCut> cuts,
                        std::span<const AxisRule> rules, std::span<const std::int64_t> extents) {
  grid_rank_ = shape.rank;
  extents_ = extents;
  fully_replicated_ = true;
  product_ = true;
  elements_ = 1.0;
  for (const std::int64_t extent : extents) {
    elements_ *= static_cast<double>(extent);
  }
  for (int j = 0; j < grid_rank_; ++j) {
    const auto index = static_cast<std::size_t>(j);
    Axis& axis = axes_[index];
    axis.active = false;
    axis.replicated = true;
    const std::int64_t coordinates = shape.extents[index];
    if (index < cuts.size() && cuts[index].axis >= 0 && coordinates > 1) {
      axis.rule = rules[static_cast<std::size_t>(cuts[index].axis)];
      axis.active = axis.rule.kind != AxisRule::Kind::replicated;
      axis.replicated = !axis.active;
      fully_replicated_ = fully_replicated_ && axis.replicated;
      if (!axis.active && cuts[index].leaves_empty(coordinates)) {
        axis.rule = mapping::everywhere(cuts[index].elements);
        axis.active = true;
      }
    }
    axis.cut = axis.active ? &cuts[index] : nullptr;
    if (axis.active && axis.rule.kind != AxisRule::Kind::linear) {
      axis.rule.dim = -1;
    }
    product_ = product_ && !(this->cuts(j) && grid_dimension(axis.rule.dim) < j);
    measure(j, coordinates);
  }
  uncut_ = 1.0;
  for (int dim = 0; dim < rank(); ++dim) {
    uncut_ *= grid_dimension(dim) < 0 ? static_cast<double>(extent(dim)) : 1.0;
  }
}

int GridBlocks::grid_dimension(int dim) const noexcept {
  for (int j = 0; j < grid_rank_; ++j) {
    if (cuts(j) && axis(j).rule.dim == dim) {
      return j;
    }
  }
  return -1;
}

IndexRange GridBlocks::range(int j, std::int64_t coordinate) const noexcept {
  const Axis& axis = this->axis(j);
  if (!axis.active) {
    return {0, 1};
  }
  const AxisRule& rule = axis.rule;
  const IndexRange part{axis.cut->boundary(coordinate), axis.cut->boundary(coordinate + 1)};
  if (rule.kind == AxisRule::Kind::linear) {
    return mapping::preimage(part, rule.coefficient, rule.constant, extent(rule.dim));
  }
  const bool present =
      rule.kind == AxisRule::Kind::constant
          ? part.lo <= rule.constant && rule.constant < part.hi
          : !mapping::preimage(part, rule.coefficient, rule.constant, rule.bound).empty();
  return {0, present ? 1 : 0};
}

void GridBlocks::measure(int j, std::int64_t coordinates) {
  Axis& axis = axes_[static_cast<std::size_t>(j)];
  axis.sizes.clear(coordinates);
  const auto size = [&](std::int64_t q) { return static_cast<double>(range(j, q).size()); };
  if (!axis.active) {
    axis.sizes.append(0, 1.0);
    return;
  }
  const AxisRule& rule = axis.rule;
  const std::int64_t step = rule.kind == AxisRule::Kind::constant ? 1 : std::abs(rule.coefficient);
  if (axis.cut->block == 0 || step != 1) {
    for (std::int64_t q = 0; q < coordinates; ++q) {
      axis.sizes.append(q, size(q));
    }
    return;
  }
  // Equal blocks: sizes differ only where the occupied part of the template or the template ends.
  const std::int64_t count = rule.kind == AxisRule::Kind::linear     ? extent(rule.dim)
                             : rule.kind == AxisRule::Kind::constant ? 1
                                                                     : rule.bound;
  const std::int64_t lo = rule.kind != AxisRule::Kind::constant && rule.coefficient < 0
                              ? rule.constant - count + 1
                              : rule.constant;
  std::array<std::int64_t, 7> places{};  // 0 first: every function begins there
  std::size_t used = 1;
  for (const std::int64_t element : {lo, lo + count - 1, axis.cut->elements}) {
    const std::int64_t q = mapping::floor_div(element, axis.cut->block);
    places[used++] = std::clamp<std::int64_t>(q, 0, coordinates - 1);
    places[used++] = std::clamp<std::int64_t>(q + 1, 0, coordinates - 1);
  }
  std::sort(places.begin(), places.end());
  std::int64_t reached = -1;
  for (const std::int64_t q : places) {
    if (q > reached) {
      axis.sizes.append(q, size(q));
      reached = q;
    }
  }
}

bool GridBlocks::block(const GridShape::Coordinates& at, Block& result) const noexcept {
  bool holds = true;
  for (int dim = 0; dim < rank(); ++dim) {
    result[static_cast<std::size_t>(dim)] = {0, extent(dim)};
    holds = holds && extent(dim) > 0;
  }
  for (int j = 0; j < grid_rank_; ++j) {
    if (!active(j)) {
      continue;
    }
    const IndexRange part = range(j, at[static_cast<std::size_t>(j)]);
    holds = holds && !part.empty();
    if (cuts(j)) {
      IndexRange& range = result[static_cast<std::size_t>(dimension(j))];
      range = intersect(range, part);
      holds = holds && !range.empty();
    }
  }
  return holds;
}

double GridBlocks::count(const GridShape::Coordinates& at) const noexcept {
  if (!product_) {
    Block ranges;
    if (!block(at, ranges)) {
      return 0.0;
    }
    double product = 1.0;
    for (int dim = 0; dim < rank(); ++dim) {
      product *= static_cast<double>(ranges[static_cast<std::size_t>(dim)].size());
    }
    return product;
  }
  double product = uncut_;
  for (int j = 0; j < grid_rank_; ++j) {
    product *= sizes(j).value(at[static_cast<std::size_t>(j)]);
  }
  return product;
}

bool GridBlocks::anywhere() const noexcept {
  double product = uncut_;
  for (int j = 0; j < grid_rank_; ++j) {
    product *= sizes(j).most();
  }
  return product > 0.0;
}

BoundMapping::BoundMapping(const Script& script, const ModelOptions& options, BoundMachine& machine)
    : script_(&script), options_(options), machine_(&machine) {
  cuts_.resize(script.tables().targets.size());
  blocks_.resize(script.tables().placements.size());
}

void BoundMapping::reset(const machine::Grid& grid) {
  grid_ = grid;
  shape_ = GridShape(grid);
  top_ = shape_.processors > 1 ? machine_->common(0, shape_.processors - 1) : 0;
  equal_processors_ = machine_->equal(shape_.processors) || !options_.processor_weights;
  const auto forget = [](auto& list) {
    for (auto& entry : list) {
      entry.ready = false;
    }
  };
  forget(cuts_);
  forget(blocks_);
  forget(weights_);
}

void BoundMapping::weigh(int dim) {
  auto& entry = weights_[static_cast<std::size_t>(dim)];
  if (entry.ready) {
    return;
  }
  entry.ready = true;
  const std::int64_t extent = shape_.extents[static_cast<std::size_t>(dim)];
  entry.value.assign(static_cast<std::size_t>(extent), equal_processors_ ? 1.0 : 0.0);
  if (equal_processors_) {
    return;
  }
  // The same sums in the same order as GridMapping's, so that the boundaries are the same.
  const auto cut_dimensions = std::count_if(shape_.extents.begin(), shape_.extents.end(),
                                            [](std::int64_t e) { return e > 1; });
  const auto roots = machine_->roots(std::max<std::int64_t>(cut_dimensions, 1));
  const std::int64_t stride = shape_.strides[static_cast<std::size_t>(dim)];
  std::size_t p = 0;
  while (p < static_cast<std::size_t>(shape_.processors)) {
    for (double& weight : entry.value) {
      for (const std::size_t end = p + static_cast<std::size_t>(stride); p < end; ++p) {
        weight += roots[p];
      }
    }
  }
  const double per_coordinate =
      static_cast<double>(shape_.processors) / static_cast<double>(extent);
  for (double& weight : entry.value) {
    weight /= per_coordinate;
  }
  level_equal_weights(entry.value);
}

std::span<const GridCut> BoundMapping::cuts(std::uint32_t target) {
  auto& entry = cuts_[target];
  if (!entry.ready) {
    entry.ready = true;
    const TargetSpec& spec = script_->tables().targets[target];
    const std::span<const std::int64_t> axes = script_->ints(spec.axes);
    for (int j = 0; j < machine::max_grid_rank; ++j) {
      const auto index = static_cast<std::size_t>(j);
      GridCut& cut = entry.value[index];
      cut.axis = j < shape_.rank && index < axes.size() ? static_cast<int>(axes[index]) : -1;
      if (cut.axis < 0) {
        continue;
      }
      const auto axis = static_cast<std::size_t>(cut.axis);
      cut.elements = script_->ints(spec.extents)[axis];
      cut.block = 0;
      const bool listed = spec.weights != TargetSpec::Weights::none && index < spec.lists.count;
      if (equal_processors_ && !listed && options_.block_rule == mapping::BlockRule::ceil) {
        const std::int64_t multiplier =
            axis < spec.divisors.count ? script_->ints(spec.divisors)[axis] : 1;
        cut.block =
            mapping::ceil_div(mapping::ceil_div(cut.elements, shape_.extents[index]), multiplier) *
            multiplier;
      }
      if (cut.block == 0) {
        weigh(j);
        cut_template(*script_, spec, options_.block_rule, j, cut.axis, weights_[index].value,
                     cut.boundaries);
      }
    }
  }
  return entry.value;
}

const GridBlocks* BoundMapping::blocks(std::uint32_t placement) {
  const PlacementSpec& spec = script_->tables().placements[placement];
  if (spec.view != 0 || (spec.target != none && script_->tables().targets[spec.target].view != 0)) {
    return nullptr;
  }
  auto& entry = blocks_[placement];
  if (!entry.ready) {
    entry.ready = true;
    entry.value.assign(shape_, spec.target == none ? std::span<const GridCut>{} : cuts(spec.target),
                       script_->rules(spec.rules), script_->ints(spec.extents));
  }
  return &entry.value;
}

}  // namespace gridcast::model
