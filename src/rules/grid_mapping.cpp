#include "gridcast/rules/grid_mapping.h"

#include <algorithm>
#include <cmath>

namespace gridcast::model {

void GridMapping::cut(const TargetSpec& spec, std::size_t dim, std::size_t axis,
                      mapping::Boundaries& result) {
  const std::int64_t n = script_->ints(spec.extents)[axis];
  const std::int64_t multiplier =
      axis < spec.divisors.count ? script_->ints(spec.divisors)[axis] : 1;
  const std::span<const double> list =
      dim < spec.lists.count ? script_->reals(script_->tables().slices[spec.lists.begin + dim])
                             : std::span<const double>{};
  bool rounded = !list.empty();  // down to multiples
  if (!list.empty() && spec.weights == TargetSpec::Weights::lengths) {
    rounded =
        mapping::length_boundaries(n, list, static_cast<std::int64_t>(weights_.size()), result);
    interpolated_lengths_ |= rounded;
  } else if (!list.empty()) {
    mapping::element_weight_boundaries(n, list, weights_, result);
  } else if (std::all_of(weights_.begin(), weights_.end(), [](double w) { return w == 1.0; })) {
    mapping::block_boundaries(n, static_cast<std::int64_t>(weights_.size()),
                              rule_of(spec, options_), multiplier, result);
  } else {
    mapping::weighted_boundaries(n, weights_, multiplier, result);
  }
  for (auto boundary = result.begin(); rounded && boundary + 1 != result.end(); ++boundary) {
    *boundary = *boundary / multiplier * multiplier;
  }
}

GridMapping::GridMapping(const Script& script, const ModelOptions& options,
                         Interruption* interruption)
    : script_(&script), options_(options), interruption_(interruption) {
  views_.resize(script.tables().views.size());
  distributions_.resize(script.tables().targets.size());
  layouts_.resize(script.tables().placements.size());
}

void GridMapping::reset(const machine::Grid& grid, const machine::ProcessorSystem& system) {
  grid_ = grid;
  system_ = &system;
  processors_ = static_cast<std::size_t>(grid.processors());
  homogeneous_ = std::all_of(system.performance.begin(),
                             system.performance.begin() + static_cast<std::ptrdiff_t>(processors_),
                             [&](double w) { return w == system.performance.front(); });
  interpolated_lengths_ = false;
  const auto forget = [](auto& list) {
    for (auto& entry : list) {
      entry.ready = false;
    }
  };
  forget(views_);
  forget(distributions_);
  forget(layouts_);
}

const mapping::ProcessorView& GridMapping::view(ViewId id) {
  auto& entry = views_[id];
  if (!entry.ready) {
    const ViewSpec& spec = script_->tables().views[id];
    switch (spec.kind) {
      case ViewSpec::Kind::root:
        entry.value = mapping::ProcessorView::root(grid_);
        break;
      case ViewSpec::Kind::part:
        entry.value =
            mapping::ProcessorView::part(view(spec.parent), script_->ints(spec.traced),
                                         script_->ints(spec.first), script_->ints(spec.last));
        break;
      case ViewSpec::Kind::reshaped:
        entry.value = mapping::ProcessorView::reshaped(
            view(spec.parent), script_->ints(spec.traced), script_->ints(spec.first));
        break;
    }
    entry.ready = true;
  }
  return entry.value;
}

void GridMapping::coordinate_weights(const mapping::ProcessorView& view, int dim) {
  const std::int64_t extent = view.extent(dim);
  weights_.assign(static_cast<std::size_t>(extent), 0.0);
  if (homogeneous_ || !options_.processor_weights) {
    std::fill(weights_.begin(), weights_.end(), 1.0);
    return;
  }
  const auto cut_dimensions = std::count_if(view.extents().begin(), view.extents().end(),
                                            [](std::int64_t e) { return e > 1; });
  const double root = 1.0 / static_cast<double>(std::max<std::ptrdiff_t>(cut_dimensions, 1));
  const std::int64_t stride = view.stride(dim);
  for (std::size_t local = 0; local < view.size(); ++local) {
    const auto coordinate = static_cast<std::int64_t>(local) / stride % extent;
    weights_[static_cast<std::size_t>(coordinate)] +=
        std::pow(system_->performance[view.processors()[local]], root);
  }
  const double per_coordinate = static_cast<double>(view.size()) / static_cast<double>(extent);
  for (double& weight : weights_) {
    weight /= per_coordinate;
  }
  // Means of equal performances that were added in another order differ in the last bits.
  constexpr double equal = 1e-12;
  const auto [least, most] = std::minmax_element(weights_.begin(), weights_.end());
  if (*most - *least <= equal * *most) {
    std::fill(weights_.begin(), weights_.end(), 1.0);
  }
}

const mapping::Distribution& GridMapping::distribution(TargetId target) {
  auto& entry = distributions_[target];
  if (!entry.ready) {
    const TargetSpec& spec = script_->tables().targets[target];
    const mapping::ProcessorView& on = view(spec.view);
    const std::span<const std::int64_t> axes = script_->ints(spec.axes);
    entry.value.dimensions.resize(static_cast<std::size_t>(on.rank()));
    for (std::size_t dim = 0; dim < entry.value.dimensions.size(); ++dim) {
      auto& dimension = entry.value.dimensions[dim];
      dimension.axis = dim < axes.size() ? static_cast<int>(axes[dim]) : -1;
      if (dimension.axis >= 0) {
        if (spec.cut == TargetSpec::Cut::array) {
          coordinate_weights(on, static_cast<int>(dim));
        } else {
          weights_.assign(static_cast<std::size_t>(on.extent(static_cast<int>(dim))), 1.0);
        }
        cut(spec, dim, static_cast<std::size_t>(dimension.axis), dimension.boundaries);
      }
    }
    entry.ready = true;
  }
  return entry.value;
}

const mapping::Layout& GridMapping::layout(PlacementId placement) {
  auto& entry = layouts_[placement];
  if (!entry.ready) {
    const PlacementSpec& spec = script_->tables().placements[placement];
    const mapping::ProcessorView& on = view(spec.view);
    if (spec.target == none) {
      entry.value.assign_replicated(on, script_->ints(spec.extents));
    } else {
      entry.value.assign(on, distribution(spec.target), script_->rules(spec.rules),
                         script_->ints(spec.extents));
    }
    entry.ready = true;
  }
  return entry.value;
}

}  // namespace gridcast::model
