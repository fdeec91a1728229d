#pragma once
/// Pictures that stand alone as .svg files and fit into pages.

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gridcast::report {

/// One bar.
struct Bar {
  std::string label;
  double value = 0.0;
  std::string text;                                 ///< beside the bar
  std::optional<std::pair<double, double>> spread;  ///< drawn as a line over its end
  bool emphasised = false;
};

/// Horizontal bars from 0, negative ones to the left.
[[nodiscard]] std::string bar_picture(const std::string& title, const std::vector<Bar>& bars);

/// A line of the picture below, as (x, y).
struct Curve {
  std::string label;
  std::vector<std::pair<double, double>> points;
  bool steps = false;  ///< y holds until the next x
};

/// Curves over a common axis; y from 0.
[[nodiscard]] std::string curve_picture(const std::string& title, const std::string& x_label,
                                        const std::string& y_label,
                                        const std::vector<Curve>& curves);

/// Cells of a matrix, darker the nearer to 1.
[[nodiscard]] std::string matrix_picture(const std::string& title,
                                         const std::vector<std::string>& rows,
                                         const std::vector<std::string>& columns,
                                         const std::vector<std::vector<double>>& values);

}  // namespace gridcast::report
