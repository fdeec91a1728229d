#include "gridcast/report/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <ostream>
#include <regex>
#include <system_error>

#include "gridcast/base/command.h"
#include "gridcast/base/csv.h"
#include "gridcast/base/error.h"
#include "gridcast/base/printable.h"
#include "gridcast/base/readable.h"

namespace gridcast::report {
namespace {

constexpr double css_pixels_per_cm = 96 / 2.54;

std::string terminal(std::string_view ending, const PlotStyle& style) {
  const auto pixels = [](double cm, double per_cm) { return std::llround(cm * per_cm); };
  if (ending == "svg") {
    return fmt::format("svg size {},{} font 'sans-serif,{}' noenhanced background rgb 'white'",
                       pixels(style.width, css_pixels_per_cm),
                       pixels(style.height, css_pixels_per_cm), style.font);
  }
  if (ending == "png") {
    return fmt::format("pngcairo size {},{} font 'sans,{}' fontscale 2 linewidth 2 noenhanced",
                       pixels(style.width, pixels_per_cm), pixels(style.height, pixels_per_cm),
                       style.font);
  }
  return fmt::format("pdfcairo size {}cm,{}cm font 'sans,{}' noenhanced", style.width, style.height,
                     style.font);
}

std::string script(const Plot& plot, std::string_view ending, const PlotStyle& style) {
  std::string text = "$data << ____\n";
  for (const std::vector<PlotCell>& row : plot.rows) {
    for (const PlotCell& cell : row) {
      const double* number = std::get_if<double>(&cell);
      text += number != nullptr ? std::isfinite(*number) ? exact(*number) : "NaN"
                                : "\"" + gnuplot_text(std::get<std::string>(cell)) + "\"";
      text += ' ';
    }
    text += '\n';
  }
  text += "____\nset encoding utf8\nset terminal " + terminal(ending, style) + "\nset title '" +
          gnuplot_text(plot.title) +
          "'\nset border 3\nset tics nomirror out\nset grid back lc rgb '#dddddd'\n"
          "set key above samplen 1.5\n" +
          plot.commands;
  return text;
}

/// The same picture in half the bytes: without groups and paths that draw nothing, definitions that
/// nothing uses and values that SVG has by default; places to a tenth of a pixel.
std::string smaller_svg(const std::string& svg) {
  static const std::regex nothing(
      R"(<g [^>]*>\s*</g>\s*|<path stroke='[^']*' *d='M[0-9.,]* *'/>\s*| stroke-line(cap="butt"|join="miter"))");
  std::string drawn = std::regex_replace(svg, nothing, "");
  const std::size_t definitions = drawn.find("<defs>");
  const std::size_t behind = drawn.find("</defs>\n");
  if (behind != std::string::npos && drawn.find("#gp", behind) == std::string::npos &&
      drawn.find("url(#", behind) == std::string::npos) {
    drawn.erase(definitions, drawn.find('\n', behind) + 1 - definitions);
  }
  std::string result;
  bool tag = false;  // texts stay as they are
  for (std::size_t i = 0; i < drawn.size();) {
    tag = drawn[i] == '<' || (tag && drawn[i] != '>');
    double place = 0.0;
    const char* const begin = &drawn[i];
    const auto [end, error] =
        std::from_chars(begin, &drawn.back(), place, std::chars_format::fixed);
    // gnuplot writes places as 12.34; what is below one may be an opacity.
    if (tag && error == std::errc() && end - begin > 3 && end[-3] == '.') {
      result +=
          fmt::format("{:g}", std::abs(place) < 1.0 ? place : std::round(place * 10.0) / 10.0);
      i += static_cast<std::size_t>(end - begin);
    } else {
      result += drawn[i++];
    }
  }
  return result;
}

CommandOutput run_gnuplot(const std::string& program, const std::string& commands) {
  try {
    return output_of({program}, commands);
  } catch (const std::system_error& error) {
    throw RunError(program, "cannot be started: " + error.code().message(),
                   "install gnuplot (Debian: gnuplot-nox), name it in GRIDCAST_GNUPLOT, or write "
                   "the numbers with -o F.csv");
  }
}

}  // namespace

bool is_picture(std::string_view ending) {
  return ending == "svg" || ending == "png" || ending == "pdf";
}

void draw_plot(std::ostream& out, const Plot& plot, std::string_view ending,
               const PlotStyle& style) {
  const char* named = std::getenv("GRIDCAST_GNUPLOT");  // NOLINT(concurrency-mt-unsafe)
  const std::string program = named != nullptr && *named != '\0' ? named : "gnuplot";
  const CommandOutput drawn = run_gnuplot(program, script(plot, ending, style));
  if (drawn.exit_code != 0 || drawn.out.empty()) {
    std::string said = drawn.error;
    said.erase(0, said.find_first_not_of(" \n"));
    throw RunError(program,
                   fmt::format("failed with exit code {}: {}", drawn.exit_code,
                               printable(said.substr(0, said.find_last_not_of(" \n") + 1), " ")),
                   "expected gnuplot 5.4 or later with the terminals svg, pngcairo and pdfcairo");
  }
  out << (ending == "svg" ? smaller_svg(drawn.out) : drawn.out);
}

void draw_bars(Plot& plot, std::string_view label, double scale, bool spread) {
  plot.bars = true;
  plot.commands = fmt::format(
      "set xlabel '{0}'\nset grid noytics\nset ytics scale 0\nset yrange [{1}:-0.5]\nset xrange "
      "[{2}:*]\nunset key\n"
      "plot $data using (0):0:(0):($2*{3}):($0-0.35):($0+0.35):ytic(1) with boxxyerror "
      "fs solid lc rgb '#3b6ea8'{4}\n",
      gnuplot_text(label), static_cast<double>(plot.rows.size()) - 0.5, spread ? "*<0" : "0", scale,
      spread
          ? fmt::format(", $data using ($2*{0}):0:($3*{0}):($4*{0}) with xerrorbars pt -1 lw 1.5 "
                        "lc rgb '#222222'",
                        scale)
          : std::string());
}

void draw_svg(std::ostream& out, const Plot& plot) {
  constexpr double frame = 2.5;
  constexpr double bar = 0.55;
  PlotStyle style;
  if (plot.bars) {
    style.height = std::max(4.0, frame + bar * static_cast<double>(plot.rows.size()));
  }
  draw_plot(out, plot, "svg", style);
}

void write_plot_csv(std::ostream& out, const Plot& plot) {
  const auto line = [&out](const auto& cells, const auto& text) {
    const char* separator = "";
    for (const auto& cell : cells) {
      out << separator << text(cell);
      separator = ",";
    }
    out << '\n';
  };
  line(plot.columns, [](const std::string& name) { return csv_cell(name); });
  for (const std::vector<PlotCell>& row : plot.rows) {
    line(row, [](const PlotCell& cell) {
      const double* number = std::get_if<double>(&cell);
      return number == nullptr        ? csv_cell(std::get<std::string>(cell))
             : std::isfinite(*number) ? exact(*number)
                                      : std::string();
    });
  }
}

std::string gnuplot_text(std::string_view text) {
  std::string plain = printable(text);
  for (char& character : plain) {
    // Quotes, substitution of commands and variables, escapes, and what ends a block of data.
    if (std::string_view("'\"`@$\\").find(character) != std::string_view::npos) {
      character = ' ';
    }
  }
  return plain;
}

}  // namespace gridcast::report
