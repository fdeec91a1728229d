#pragma once
/// Charts as files for papers and messages, drawn by gnuplot, which needs neither a browser nor a
/// screen.

#include <iosfwd>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gridcast::report {

using PlotCell = std::variant<double, std::string>;  ///< no number and empty: nothing is drawn

/// The numbers of a chart, and how they are drawn.
struct Plot {
  std::string title;
  std::vector<std::string> columns;
  std::vector<std::vector<PlotCell>> rows;  ///< as wide as `columns`
  std::string commands;                     ///< of gnuplot; the rows are its $data
  bool bars = false;                        ///< a bar for each row, one below the other
};

/// Size and font of a chart.
struct PlotStyle {
  double width = 16.0;   ///< cm
  double height = 10.0;  ///< cm
  double font = 10.0;    ///< points
};

/// Endings of files that a chart can be: "svg", "png", "pdf".
[[nodiscard]] bool is_picture(std::string_view ending);

/// A PNG has so many pixels per cm (192 per inch).
inline constexpr double pixels_per_cm = 192 / 2.54;

/// Draws the chart with gnuplot: $GRIDCAST_GNUPLOT, else "gnuplot" of the PATH. Throws RunError if
/// it cannot be started or fails.
void draw_plot(std::ostream& out, const Plot& plot, std::string_view ending,
               const PlotStyle& style);

/// Makes a bar of each row: a name, a number, which is drawn times `scale`, and, if `spread`, the
/// ends of a line over it.
void draw_bars(Plot& plot, std::string_view label, double scale = 1.0, bool spread = false);

/// As SVG, high enough for its bars.
void draw_svg(std::ostream& out, const Plot& plot);

/// The numbers as CSV (docs/commands.md, "Tables").
void write_plot_csv(std::ostream& out, const Plot& plot);

/// A text of the commands of gnuplot: no character in it means anything but itself.
[[nodiscard]] std::string gnuplot_text(std::string_view text);

}  // namespace gridcast::report
