#include "gridcast/rules/shape_table.h"

#include <algorithm>
#include <cmath>

#include "gridcast/rules/loop_part.h"

namespace gridcast::model {
namespace {

/// The mean of equal points may differ from them by this part.
constexpr double rounding = 1e-12;

}  // namespace

double ShapeTable::seconds(double outer, double inner) const {
  constexpr double same = 1e-24;
  double weights = 0.0;
  double sum = 0.0;
  for (std::size_t i = 0; i < size(); ++i) {
    const ShapePoint point = at(i);
    const double across = std::log(outer / point.outer);
    const double along = std::log(inner / point.inner);
    const double distance = across * across + along * along;
    if (distance < same) {
      return point.seconds;
    }
    const double weight = 1.0 / (distance * distance);
    weights += weight;
    sum += weight * std::log(point.seconds);
  }
  return std::exp(sum / weights);
}

ShapePoint ShapeTable::fold(const double& (*of)(const double&, const double&)) const {
  ShapePoint result = at(0);
  for (std::size_t i = 1; i < size(); ++i) {
    result = {of(result.outer, at(i).outer), of(result.inner, at(i).inner),
              of(result.seconds, at(i).seconds)};
  }
  return result;
}

ShapePoint ShapeTable::smallest() const { return fold(std::min<double>); }

ShapePoint ShapeTable::largest() const { return fold(std::max<double>); }

bool ShapeTable::inside(double outer, double inner) const {
  const ShapePoint low = smallest();
  const ShapePoint high = largest();
  return low.outer <= outer && outer <= high.outer && low.inner <= inner && inner <= high.inner;
}

ShapePoint shape_of(std::span<const std::int64_t> extents) {
  ShapePoint shape;
  for (std::size_t dim = 0; dim < extents.size(); ++dim) {
    (dim + 1 == extents.size() ? shape.inner : shape.outer) *= static_cast<double>(extents[dim]);
  }
  return shape;
}

ShapeFactor::ShapeFactor(const Script& script, PortionId portion,
                         std::span<const std::int64_t> traced) {
  const ShapeId shape = portion == none ? ShapeId() : script.tables().portions[portion].shape;
  const ShapePoint whole = shape_of(traced);
  if (shape != none && whole.outer * whole.inner > 0.0) {
    points_ = script.reals(script.tables().shapes[shape].points);
    own_ = ShapeTable(points_).seconds(whole.outer, whole.inner);
  }
}

double ShapeFactor::operator()(std::span<const std::int64_t> extents) const {
  const ShapePoint block = shape_of(extents);
  return known() && block.outer * block.inner > 0.0
             ? ShapeTable(points_).seconds(block.outer, block.inner) / own_
             : 1.0;
}

ShapeFactor ShapeFactor::of(const Script& script, PlacementId placement, PortionId portion) {
  return LoopPart(script.ints(script.tables().placements[placement].extents), script, portion)
      .factor();
}

double ShapeFactor::least() const {
  return known() ? ShapeTable(points_).smallest().seconds / own_ * (1.0 - rounding) : 1.0;
}

double ShapeFactor::most() const {
  return known() ? ShapeTable(points_).largest().seconds / own_ * (1.0 + rounding) : 1.0;
}

}  // namespace gridcast::model
