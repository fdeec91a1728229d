#include "gridcast/mapping/view.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "gridcast/base/contract.h"

namespace gridcast::mapping {
namespace {

std::span<const std::int64_t> without_trailing_ones(std::span<const std::int64_t> shape) {
  while (!shape.empty() && shape.back() == 1) {
    shape = shape.first(shape.size() - 1);
  }
  return shape;
}

bool same_shape(std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
  const auto x = without_trailing_ones(a);
  const auto y = without_trailing_ones(b);
  return std::equal(x.begin(), x.end(), y.begin(), y.end());
}

/// Depth-first search over all ordered factorisations, larger first extents first, so that the
/// first of several equally near ones is the one that ties prefer.
class NearestShape {
public:
  NearestShape(std::int64_t processors, std::span<const std::int64_t> shape)
      : targets_(shape.size()), current_(shape.size()), best_(shape.size(), 1) {
    double product = 1.0;
    for (const std::int64_t extent : shape) {
      product *= static_cast<double>(extent);
    }
    const double scale = std::pow(static_cast<double>(processors) / product,
                                  1.0 / static_cast<double>(shape.size()));
    for (std::size_t i = 0; i < shape.size(); ++i) {
      targets_[i] = static_cast<double>(shape[i]) * scale;
    }
    descend(0, processors, 0.0);
  }

  [[nodiscard]] std::vector<std::int64_t> best() && { return std::move(best_); }

private:
  void descend(std::size_t dim, std::int64_t rest, double distance) {
    // Sums of logarithms in another order differ in the last bits: that is a tie.
    constexpr double tie = 1e-12;
    if (distance >= least_ - tie) {
      return;
    }
    if (dim + 1 == targets_.size()) {
      current_[dim] = rest;
      const double total = distance + std::abs(std::log(static_cast<double>(rest) / targets_[dim]));
      if (total < least_ - tie) {
        least_ = total;
        best_ = current_;
      }
      return;
    }
    for (std::int64_t factor = rest; factor >= 1; --factor) {
      if (rest % factor == 0) {
        current_[dim] = factor;
        descend(dim + 1, rest / factor,
                distance + std::abs(std::log(static_cast<double>(factor) / targets_[dim])));
      }
    }
  }

  std::vector<double> targets_;
  std::vector<std::int64_t> current_;
  std::vector<std::int64_t> best_;
  double least_ = std::numeric_limits<double>::infinity();
};

}  // namespace

std::vector<std::int64_t> nearest_shape(std::int64_t processors,
                                        std::span<const std::int64_t> shape) {
  expects(!shape.empty(), "a shape has at least one dimension");
  return NearestShape(processors, shape).best();
}

ProcessorView::ProcessorView(std::vector<std::int64_t> extents,
                             std::vector<std::uint32_t> processors, bool is_root)
    : extents_(std::move(extents)), processors_(std::move(processors)), is_root_(is_root) {}

ProcessorView ProcessorView::root(const machine::Grid& grid) {
  std::vector<std::uint32_t> processors(static_cast<std::size_t>(grid.processors()));
  std::iota(processors.begin(), processors.end(), 0U);
  return {std::vector<std::int64_t>(grid.extents().begin(), grid.extents().end()),
          std::move(processors), true};
}

ProcessorView ProcessorView::part(const ProcessorView& parent, std::span<const std::int64_t> traced,
                                  std::span<const std::int64_t> first,
                                  std::span<const std::int64_t> last) {
  const auto rank = static_cast<std::size_t>(parent.rank());
  std::vector<std::int64_t> lower(rank);
  std::vector<std::int64_t> extents(rank);
  for (std::size_t dim = 0; dim < rank; ++dim) {
    const std::int64_t here = parent.extent(static_cast<int>(dim));
    const std::int64_t there = dim < traced.size() ? std::max<std::int64_t>(traced[dim], 1) : 1;
    const std::int64_t lo = dim < first.size() ? first[dim] : 0;
    const std::int64_t hi = dim < last.size() ? last[dim] : there - 1;
    lower[dim] = std::clamp<std::int64_t>(lo * here / there, 0, here - 1);
    const std::int64_t upper =
        std::clamp<std::int64_t>((hi + 1) * here / there - 1, lower[dim], here - 1);
    extents[dim] = upper - lower[dim] + 1;
  }
  std::vector<std::uint32_t> processors;
  std::vector<std::int64_t> at(rank, 0);
  while (true) {
    std::int64_t number = 0;
    for (std::size_t dim = 0; dim < rank; ++dim) {
      number = number * parent.extent(static_cast<int>(dim)) + lower[dim] + at[dim];
    }
    processors.push_back(parent.processors_[static_cast<std::size_t>(number)]);
    std::size_t dim = rank;
    while (dim > 0 && ++at[dim - 1] == extents[dim - 1]) {
      at[--dim] = 0;
    }
    if (dim == 0) {
      break;
    }
  }
  const bool whole = parent.is_root_ && processors.size() == parent.size();
  return {std::move(extents), std::move(processors), whole};
}

ProcessorView ProcessorView::reshaped(const ProcessorView& parent,
                                      std::span<const std::int64_t> traced,
                                      std::span<const std::int64_t> shape) {
  const auto count = static_cast<std::int64_t>(parent.size());
  std::vector<std::int64_t> extents;
  if (shape.size() <= 1) {
    extents = {count};
  } else if (same_shape(traced, shape)) {
    extents = parent.extents_;
  } else {
    extents = nearest_shape(count, shape);
  }
  // Only the very shape of the root grid keeps its coordinates.
  const bool same = parent.is_root_ && same_shape(extents, parent.extents_);
  return {std::move(extents), parent.processors_, same};
}

std::int64_t ProcessorView::local(std::uint32_t processor) const noexcept {
  if (is_root_) {
    return processor < processors_.size() ? static_cast<std::int64_t>(processor) : -1;
  }
  const auto at = std::lower_bound(processors_.begin(), processors_.end(), processor);
  return at != processors_.end() && *at == processor ? at - processors_.begin() : -1;
}

bool operator==(const ProcessorView& a, const ProcessorView& b) noexcept {
  return a.extents_ == b.extents_ && ((a.is_root_ && b.is_root_) || a.processors_ == b.processors_);
}

std::int64_t ProcessorView::stride(int dim) const noexcept {
  std::int64_t product = 1;
  for (int inner = dim + 1; inner < rank(); ++inner) {
    product *= extent(inner);
  }
  return product;
}

}  // namespace gridcast::mapping
