#pragma once
/// A plot of one figure over another as inline SVG.

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
  const char* look = "curve";  ///< or "ideal", dashed
};

/// A figure at an axis, as seconds_text() has it.
using AxisText = std::string (*)(double);
[[nodiscard]] std::string plain_text(double value);

/// A chart of points on two logarithmic axes, or on two linear ones that begin at 0.
struct Scatter {
  std::string description;  ///< for readers that cannot see it
  std::string x_title;
  std::string y_title;
  AxisText x_text = plain_text;
  AxisText y_text = plain_text;
  std::vector<ScatterPoint> points;
  std::vector<ScatterLine> lines;  ///< drawn through
  bool diagonal = false;           ///< dashed line y = x
  bool same_range = false;         ///< both axes span the same values
  bool linear = false;
};

/// Logarithmic axes leave out what is not above 0. A note if nothing is left.
[[nodiscard]] std::string scatter_svg(const Scatter& scatter);

}  // namespace gridcast::report
