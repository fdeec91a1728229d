#include "gridcast/mapping/class_layout.h"

#include <algorithm>

namespace gridcast::mapping {

void ClassLayout::begin(std::span<const std::int64_t> all) {
  extents = all;
  copies = uncut = 1.0;
  fully_replicated = true;
  replicated.fill(true);
  dims.fill(-1);
  for (AxisCut& cut : cuts) {
    cut.assign_whole();
  }
}

void ClassLayout::lay_over(int dim, const BlockCut& blocks, const AxisRule& rule) {
  const auto at = static_cast<std::size_t>(dim);
  AxisCut& cut = cuts[at];
  if (rule.kind == AxisRule::Kind::replicated) {
    // But not where there is nothing of the template.
    cut.assign(blocks, everywhere(blocks.elements()), 1);
    if (cut.holders() == blocks.coordinates()) {
      cut.assign_whole();
    }
    return;
  }
  fully_replicated = false;
  replicated[at] = false;
  const bool linear = rule.kind == AxisRule::Kind::linear;
  cut.assign(blocks, rule, linear ? extents[static_cast<std::size_t>(rule.dim)] : 1);
}

void ClassLayout::finish(const ProcessorClasses& classes) {
  std::uint32_t cut_dims = 0;
  for (int dim = 0; dim < classes.rank(); ++dim) {
    const auto at = static_cast<std::size_t>(dim);
    const AxisCut& cut = cuts[at];
    dims[at] = cut.active() ? cut.dim() : -1;
    if (!cut.active()) {
      copies *= static_cast<double>(classes.extent(dim));
    } else if (cut.dim() < 0) {
      copies *= static_cast<double>(std::max<std::int64_t>(cut.holders(), 1));
    } else {
      cut_dims |= 1U << cut.dim();
    }
  }
  for (std::size_t dim = 0; dim < extents.size(); ++dim) {
    uncut *= (cut_dims >> dim & 1U) != 0 ? 1.0 : static_cast<double>(extents[dim]);
  }
}

double ClassLayout::elements() const noexcept { return elements_of(extents); }

void ClassLayout::counts(const ProcessorClasses& classes, std::vector<double>& result) const {
  result.assign(classes.size(), 1.0);
  result.front() = uncut;
  std::vector<double> sizes;
  std::size_t filled = 1;
  for (int dim = 0; dim < classes.rank(); ++dim) {
    const AxisCut& cut = cuts[static_cast<std::size_t>(dim)];
    const std::size_t runs = classes.runs(dim);
    sizes.assign(runs, 1.0);
    for (std::size_t run = 0; cut.active() && run < runs; ++run) {
      sizes[run] = static_cast<double>(cut.range(classes.all_runs(dim)[run].first).size());
    }
    multiply_out(result, filled, runs, [&](std::size_t run) { return sizes[run]; });
    filled *= runs;
  }
}

bool ClassLayout::block(const ProcessorClasses& classes, std::size_t which,
                        std::span<std::int64_t> sizes) const noexcept {
  bool holds = true;
  for (std::size_t dim = 0; dim < extents.size(); ++dim) {
    sizes[dim] = extents[dim];
    holds = holds && sizes[dim] > 0;
  }
  for (int dim = 0; dim < classes.rank(); ++dim) {
    const AxisCut& cut = cuts[static_cast<std::size_t>(dim)];
    if (!cut.active()) {
      continue;
    }
    const std::int64_t size = cut.range(classes.coordinates(which, dim).first).size();
    holds = holds && size > 0;
    if (cut.dim() >= 0) {
      sizes[static_cast<std::size_t>(cut.dim())] = size;
    }
  }
  return holds;
}

void ClassLayout::speakers(const ProcessorClasses& classes,
                           std::vector<std::uint8_t>& result) const {
  result.assign(classes.size(), 1);
  std::size_t filled = 1;
  for (int dim = 0; dim < classes.rank(); ++dim) {
    multiply_out(result, filled, classes.runs(dim), [&](std::size_t run) {
      return speaks(dim, classes.all_runs(dim)[run].first) ? 1 : 0;
    });
    filled *= classes.runs(dim);
  }
}

std::int64_t ClassLayout::speakers_below(const ProcessorClasses& classes,
                                         std::int64_t number) const {
  number = std::min(number, classes.processors());
  // Of each dimension: how many coordinates of speakers lie below x.
  const auto below = [&](int dim, std::int64_t x) -> std::int64_t {
    const AxisCut& cut = cuts[static_cast<std::size_t>(dim)];
    if (!cut.active()) {
      return x > 0 ? 1 : 0;
    }
    if (cut.dim() < 0) {
      return x > cut.first() ? 1 : 0;
    }
    if (cut.holders() == cut.end() - cut.first()) {
      return std::clamp<std::int64_t>(x - cut.first(), 0, cut.holders());
    }
    std::int64_t count = 0;
    for (std::int64_t q = 0; q < x; ++q) {
      count += cut.range(q).empty() ? 0 : 1;
    }
    return count;
  };
  const ProcessorClasses::Indices digits = classes.coordinates_of(number);
  std::int64_t result = 0;
  for (int dim = 0; dim < classes.rank(); ++dim) {
    const std::int64_t digit = digits[static_cast<std::size_t>(dim)];
    const bool behind_all = digit == classes.extent(dim);
    std::int64_t box = below(dim, digit);
    for (int inner = dim + 1; inner < classes.rank(); ++inner) {
      box *= below(inner, classes.extent(inner));
    }
    result += box;
    if (behind_all || below(dim, digit + 1) == below(dim, digit)) {
      break;
    }
  }
  return result;
}

}  // namespace gridcast::mapping
