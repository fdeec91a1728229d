#include "gridcast/report/scatter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "gridcast/report/format.h"

namespace gridcast::report {
namespace {

constexpr double scatter_width = 460.0;
constexpr double scatter_height = 380.0;
constexpr double scatter_left = 66.0;
constexpr double scatter_right = 448.0;
constexpr double scatter_top = 14.0;
constexpr double scatter_bottom = 332.0;

/// The ends of an axis, powers of ten on a logarithmic one, and where they lie in pixels.
struct Axis {
  bool linear = false;
  double low = std::numeric_limits<double>::max();
  double high = std::numeric_limits<double>::lowest();
  double from = 0.0;
  double to = 0.0;

  [[nodiscard]] double place(double value) const { return linear ? value : std::log10(value); }
  void include(double value) {
    low = linear ? 0.0 : std::min(low, place(value));
    high = std::max(high, place(value));
  }
  void widen() {
    constexpr double margin = 0.05;
    constexpr double for_title = 0.12;
    const double more = linear ? for_title * high : margin * std::max(high - low, 1.0);
    low -= linear ? 0.0 : more;
    high += linear && high <= 0.0 ? 1.0 : more;
  }
  [[nodiscard]] double at(double value) const {
    return from + (place(value) - low) / (high - low) * (to - from);
  }
  [[nodiscard]] std::vector<double> ticks() const { return linear ? even_ticks() : log_ticks(); }
  /// Multiples of 1, 2 or 5 times a power of ten.
  [[nodiscard]] std::vector<double> even_ticks() const {
    constexpr double most_parts = 6.0;
    const double power = std::pow(10.0, std::floor(std::log10(high / most_parts)));
    const double parts = high / power;
    const double step = power * (parts <= most_parts         ? 1.0
                                 : parts <= 2.0 * most_parts ? 2.0
                                 : parts <= 5.0 * most_parts ? 5.0
                                                             : 10.0);
    std::vector<double> result;
    for (int tick = 0; tick * step <= high; ++tick) {
      result.push_back(tick * step);
    }
    return result;
  }
  [[nodiscard]] std::vector<double> log_ticks() const {
    std::vector<double> result;
    const double spread = high - low;
    constexpr double few_decades = 2.0;
    constexpr double most_ticks = 8.0;
    const double step = std::max(1.0, std::ceil(spread / most_ticks));
    const auto last = static_cast<int>((high - std::floor(low)) / step);
    for (int tick = 0; tick <= last; ++tick) {
      const double power = std::floor(low) + tick * step;
      for (const double factor : {1.0, 2.0, 5.0}) {
        const double value = factor * std::pow(10.0, power);
        const bool wanted = factor == 1.0 || spread < few_decades;
        if (wanted && std::log10(value) >= low && std::log10(value) <= high) {
          result.push_back(value);
        }
      }
    }
    return result;
  }
};

bool is_drawable(const Scatter& scatter, const ScatterPoint& point) {
  return std::isfinite(point.x) && std::isfinite(point.y) &&
         (scatter.linear || (point.x > 0.0 && point.y > 0.0));
}

/// Without zeros at the end of its number: "1.500 ms" is "1.5 ms".
std::string tick_text(std::string text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  if (text.find('.') < end) {
    std::size_t last = text.find_last_not_of('0', end - 1);
    last -= text[last] == '.' ? 1 : 0;
    text.erase(last + 1, end - last - 1);
  }
  return escape_html(text);
}

std::string scatter_frame(const Scatter& scatter, const Axis& x, const Axis& y) {
  std::string text;
  for (const double value : y.ticks()) {
    text += fmt::format(
        "<line class=\"grid\" x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>"
        "<text class=\"tick\" x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n",
        scatter_left, scatter_right, y.at(value), y.at(value), scatter_left - 7.0,
        y.at(value) + 4.0, tick_text(scatter.y_text(value)));
  }
  for (const double value : x.ticks()) {
    text += fmt::format(
        "<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/>"
        "<text class=\"tick\" x=\"{0:.1f}\" y=\"{3}\" text-anchor=\"middle\">{4}</text>\n",
        x.at(value), scatter_top, scatter_bottom, scatter_bottom + 17.0,
        tick_text(scatter.x_text(value)));
  }
  text += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                      0.5 * (scatter_left + scatter_right), scatter_height - 10.0,
                      escape_html(scatter.x_title));
  return text + fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n", scatter_left + 6.0,
                            scatter_top + 12.0, escape_html(scatter.y_title));
}

std::string scatter_line(const Scatter& scatter, const ScatterLine& line, const Axis& x,
                         const Axis& y) {
  std::string places;
  for (const ScatterPoint& point : line.points) {
    if (is_drawable(scatter, point)) {
      places += fmt::format("{:.1f},{:.1f} ", x.at(point.x), y.at(point.y));
    }
  }
  return fmt::format("<polyline class=\"{}\" points=\"{}\"/>\n", line.look, places);
}

}  // namespace

std::string plain_text(double value) { return fmt::format("{:.4g}", value); }

std::string scatter_svg(const Scatter& scatter) {
  Axis x{scatter.linear};
  Axis y{scatter.linear};
  bool any = false;
  const auto include = [&](const std::vector<ScatterPoint>& points) {
    for (const ScatterPoint& point : points) {
      if (is_drawable(scatter, point)) {
        any = true;
        x.include(point.x);
        y.include(point.y);
      }
    }
  };
  include(scatter.points);
  for (const ScatterLine& line : scatter.lines) {
    include(line.points);
  }
  if (!any) {
    return "<p class=\"mute\">There is nothing to draw.</p>\n";
  }
  if (scatter.same_range) {
    x.low = y.low = std::min(x.low, y.low);
    x.high = y.high = std::max(x.high, y.high);
  }
  x.widen();
  y.widen();
  x.from = scatter_left;
  x.to = scatter_right;
  y.from = scatter_bottom;
  y.to = scatter_top;
  std::string text =
      fmt::format("<svg viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"{}\">\n",
                  scatter_width, scatter_height, escape_html(scatter.description));
  text += scatter_frame(scatter, x, y);
  if (scatter.diagonal) {
    text += fmt::format("<line class=\"ideal\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>\n",
                        scatter_left, scatter_bottom, scatter_right, scatter_top);
  }
  for (const ScatterLine& line : scatter.lines) {
    text += scatter_line(scatter, line, x, y);
  }
  for (const ScatterPoint& point : scatter.points) {
    if (is_drawable(scatter, point)) {
      text += fmt::format(
          "<circle class=\"dot\" cx=\"{:.1f}\" cy=\"{:.1f}\" "
          "r=\"2.8\"><title>{}</title></circle>\n",
          x.at(point.x), y.at(point.y), escape_html(point.label));
    }
  }
  return text + "</svg>\n";
}

}  // namespace gridcast::report
