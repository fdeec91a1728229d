#include "gridcast/report/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "gridcast/report/format.h"

namespace gridcast::report {
namespace {

constexpr double picture_width = 640.0;
constexpr double row_height = 24.0;
constexpr double head = 34.0;

/// Safe for people who see colours differently (Okabe and Ito).
constexpr std::array<const char*, 6> colours{"#0072b2", "#d55e00", "#009e73",
                                             "#cc79a7", "#e69f00", "#56b4e9"};

std::string svg_begin(const std::string& title, double height) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" role=\"img\" font-family=\"sans-serif\" font-size=\"12\">\n"
      "<title>{2}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
      "<text x=\"8\" y=\"20\" font-size=\"14\" font-weight=\"bold\" fill=\"#222\">{2}</text>\n",
      picture_width, height, escape_html(title));
}

std::string label_at(double x, double y, const char* anchor, const std::string& text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" fill=\"#222\">{}</text>\n",
                     x, y, anchor, escape_html(text));
}

std::string line_from(double x1, double y1, double x2, double y2, const char* colour) {
  return fmt::format(
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n", x1, y1, x2,
      y2, colour);
}

/// At most `most` characters of a label.
std::string shortened(const std::string& text, std::size_t most) {
  return text.size() <= most ? text : text.substr(0, most - 1) + "…";
}

/// A step of 1, 2 or 5 times a power of ten that cuts `range` into at most `parts`.
double tick_step(double range, double parts) {
  const double power = std::pow(10.0, std::floor(std::log10(range / parts)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (range / (factor * power) <= parts) {
      return factor * power;
    }
  }
  return 10.0 * power;
}

/// Linear map to pixels.
struct Scale {
  double low = 0.0;
  double high = 1.0;
  double from = 0.0;
  double to = 1.0;
  [[nodiscard]] double at(double value) const {
    return high > low ? from + (value - low) / (high - low) * (to - from) : from;
  }
};

std::string bar_row(const Bar& bar, double top, const Scale& x) {
  const double from = std::min(x.at(0.0), x.at(bar.value));
  const double to = std::max(x.at(0.0), x.at(bar.value));
  std::string text = label_at(168.0, top + 15.0, "end", shortened(bar.label, 24));
  text += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"14\" fill=\"{}\"/>\n", from,
      top + 4.0, std::max(0.5, to - from), bar.emphasised ? colours[1] : colours[0]);
  double end = to;
  if (bar.spread) {
    const double low = x.at(bar.spread->first);
    const double high = x.at(bar.spread->second);
    text += line_from(low, top + 11.0, high, top + 11.0, "#222") +
            line_from(low, top + 7.0, low, top + 15.0, "#222") +
            line_from(high, top + 7.0, high, top + 15.0, "#222");
    end = std::max(end, high);
  }
  return text + label_at(end + 5.0, top + 15.0, "start", bar.text);
}

std::string axes(const Scale& x, const Scale& y, const std::string& x_label,
                 const std::string& y_label) {
  std::string text;
  const double step_y = tick_step(y.high - y.low, 6.0);
  const auto last_y = static_cast<int>((y.high * (1.0 + 1e-9) - y.low) / step_y);
  for (int tick = 0; tick <= last_y; ++tick) {
    const double value = y.low + tick * step_y;
    text += line_from(x.from, y.at(value), x.to, y.at(value), "#ddd") +
            label_at(x.from - 5.0, y.at(value) + 4.0, "end", fmt::format("{:.4g}", value));
  }
  const double step_x = tick_step(x.high - x.low, 8.0);
  const double first_x = std::ceil(x.low / step_x) * step_x;
  const auto last_x = static_cast<int>(std::floor((x.high + 1e-9 * step_x - first_x) / step_x));
  for (int tick = 0; tick <= last_x; ++tick) {
    const double value = first_x + tick * step_x;
    text += label_at(x.at(value), y.from + 16.0, "middle", fmt::format("{:.4g}", value));
  }
  return text + label_at(0.5 * (x.from + x.to), y.from + 34.0, "middle", x_label) +
         label_at(8.0, 38.0, "start", y_label);
}

