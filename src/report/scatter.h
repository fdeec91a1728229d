#pragma once
/// A plot of one figure over another, both on logarithmic axes, as inline SVG.

#include <string>
#include <vector>

namespace gridcast::report {

/// A point in the units of the axes.
struct ScatterPoint {
  double x = 0.0;
  double y = 0.0;
  std::string label;  ///< shown on hover, plain text
};

/// A line through points in this order.
struct ScatterLine {
  std::vector<ScatterPoint> points;
};

/// A chart of points on two logarithmic axes.
struct Scatter {
  std::string description;  ///< for readers that cannot see it
  std::string x_title;
  std::string y_title;
  std::vector<ScatterPoint> points;
  std::vector<ScatterLine> lines;  ///< drawn through
  bool diagonal = false;           ///< dashed line y = x
  bool same_range = false;         ///< both axes span the same values
};

/// Points that are not above 0 are left out. An empty paragraph note if none is left.
[[nodiscard]] std::string scatter_svg(const Scatter& scatter);

}  // namespace gridcast::report
