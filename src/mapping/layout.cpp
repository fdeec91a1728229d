#include "gridcast/mapping/layout.h"

#include <algorithm>
#include <array>

#include "gridcast/base/contract.h"

namespace gridcast::mapping {

std::vector<AxisRule> compose(std::span<const AxisRule> rules,
                              std::span<const AxisRule> pattern_rules,
                              std::span<const std::int64_t> pattern_extents) {
  std::vector<AxisRule> result(pattern_rules.begin(), pattern_rules.end());
  for (AxisRule& axis : result) {
    if (axis.kind != AxisRule::Kind::linear) {
      continue;  // where the pattern itself is fixed or replicated, so is what lies over it
    }
    const auto dim = static_cast<std::size_t>(axis.dim);
    const AxisRule& over = dim < rules.size() ? rules[dim] : AxisRule{};
    const std::int64_t a = axis.coefficient;
    const std::int64_t b = axis.constant;
    switch (over.kind) {
      case AxisRule::Kind::linear:
        axis = {AxisRule::Kind::linear, over.dim, a * over.coefficient, a * over.constant + b, 0};
        break;
      case AxisRule::Kind::constant:
        axis = {AxisRule::Kind::constant, -1, 0, a * over.constant + b, 0};
        break;
      case AxisRule::Kind::replicated:
        axis = {AxisRule::Kind::bounded, -1, a, b, pattern_extents[dim]};
        break;
      case AxisRule::Kind::bounded:
        axis = {AxisRule::Kind::bounded, -1, a * over.coefficient, a * over.constant + b,
                over.bound};
        break;
    }
  }
  return result;
}

AxisRule everywhere(std::int64_t elements) noexcept {
  return {AxisRule::Kind::bounded, -1, 1, 0, elements};
}

void Layout::assign(const ProcessorView& view, const Distribution& distribution,
                    std::span<const AxisRule> rules, std::span<const std::int64_t> extents) {
  view_ = &view;
  extents_.assign(extents.begin(), extents.end());
  splits_.resize(static_cast<std::size_t>(view.rank()));
  fully_replicated_ = true;
  product_ = true;
  for (Split& split : splits_) {
    split.active = false;
  }
  for (std::size_t j = 0; j < splits_.size(); ++j) {
    Split& split = splits_[j];
    split.replicated = true;
    split.ascending = true;
    split.dim = -1;
    const std::int64_t coordinates = view.extent(static_cast<int>(j));
    const int axis = j < distribution.dimensions.size() ? distribution.dimensions[j].axis : -1;
    if (coordinates == 1 || axis < 0) {
      continue;
    }
    const Boundaries& boundaries = distribution.dimensions[j].boundaries;
    expects(boundaries.size() == static_cast<std::size_t>(coordinates) + 1,
            "a cut has one boundary more than coordinates");
    AxisRule rule = rules[static_cast<std::size_t>(axis)];
    if (rule.kind == AxisRule::Kind::replicated) {
      const auto empty = std::adjacent_find(boundaries.begin(), boundaries.end());
      if (empty == boundaries.end()) {
        continue;
      }
      rule = everywhere(boundaries.back());  // but not where there is nothing of the template
    } else {
      fully_replicated_ = false;
      split.replicated = false;
    }
    product_ = product_ && !(rule.kind == AxisRule::Kind::linear && view_dimension(rule.dim) >= 0);
    split.active = true;
    split.dim = rule.kind == AxisRule::Kind::linear ? rule.dim : -1;
    split.ascending = rule.coefficient >= 0;
    split.rule = rule;
    split.positions = split.dim >= 0 ? extent(split.dim) : 0;
    split.boundaries = boundaries;
  }
}

IndexRange Layout::Split::part(std::int64_t coordinate) const noexcept {
  const auto q = static_cast<std::size_t>(coordinate);
  const IndexRange block{boundaries[q], boundaries[q + 1]};
  switch (rule.kind) {
    case AxisRule::Kind::linear:
      return preimage(block, rule.coefficient, rule.constant, positions);
    case AxisRule::Kind::constant:
      return {0, block.lo <= rule.constant && rule.constant < block.hi ? 1 : 0};
    case AxisRule::Kind::bounded:
      return {0, preimage(block, rule.coefficient, rule.constant, rule.bound).empty() ? 0 : 1};
    case AxisRule::Kind::replicated:
      break;
  }
  return {0, 1};
}

void Layout::assign_replicated(const ProcessorView& view, std::span<const std::int64_t> extents) {
  assign(view, Distribution{}, {}, extents);
}

double elements_of(std::span<const std::int64_t> extents) noexcept {
  double product = 1.0;
  for (const std::int64_t extent : extents) {
    product *= static_cast<double>(extent);
  }
  return product;
}

int Layout::view_dimension(int dim) const noexcept {
  for (std::size_t j = 0; j < splits_.size(); ++j) {
    if (splits_[j].active && splits_[j].dim == dim) {
      return static_cast<int>(j);
    }
  }
  return -1;
}

IndexRange Layout::range(int view_dim, std::int64_t coordinate) const noexcept {
  const Split& split = splits_[static_cast<std::size_t>(view_dim)];
  return split.active ? split.part(coordinate) : IndexRange{0, 1};
}

bool Layout::block(std::span<const std::int64_t> coordinates,
                   std::span<IndexRange> result) const noexcept {
  bool holds = true;
  for (std::size_t dim = 0; dim < extents_.size(); ++dim) {
    result[dim] = {0, extents_[dim]};
    holds = holds && extents_[dim] > 0;
  }
  for (std::size_t j = 0; j < splits_.size(); ++j) {
    const Split& split = splits_[j];
    if (!split.active) {
      continue;
    }
    const IndexRange part = split.part(coordinates[j]);
    if (split.dim >= 0) {
      IndexRange& range = result[static_cast<std::size_t>(split.dim)];
      range = intersect(range, part);
      holds = holds && !range.empty();
    } else {
      holds = holds && !part.empty();
    }
  }
  return holds;
}

void Layout::counts(std::vector<double>& result) const {
  double uncut = 1.0;
  for (int dim = 0; dim < rank(); ++dim) {
    uncut *= view_dimension(dim) < 0 ? static_cast<double>(extent(dim)) : 1.0;
  }
  result.assign(view_->size(), 0.0);
  if (!product_) {
    count_one_by_one(result);
    return;
  }
  result.front() = uncut;
  std::vector<double> factors;
  std::size_t filled = 1;
  for (std::size_t j = 0; j < splits_.size(); ++j) {
    const auto extent = static_cast<std::size_t>(view_->extent(static_cast<int>(j)));
    factors.assign(extent, 1.0);
    for (std::size_t q = 0; splits_[j].active && q < extent; ++q) {
      factors[q] = static_cast<double>(splits_[j].part(static_cast<std::int64_t>(q)).size());
    }
    for (std::size_t i = filled; i-- > 0;) {
      const double so_far = result[i];
      for (std::size_t q = 0; q < extent; ++q) {
        result[i * extent + q] = so_far * factors[q];
      }
    }
    filled *= extent;
  }
}

void Layout::count_one_by_one(std::vector<double>& result) const {
  std::array<std::int64_t, max_rank> at{};
  std::array<IndexRange, max_rank> ranges{};
  for (std::size_t local = 0; local < result.size(); ++local) {
    coordinates(local, at);
    if (block(at, ranges)) {
      result[local] = 1.0;
      for (std::size_t dim = 0; dim < extents_.size(); ++dim) {
        result[local] *= static_cast<double>(ranges[dim].size());
      }
    }
  }
}

double Layout::copies() const noexcept {
  double product = 1.0;
  for (std::size_t j = 0; j < splits_.size(); ++j) {
    const Split& split = splits_[j];
    if (!split.active) {
      product *= static_cast<double>(view_->extent(static_cast<int>(j)));
    } else if (split.dim < 0) {
      std::int64_t present = 0;
      for (std::int64_t q = 0; q < split.coordinates(); ++q) {
        present += split.part(q).empty() ? 0 : 1;
      }
      product *= static_cast<double>(std::max<std::int64_t>(present, 1));
    }
  }
  return product;
}

void Layout::coordinates(std::size_t local, std::span<std::int64_t> result) const noexcept {
  auto rest = static_cast<std::int64_t>(local);
  for (int dim = view_->rank(); dim-- > 0;) {
    const std::int64_t extent = view_->extent(dim);
    result[static_cast<std::size_t>(dim)] = rest % extent;
    rest /= extent;
  }
}

IndexRange Layout::coordinates_overlapping(int view_dim, IndexRange range) const noexcept {
  const Split& split = splits_[static_cast<std::size_t>(view_dim)];
  if (!split.active) {
    return {0, view_->extent(view_dim)};
  }
  // Parts ascend or descend with the coordinate.
  const auto first_from = [&](std::int64_t low, auto&& is_before) {
    std::int64_t high = split.coordinates();
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (is_before(split.part(middle))) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  };
  if (split.ascending) {
    const auto first = first_from(0, [&](IndexRange part) { return part.hi <= range.lo; });
    return {first, first_from(first, [&](IndexRange part) { return part.lo < range.hi; })};
  }
  const auto first = first_from(0, [&](IndexRange part) { return part.lo >= range.hi; });
  return {first, first_from(first, [&](IndexRange part) { return part.hi > range.lo; })};
}

std::int64_t Layout::nearest_present(int view_dim, std::int64_t coordinate) const noexcept {
  const Split& split = splits_[static_cast<std::size_t>(view_dim)];
  if (!split.active) {
    return coordinate;
  }
  const std::int64_t count = split.coordinates();
  const auto held = [&](std::int64_t q) { return q >= 0 && q < count && !split.part(q).empty(); };
  for (std::int64_t distance = 0; distance < count; ++distance) {
    if (held(coordinate - distance)) {
      return coordinate - distance;
    }
    if (held(coordinate + distance)) {
      return coordinate + distance;
    }
  }
  return -1;
}

}  // namespace gridcast::mapping
