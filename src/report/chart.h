#pragma once
/// Charts over the number of processors, as inline SVG.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gridcast::report {

/// A point of a chart: what a number of processors gives.
struct ChartPoint {
  std::int64_t processors = 1;
  double value = 0.0;
  std::string label;  ///< shown on hover, plain text
};

/// A chart with a logarithmic axis of processors.
struct Chart {
  std::string description;           ///< for readers that cannot see it
  std::vector<ChartPoint> points;    ///< ascending by processors
  std::optional<ChartPoint> marked;  ///< drawn with a ring
  bool logarithmic = false;          ///< value axis: seconds on a logarithmic scale, else 0...1
  bool falling = false;              ///< a line: the least value with at most so many processors
  bool ideal = false;                ///< dashed line value(first) * first / processors
};

/// The chart as an <svg> element; an empty paragraph note if there is no point to draw.
[[nodiscard]] std::string chart_svg(const Chart& chart);

}  // namespace gridcast::report