std::string polyline(const Curve& curve, const Scale& x, const Scale& y, const char* colour) {
  std::string points;
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    const auto& [at, value] = curve.points[i];
    if (curve.steps && i > 0) {
      points += fmt::format("{:.1f},{:.1f} ", x.at(at), y.at(curve.points[i - 1].second));
    }
    points += fmt::format("{:.1f},{:.1f} ", x.at(at), y.at(value));
  }
  return fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"/>\n",
                     points, colour);
}

}  // namespace

std::string bar_picture(const std::string& title, const std::vector<Bar>& bars) {
  Scale x{0.0, 0.0, 175.0, 540.0};
  for (const Bar& bar : bars) {
    x.low = std::min({x.low, bar.value, bar.spread ? bar.spread->first : 0.0});
    x.high = std::max({x.high, bar.value, bar.spread ? bar.spread->second : 0.0});
  }
  const double height = head + row_height * static_cast<double>(bars.size()) + 8.0;
  std::string text = svg_begin(title, height);
  double top = head;
  for (const Bar& bar : bars) {
    text += bar_row(bar, top, x);
    top += row_height;
  }
  return text + line_from(x.at(0.0), head, x.at(0.0), height - 8.0, "#222") + "</svg>\n";
}

std::string curve_picture(const std::string& title, const std::string& x_label,
                          const std::string& y_label, const std::vector<Curve>& curves) {
  Scale x{0.0, 0.0, 60.0, 620.0};
  Scale y{0.0, 0.0, 270.0, 50.0};
  bool first = true;
  for (const Curve& curve : curves) {
    for (const auto& [at, value] : curve.points) {
      x.low = first ? at : std::min(x.low, at);
      x.high = first ? at : std::max(x.high, at);
      y.high = std::max(y.high, value);
      first = false;
    }
  }
  x.high = x.high > x.low ? x.high : x.low + 1.0;
  y.high = y.high > 0.0 ? y.high : 1.0;
  const double height = 316.0 + 18.0 * static_cast<double>(curves.size() > 1 ? curves.size() : 0);
  std::string text = svg_begin(title, height) + axes(x, y, x_label, y_label);
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const char* const colour = colours[i % colours.size()];
    text += polyline(curves[i], x, y, colour);
    if (curves.size() > 1) {
      const double at = 326.0 + 18.0 * static_cast<double>(i);
      text += line_from(62.0, at - 4.0, 82.0, at - 4.0, colour) +
              label_at(88.0, at, "start", curves[i].label);
    }
  }
  return text + "</svg>\n";
}

std::string matrix_picture(const std::string& title, const std::vector<std::string>& rows,
                           const std::vector<std::string>& columns,
                           const std::vector<std::vector<double>>& values) {
  const double cell =
      std::min(60.0, 460.0 / static_cast<double>(std::max<std::size_t>(1, columns.size())));
  const double height = head + 20.0 + row_height * static_cast<double>(rows.size()) + 8.0;
  std::string text = svg_begin(title, height);
  for (std::size_t j = 0; j < columns.size(); ++j) {
    text += label_at(175.0 + cell * (static_cast<double>(j) + 0.5), head + 12.0, "middle",
                     shortened(columns[j], 10));
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double top = head + 20.0 + row_height * static_cast<double>(i);
    text += label_at(168.0, top + 15.0, "end", shortened(rows[i], 24));
    for (std::size_t j = 0; j < columns.size(); ++j) {
      const double value = std::clamp(values[i][j], 0.0, 1.0);
      const int light = static_cast<int>(std::lround(255.0 - 175.0 * value));
      text += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"22\" "
          "fill=\"rgb({},{},255)\"/>\n",
          175.0 + cell * static_cast<double>(j), top, cell - 2.0, light, light);
      text += label_at(175.0 + cell * (static_cast<double>(j) + 0.5) - 1.0, top + 15.0, "middle",
                       fmt::format("{:.2f}", values[i][j]));
    }
  }
  return text + "</svg>\n";
}

}  // namespace gridcast::report
