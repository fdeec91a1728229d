#include "chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "gridcast/report/format.h"

namespace gridcast::report {
namespace {

constexpr double width = 460.0;
constexpr double height = 300.0;
constexpr double left = 62.0;
constexpr double right = 448.0;
constexpr double top = 14.0;
constexpr double bottom = 252.0;
/// Up to this many, dots are large and say on hover what they are.
constexpr std::size_t few_dots = 300;

/// Linear map of an interval of transformed values to pixels.
struct Axis {
  double low;
  double high;
  double from;
  double to;

  [[nodiscard]] double at(double value) const {
    return high > low ? from + (value - low) / (high - low) * (to - from) : 0.5 * (from + to);
  }
};

double transformed(const Chart& chart, double value) {
  return chart.logarithmic ? std::log10(value) : value;
}

bool drawable(const Chart& chart, const ChartPoint& point) {
  return std::isfinite(point.value) && (!chart.logarithmic || point.value > 0.0);
}

Axis processor_axis(const std::vector<ChartPoint>& points) {
  const double low = std::floor(std::log2(static_cast<double>(points.front().processors)));
  const double high = std::ceil(std::log2(static_cast<double>(points.back().processors)));
  return {low, std::max(high, low + 1.0), left, right};
}

/// The value axis; a logarithmic one spans whole 1-2-5 steps.
Axis value_axis(const Chart& chart, const std::vector<ChartPoint>& points) {
  double low = std::numeric_limits<double>::max();
  double high = std::numeric_limits<double>::lowest();
  for (const ChartPoint& point : points) {
    low = std::min(low, transformed(chart, point.value));
    high = std::max(high, transformed(chart, point.value));
  }
  if (!chart.logarithmic) {
    return {0.0, std::max(1.0, high), bottom, top};
  }
  return {low - 0.1, high + 0.1, bottom, top};
}

std::vector<double> value_ticks(const Chart& chart, const Axis& axis) {
  if (!chart.logarithmic) {
    return {0.0, 0.2, 0.4, 0.6, 0.8, 1.0};
  }
  const auto within = [&axis](double value) {
    return std::log10(value) >= axis.low && std::log10(value) <= axis.high;
  };
  std::vector<double> ticks;
  const bool fine = axis.high - axis.low < 3.0;
  for (int decade = static_cast<int>(std::floor(axis.low)); decade <= axis.high; ++decade) {
    for (const double step : {1.0, 2.0, 5.0}) {
      const double value = step * std::pow(10.0, decade);
      if ((fine || step == 1.0) && within(value)) {
        ticks.push_back(value);
      }
    }
  }
  return ticks;
}

/// A tick in the unit that needs no decimals ("200 ms").
std::string tick_label(const Chart& chart, double value) {
  if (!chart.logarithmic) {
    return fmt::format("{:.1f}", value);
  }
  if (value >= 1.0) {
    return fmt::format("{:g} s", value);
  }
  // The added thousandth keeps 1e-3 / 1e-3 from falling to the next unit by rounding.
  return value >= 0.999e-3   ? fmt::format("{:.3g} ms", value * 1e3)
         : value >= 0.999e-6 ? fmt::format("{:.3g} µs", value * 1e6)
                             : fmt::format("{:.3g} ns", value * 1e9);
}

std::string frame(const Chart& chart, const Axis& x, const Axis& y) {
  std::string text;
  for (const double value : value_ticks(chart, y)) {
    const double at = y.at(transformed(chart, value));
    text += fmt::format(
        "<line class=\"grid\" x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>"
        "<text class=\"tick\" x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n",
        left, right, at, at, left - 7.0, at + 4.0, tick_label(chart, value));
  }
  const double step = std::max(1.0, std::ceil((x.high - x.low) / 8.0));
  const int last = static_cast<int>((x.high - x.low) / step);
  for (int tick = 0; tick <= last; ++tick) {
    const double power = x.low + tick * step;
    text += fmt::format(
        "<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/>"
        "<text class=\"tick\" x=\"{0:.1f}\" y=\"{3}\" text-anchor=\"middle\">{4:.0f}</text>\n",
        x.at(power), top, bottom, bottom + 17.0, std::exp2(power));
  }
  return text + fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">processors</text>\n",
                            0.5 * (left + right), height - 10.0);
}

/// The dashed line of perfect speed-up from the first point, cut where it leaves the frame.
std::string ideal_line(const std::vector<ChartPoint>& points, const Axis& x, const Axis& y) {
  const ChartPoint& first = points.front();
  const double start = std::log2(static_cast<double>(first.processors));
  const double end_by_value = start + (std::log10(first.value) - y.low) / std::log10(2.0);
  const double end = std::min(x.high, end_by_value);
  const double end_value = std::log10(first.value) - (end - start) * std::log10(2.0);
  return fmt::format(
      "<line class=\"ideal\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n",
      x.at(start), y.at(std::log10(first.value)), x.at(end), y.at(end_value));
}

/// Steps down to the least value that at most so many processors give.
std::string falling_line(const Chart& chart, const std::vector<ChartPoint>& points, const Axis& x,
                         const Axis& y) {
  double least = points.front().value;
  std::string line;
  for (const ChartPoint& point : points) {
    const double across = x.at(std::log2(static_cast<double>(point.processors)));
    if (point.value < least || line.empty()) {
      if (!line.empty()) {
        line += fmt::format("{:.1f},{:.1f} ", across, y.at(transformed(chart, least)));
      }
      least = point.value;
      line += fmt::format("{:.1f},{:.1f} ", across, y.at(transformed(chart, least)));
    }
  }
  line +=
      fmt::format("{:.1f},{:.1f}", x.at(std::log2(static_cast<double>(points.back().processors))),
                  y.at(transformed(chart, least)));
  return fmt::format("<polyline class=\"curve\" points=\"{}\"/>\n", line);
}

std::string dots(const Chart& chart, const std::vector<ChartPoint>& points, const Axis& x,
                 const Axis& y) {
  const bool few = points.size() <= few_dots;
  std::string text;
  for (const ChartPoint& point : points) {
    text += fmt::format(
        "<circle class=\"dot\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\">{}</circle>\n",
        x.at(std::log2(static_cast<double>(point.processors))),
        y.at(transformed(chart, point.value)), few ? 2.8 : 1.2,
        few ? fmt::format("<title>{}</title>", escape_html(point.label)) : std::string());
  }
  return text;
}

std::string ring(const Chart& chart, const ChartPoint& point, const Axis& x, const Axis& y) {
  return fmt::format("<circle class=\"best\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"6.5\"/>\n",
                     x.at(std::log2(static_cast<double>(point.processors))),
                     y.at(transformed(chart, point.value)));
}

}  // namespace

std::string chart_svg(const Chart& chart) {
  std::vector<ChartPoint> points;
  std::copy_if(chart.points.begin(), chart.points.end(), std::back_inserter(points),
               [&chart](const ChartPoint& point) { return drawable(chart, point); });
  if (points.empty()) {
    return "<p class=\"mute\">No grid was evaluated.</p>\n";
  }
  const Axis x = processor_axis(points);
  const Axis y = value_axis(chart, points);
  std::string text =
      fmt::format("<svg viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"{}\">\n", width,
                  height, escape_html(chart.description));
  text += frame(chart, x, y);
  if (chart.ideal) {
    text += ideal_line(points, x, y);
  }
  if (chart.falling) {
    text += falling_line(chart, points, x, y);
  }
  text += dots(chart, points, x, y);
  if (chart.marked && drawable(chart, *chart.marked)) {
    text += ring(chart, *chart.marked, x, y);
  }
  return text + "</svg>\n";
}

}  // namespace gridcast::report
