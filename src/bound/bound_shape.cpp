/// Step functions over the coordinates of a grid and their products.

#include "bound_shape.h"

#include <algorithm>

namespace gridcast::model {

void StepFunction::append(std::int64_t begin, double value) {
  if (runs_.empty()) {
    runs_.push_back({begin, value, 0.0});
    return;
  }
  const Run& last = runs_.back();
  if (last.value != value) {
    runs_.push_back(
        {begin, value, last.before + last.value * static_cast<double>(begin - last.begin)});
  }
}

const StepFunction::Run& StepFunction::run_at(std::int64_t at) const noexcept {
  constexpr std::size_t few = 8;
  if (runs_.size() <= few) {
    std::size_t i = runs_.size() - 1;
    while (runs_[i].begin > at) {
      --i;
    }
    return runs_[i];
  }
  const auto next =
      std::upper_bound(runs_.begin(), runs_.end(), at,
                       [](std::int64_t value, const Run& run) { return value < run.begin; });
  return *(next - 1);
}

double StepFunction::most() const noexcept {
  double most = 0.0;
  for (const Run& run : runs_) {
    most = std::max(most, run.value);
  }
  return most;
}

double StepFunction::least() const noexcept {
  double least = runs_.front().value;
  for (const Run& run : runs_) {
    least = std::min(least, run.value);
  }
  return least;
}

double StepFunction::least_positive() const noexcept {
  double least = 0.0;
  for (const Run& run : runs_) {
    if (run.value > 0.0 && (least == 0.0 || run.value < least)) {
      least = run.value;
    }
  }
  return least;
}

std::int64_t StepFunction::last_of_most() const noexcept {
  const double largest = most();
  std::int64_t end = extent_;
  for (std::size_t i = runs_.size(); i-- > 0;) {
    if (runs_[i].value == largest) {
      return end - 1;
    }
    end = runs_[i].begin;
  }
  return 0;
}

std::int64_t StepFunction::first_positive() const noexcept {
  for (const Run& run : runs_) {
    if (run.value > 0.0) {
      return run.begin;
    }
  }
  return -1;
}

std::int64_t StepFunction::last_positive() const noexcept {
  std::int64_t end = extent_;
  for (std::size_t i = runs_.size(); i-- > 0;) {
    if (runs_[i].value > 0.0) {
      return end - 1;
    }
    end = runs_[i].begin;
  }
  return -1;
}

GridShape::GridShape(const machine::Grid& grid) : rank(grid.rank()), processors(grid.processors()) {
  std::int64_t stride = 1;
  for (int j = rank; j-- > 0;) {
    const auto index = static_cast<std::size_t>(j);
    extents[index] = grid.extent(j);
    strides[index] = stride;
    stride *= extents[index];
  }
}

GridShape::Coordinates GridShape::coordinates(std::int64_t processor) const noexcept {
  Coordinates at{};
  auto rest = static_cast<std::uint32_t>(processor);
  for (std::size_t j = 0; j < static_cast<std::size_t>(rank); ++j) {
    const auto stride = static_cast<std::uint32_t>(strides[j]);
    at[j] = rest / stride;
    rest %= stride;
  }
  return at;
}

std::int64_t GridShape::number(const Coordinates& at) const noexcept {
  std::int64_t number = 0;
  for (std::size_t j = 0; j < static_cast<std::size_t>(rank); ++j) {
    number += at[j] * strides[j];
  }
  return number;
}

ProductForm::ProductForm(const GridShape& shape, double scale,
                         const std::array<const StepFunction*, machine::max_grid_rank>& factors)
    : shape_(&shape), factors_(factors), scale_(scale) {
  double product = 1.0;
  for (int j = shape.rank; j-- > 0;) {
    const auto index = static_cast<std::size_t>(j);
    inner_[index] = product;
    product *= factors[index]->total();
  }
  total_ = scale * product;
}

double ProductForm::at(std::int64_t processor) const noexcept {
  const GridShape::Coordinates at = shape_->coordinates(processor);
  double product = scale_;
  for (std::size_t j = 0; j < static_cast<std::size_t>(shape_->rank); ++j) {
    product *= factors_[j]->value(at[j]);
  }
  return product;
}

double ProductForm::prefix(std::int64_t end) const noexcept {
  if (end >= shape_->processors) {
    return total_;
  }
  // Whole slabs in front of the coordinate, then the same within the slab of the coordinate.
  const GridShape::Coordinates at = shape_->coordinates(end);
  double sum = 0.0;
  double outer = scale_;
  for (std::size_t j = 0; j < static_cast<std::size_t>(shape_->rank) && outer > 0.0; ++j) {
    sum += outer * factors_[j]->prefix(at[j]) * inner_[j];
    outer *= factors_[j]->value(at[j]);
  }
  return sum;
}

double ProductForm::most() const noexcept {
  double product = scale_;
  for (std::size_t j = 0; j < static_cast<std::size_t>(shape_->rank); ++j) {
    product *= factors_[j]->most();
  }
  return product;
}

}  // namespace gridcast::model
