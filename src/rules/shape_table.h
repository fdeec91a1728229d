#pragma once
/// How long an iteration of a loop takes in blocks of other shapes: measured points, interpolated
/// (docs/model.md §3.8).

#include <cstdint>
#include <span>

#include "gridcast/rules/script.h"

namespace gridcast::model {

/// A block of a loop whose iterations were measured.
struct ShapePoint {
  double outer = 1.0;    ///< iterations of all dimensions but the last
  double inner = 1.0;    ///< iterations of the last dimension: the length of the inner loop
  double seconds = 0.0;  ///< per iteration

  friend bool operator==(const ShapePoint&, const ShapePoint&) = default;
};

/// The points of a loop: reals of a script, three each.
class ShapeTable {
public:
  explicit ShapeTable(std::span<const double> points) : points_(points) {}

  /// Seconds per iteration of a block: that of a point if it has its shape, else the weighted
  /// geometric mean of all, weights 1 / d^4 with d^2 = ln^2(outer ratio) + ln^2(inner ratio).
  /// Precondition: there are points.
  [[nodiscard]] double seconds(double outer, double inner) const;
  /// Whether the block lies between the points in both directions.
  [[nodiscard]] bool inside(double outer, double inner) const;
  /// The least and the greatest extents of the points, and seconds.
  [[nodiscard]] ShapePoint smallest() const;
  [[nodiscard]] ShapePoint largest() const;

private:
  [[nodiscard]] ShapePoint fold(const double& (*of)(const double&, const double&)) const;
  [[nodiscard]] std::size_t size() const noexcept { return points_.size() / 3; }
  [[nodiscard]] ShapePoint at(std::size_t i) const noexcept {
    return {points_[3 * i], points_[3 * i + 1], points_[3 * i + 2]};
  }

  std::span<const double> points_;
};

/// The shape of a block of a loop with these extents.
[[nodiscard]] ShapePoint shape_of(std::span<const std::int64_t> extents);

/// Time of an iteration in blocks over that in the traced run; 1 without a table.
class ShapeFactor {
public:
  ShapeFactor() = default;
  /// `portion`: of the script, maybe none; `traced`: extents of what was executed there.
  ShapeFactor(const Script& script, PortionId portion, std::span<const std::int64_t> traced);

  /// Of a loop, or of the part of it that a call of dopl_ executed.
  [[nodiscard]] static ShapeFactor of(const Script& script, PlacementId placement,
                                      PortionId portion);

  [[nodiscard]] bool known() const noexcept { return own_ > 0.0; }
  /// For a block with these extents; 1 if it is empty.
  [[nodiscard]] double operator()(std::span<const std::int64_t> extents) const;
  /// No block has less, none has more.
  [[nodiscard]] double least() const;
  [[nodiscard]] double most() const;

private:
  std::span<const double> points_;
  double own_ = 0.0;  ///< seconds per iteration of the traced block
};

}  // namespace gridcast::model
