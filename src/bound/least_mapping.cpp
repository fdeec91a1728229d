#include "least_mapping.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "gridcast/rules/loop_part.h"
#include "gridcast/rules/shape_table.h"

namespace gridcast::model {

using mapping::AxisRule;

namespace {

/// The template dimension that a dimension of the processor system cuts, or -1.
std::int64_t axis_of(const Script& script, const TargetSpec& target, int dim) {
  const std::span<const std::int64_t> axes = script.ints(target.axes);
  return in(dim) < axes.size() ? axes[in(dim)] : -1;
}

bool weighted(const Script& script, const TargetSpec& target, int dim) {
  return target.weights != TargetSpec::Weights::none && in(dim) < target.lists.count &&
         script.tables().slices[target.lists.begin + in(dim)].count > 0;
}

}  // namespace

double most_factor(const Script& script, const Op& op) {
  if (script.tables().shapes.empty()) {
    return 1.0;
  }
  if (op.kind == Op::Kind::pipeline) {
    const PipelineSpec& spec = script.tables().pipelines[op.pipeline()];
    return ShapeFactor::of(script, spec.placement, spec.portion).most();
  }
  return op.kind == Op::Kind::share ? ShapeFactor::of(script, op.placement(), op.portion()).most()
                                    : 1.0;
}

LeastMapping::LeastMapping(const Script& script, const ModelOptions& options)
    : script_(&script), options_(options) {
  views_.resize(script.tables().views.size());
  layouts_.resize(script.tables().placements.size());
  exact_.resize(layouts_.size());
}

void LeastMapping::reset(const machine::GridBox& box, std::int64_t most, double spread) {
  box_ = box;
  most_ = static_cast<double>(box.most_processors(most));
  spread_ = spread;
  for (std::size_t i = 0; i < views_.size(); ++i) {
    look_at(views_[i], script_->tables().views[i]);
  }
  layouts_.assign(layouts_.size(), std::nullopt);
  edges_.clear();
  for (std::unique_ptr<ExactLayout>& exact : exact_) {
    exact.reset();
  }
  if (box_.single() && !layouts_.empty()) {
    choose_middle();
  }
}

void LeastMapping::choose_middle() {
  constexpr std::int64_t looked_at = 64;
  PlacementId largest(0);
  for (std::uint32_t number = 0; number < layouts_.size(); ++number) {
    const PlacementId id(number);
    const bool larger = layout(id).elements > layout(largest).elements;
    largest = layout(id).split && (!layout(largest).split || larger) ? id : largest;
  }
  const ExactLayout* const exact = this->exact(largest);
  for (int dim = 0; dim < box_.rank(); ++dim) {
    const std::int64_t extent = box_.first(dim);
    middle_[in(dim)] = extent / 2;
    if (exact == nullptr || !exact->cuts[in(dim)].active()) {
      continue;
    }
    const auto size = [&](std::int64_t q) { return exact->cuts[in(dim)].range(q).size(); };
    const std::int64_t end = std::min(extent - 1, extent / 2 + looked_at);
    for (std::int64_t q = extent / 2; q < end; ++q) {
      middle_[in(dim)] = size(q) > size(middle_[in(dim)]) ? q : middle_[in(dim)];
    }
  }
}

const ExactLayout* LeastMapping::exact(PlacementId placement) {
  const PlacementSpec& spec = script_->tables().placements[placement];
  if (!box_.single() || spec.view != root_view || !layout(placement).product ||
      (spread_ != 1.0 && options_.processor_weights)) {
    return nullptr;
  }
  if (exact_[placement]) {
    return exact_[placement].get();
  }
  auto exact = std::make_unique<ExactLayout>();
  for (int dim = 0; dim < box_.rank(); ++dim) {
    exact->cuts[in(dim)].assign_whole();
    const AxisRule* const rule = this->rule(placement, dim);
    if (box_.first(dim) == 1 || rule == nullptr) {
      continue;
    }
    const TargetSpec& target = script_->tables().targets[spec.target];
    if (weighted(*script_, target, dim)) {
      return nullptr;
    }
    const auto axis = static_cast<std::size_t>(axis_of(*script_, target, dim));
    exact->blocks[in(dim)].assign(
        script_->ints(target.extents)[axis], box_.first(dim), options_.block_rule,
        axis < target.divisors.count ? script_->ints(target.divisors)[axis] : 1);
    if (rule->kind != AxisRule::Kind::replicated) {
      const bool linear = rule->kind == AxisRule::Kind::linear;
      exact->cuts[in(dim)].assign(exact->blocks[in(dim)], *rule,
                                  linear ? layout(placement).extents[in(rule->dim)] : 1);
    } else if (!(layout(placement).cuts[in(dim)].holders >= static_cast<double>(box_.first(dim)))) {
      return nullptr;  // maybe some have nothing
    }
  }
  exact_[placement] = std::move(exact);
  return exact_[placement].get();
}

std::int64_t LeastMapping::number_of(const GridCoordinates& at) const noexcept {
  std::int64_t number = 0;
  for (int dim = 0; dim < box_.rank(); ++dim) {
    number = number * box_.first(dim) + at[in(dim)];
  }
  return number;
}

GridCoordinates LeastMapping::coordinates_of(std::int64_t number) const noexcept {
  GridCoordinates at{};
  for (int dim = box_.rank(); dim-- > 0;) {
    at[in(dim)] = number % box_.first(dim);
    number /= box_.first(dim);
  }
  return at;
}

LeastMapping::Block LeastMapping::block_of(PlacementId placement,
                                           const GridCoordinates& processor) {
  const ExactLayout* const exact = this->exact(placement);
  Block block{exact != nullptr, {}};
  const std::span<const std::int64_t> extents = layout(placement).extents;
  for (std::size_t dim = 0; dim < extents.size(); ++dim) {
    block.ranges[dim] = {0, extents[dim]};
  }
  for (int dim = 0; exact != nullptr && dim < box_.rank(); ++dim) {
    const mapping::AxisCut& cut = exact->cuts[in(dim)];
    if (!cut.active()) {
      continue;
    }
    const mapping::IndexRange own = cut.range(processor[in(dim)]);
    if (cut.dim() >= 0) {
      block.ranges[in(cut.dim())] = own;
    } else if (own.empty()) {
      block.ranges.fill({});
      return block;
    }
  }
  return block;
}

double LeastMapping::share_of(PlacementId placement, PortionId portion,
                              std::span<const GridCoordinates> processors) {
  const std::span<const std::int64_t> extents = layout(placement).extents;
  const LoopPart part(extents, *script_, portion);
  if (part.empty() || exact(placement) == nullptr || processors.empty()) {
    return 0.0;
  }
  LoopPart::Extents least;
  least.fill(std::numeric_limits<std::int64_t>::max());
  for (const GridCoordinates& processor : processors) {
    const Block block = block_of(placement, processor);
    const LoopPart::Extents own = part.extents(std::span(block.ranges).first(extents.size()));
    for (std::size_t dim = 0; dim < extents.size(); ++dim) {
      least[dim] = std::min(least[dim], own[dim]);
    }
  }
  // The shape that counts may be that of a portion of a pipeline.
  double share = part.factor().least() / part.iterations();
  for (std::size_t dim = 0; dim < extents.size(); ++dim) {
    share *= static_cast<double>(least[dim]);
  }
  return share;
}

std::span<const GridCoordinates> LeastMapping::edges() {
  if (edges_.empty() && box_.single()) {
    for (int dim = 0; dim < box_.rank(); ++dim) {
      for (std::int64_t at = 0; at < box_.first(dim); ++at) {
        edges_.emplace_back()[in(dim)] = at;
      }
    }
  }
  return edges_;
}

void LeastMapping::look_at(LeastView& view, const ViewSpec& spec) {
  if (spec.kind == ViewSpec::Kind::root) {
    view.rank = box_.rank();
    for (int dim = 0; dim < box_.rank(); ++dim) {
      view.first[in(dim)] = box_.first(dim);
      view.last[in(dim)] = box_.last(dim);
    }
    view.least = static_cast<double>(box_.least_processors());
    view.most = most_;
    return;
  }
  const LeastView& parent = views_[spec.parent];
  const auto least = static_cast<std::int64_t>(parent.least);
  const auto most = static_cast<std::int64_t>(parent.most);
  view = parent;
  if (spec.kind == ViewSpec::Kind::reshaped) {
    const auto rank = std::clamp<std::size_t>(spec.first.count, 1, machine::max_grid_rank);
    view.rank = std::max(static_cast<int>(rank), parent.rank);
    view.first.fill(1);
    view.last.fill(most);
    if (spec.first.count <= 1) {
      view.rank = 1;
      view.first[0] = least;
    }
    return;
  }
  const std::span<const std::int64_t> traced = script_->ints(spec.traced);
  const std::span<const std::int64_t> lower = script_->ints(spec.first);
  const std::span<const std::int64_t> upper = script_->ints(spec.last);
  view.least = 1.0;
  for (std::size_t dim = 0; dim < in(parent.rank); ++dim) {
    const std::int64_t there = dim < traced.size() ? std::max<std::int64_t>(traced[dim], 1) : 1;
    const std::int64_t lo = dim < lower.size() ? lower[dim] : 0;
    const std::int64_t hi = dim < upper.size() ? upper[dim] : there - 1;
    if (lo < 0 || hi < lo || hi >= there) {
      view.first[dim] = 1;
      view.last[dim] = parent.last[dim];
      continue;
    }
    // Both bounds are rounded down: the extent is off by less than one.
    view.first[dim] =
        std::max<std::int64_t>(mapping::floor_div((hi + 1 - lo) * parent.first[dim], there), 1);
    view.last[dim] =
        std::max(view.first[dim], mapping::ceil_div((hi + 1 - lo) * parent.last[dim], there));
    view.least *= static_cast<double>(view.first[dim]);
  }
}

CutRange LeastMapping::range(const TargetSpec& target, int dim, std::int64_t axis,
                             const LeastView& view) const {
  CutRange range;
  const std::int64_t n = script_->ints(target.extents)[static_cast<std::size_t>(axis)];
  const auto place = static_cast<std::uint32_t>(axis);
  const std::int64_t multiplier =
      place < target.divisors.count ? script_->ints(target.divisors)[place] : 1;
  const std::int64_t first = view.first[in(dim)];
  const std::int64_t last = view.last[in(dim)];
  if (weighted(*script_, target, dim)) {
    range.assign_unknown(n, first, last);
  } else if (spread_ == 1.0 || !options_.processor_weights) {
    range.assign(n, multiplier, options_.block_rule, first, last);
  } else {
    range.assign_weighted(n, multiplier, spread_, first, last);
  }
  return range;
}

void LeastMapping::lay_out(LeastLayout& layout, const PlacementSpec& spec) {
  layout.view = spec.view;
  layout.extents = script_->ints(spec.extents);
  layout.elements = mapping::elements_of(layout.extents);
  const LeastView& view = views_[spec.view];
  for (int dim = 0; dim < view.rank; ++dim) {
    layout.cuts[in(dim)].holders = static_cast<double>(view.first[in(dim)]);
  }
  if (spec.target == none) {
    return;
  }
  const TargetSpec& target = script_->tables().targets[spec.target];
  std::uint32_t cut_dims = 0;
  for (int dim = 0; dim < view.rank; ++dim) {
    const std::int64_t axis = axis_of(*script_, target, dim);
    if (view.last[in(dim)] == 1 || axis < 0) {
      continue;
    }
    const AxisRule& rule = script_->rules(spec.rules)[static_cast<std::size_t>(axis)];
    const bool linear = rule.kind == AxisRule::Kind::linear;
    layout.cuts[in(dim)] =
        LeastCut::of(range(target, dim, axis, view), rule,
                     linear ? layout.extents[static_cast<std::size_t>(rule.dim)] : 1);
    layout.split =
        layout.split || (rule.kind != AxisRule::Kind::replicated && view.first[in(dim)] > 1);
    if (linear) {
      layout.product = layout.product && (cut_dims >> rule.dim & 1U) == 0;
      cut_dims |= 1U << rule.dim;
    }
  }
}

const AxisRule* LeastMapping::rule(PlacementId placement, int dim) const {
  const PlacementSpec& spec = script_->tables().placements[placement];
  const std::int64_t axis =
      spec.target == none ? -1 : axis_of(*script_, script_->tables().targets[spec.target], dim);
  return axis < 0 ? nullptr : &script_->rules(spec.rules)[static_cast<std::size_t>(axis)];
}

double LeastMapping::most_of(PlacementId placement, int dim, double coordinates) const {
  const PlacementSpec& spec = script_->tables().placements[placement];
  const TargetSpec& target = script_->tables().targets[spec.target];
  const CutRange cut = range(target, dim, axis_of(*script_, target, dim), views_[spec.view]);
  return std::min(cut.most_of(coordinates), coordinates);
}

bool LeastMapping::cut_alike(PlacementId a, PlacementId b, int dim) const {
  const AxisRule* const one = rule(a, dim);
  const AxisRule* const other = rule(b, dim);
  if (one == nullptr || other == nullptr) {
    return one == other;
  }
  const auto& tables = script_->tables();
  const auto blocks = [&](PlacementId placement) {
    const TargetSpec& target = tables.targets[tables.placements[placement].target];
    const auto axis = static_cast<std::size_t>(axis_of(*script_, target, dim));
    const std::int64_t multiplier =
        axis < target.divisors.count ? script_->ints(target.divisors)[axis] : 1;
    return std::pair(script_->ints(target.extents)[axis],
                     weighted(*script_, target, dim) ? -1 : multiplier);
  };
  return *one == *other && blocks(a).second > 0 && blocks(a) == blocks(b);
}

const LeastLayout& LeastMapping::layout(PlacementId placement) {
  std::optional<LeastLayout>& layout = layouts_[placement];
  if (!layout) {
    lay_out(layout.emplace(), script_->tables().placements[placement]);
  }
  return *layout;
}

}  // namespace gridcast::model
