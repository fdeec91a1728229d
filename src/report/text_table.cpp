#include "gridcast/report/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gridcast/base/readable.h"
#include "gridcast/predict/assumed.h"
#include "gridcast/report/format.h"

namespace gridcast::report {
namespace {

/// What is longer is no figure but a text.
constexpr std::size_t longest_figure = 30;

std::string bar_html(const CellBar& bar) {
  const auto width = [](double share) { return 100.0 * std::clamp(share, 0.0, 1.0); };
  std::string text =
      fmt::format("<span class=\"eb\"><i style=\"width:{:.1f}%\"></i>", width(bar.end));
  if (bar.spread) {
    const double low = width(bar.spread->first);
    text += fmt::format("<u style=\"left:{:.1f}%;width:{:.1f}%\"></u>", low,
                        width(bar.spread->second) - low);
  }
  return text + "</span>";
}

}  // namespace

std::string text_table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const std::vector<std::string>& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], columns_of(row[i]));
    }
  }
  std::string text;
  for (const std::vector<std::string>& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string fill(widths[i] - columns_of(row[i]), ' ');
      const std::string gap = i == 0 ? "" : "  ";
      line += gap + (i == 0 || widths[i] > longest_figure ? row[i] + fill : fill + row[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += "  " + line + "\n";
  }
  return wrapped(text);
}

std::string html_table(std::string_view title, const std::vector<std::vector<std::string>>& rows,
                       const CellBars& bars) {
  const std::string name = escape_html(title);
  std::string text = fmt::format(
      "<section class=\"box\"><h2>{0}</h2>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"{0}\"><table>\n",
      name);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    text += r == 0 ? "<thead><tr>" : "<tr>";
    for (std::size_t i = 0; i < rows[r].size(); ++i) {
      const std::string cell = escape_html(rows[r][i]);
      if (r == 0 || i == 0) {
        text += fmt::format("<th scope=\"{}\">{}</th>", r == 0 ? "col" : "row", cell);
        continue;
      }
      const std::optional<CellBar> bar = bars ? bars(r - 1, i) : std::nullopt;
      text +=
          bar ? fmt::format("<td class=\"pair\">{}{}</td>", cell, bar_html(*bar))
              : fmt::format("<td{}>{}</td>",
                            columns_of(rows[r][i]) > longest_figure ? " class=\"l\"" : "", cell);
    }
    text += r == 0 ? "</tr></thead>\n<tbody>\n" : "</tr>\n";
  }
  return text + "</tbody></table></div></section>\n";
}

std::string assumed_html(const std::vector<NamedWords>& assumed,
                         const std::vector<std::string>& programs) {
  std::string html;
  for (const std::string& text : model::assumed_texts(assumed, programs)) {
    html += "<p class=\"sub\">Assumed: " + escape_html(text) + "</p>\n";
  }
  return html;
}

std::string Unit::text(double value) const {
  constexpr double least = 0.0005;
  const double number = value * per;
  return number > 0.0 && number < least ? "<0.001" : fmt::format("{:.3f}", number);
}

namespace {

/// The largest of some units that is at most `largest`, else the smallest.
Unit unit_of(double largest, std::initializer_list<Unit> falling) {
  const auto* const found = std::ranges::find_if(
      falling, [largest](const Unit& unit) { return largest * unit.per >= 1.0; });
  return found == falling.end() ? *(found - 1) : *found;
}

}  // namespace

Unit seconds_unit(double largest) {
  return unit_of(largest, {{"s", 1.0}, {"ms", 1e3}, {"µs", 1e6}, {"ns", 1e9}});
}

Unit bytes_unit(double largest) {
  return unit_of(largest, {{"TB", 1e-12}, {"GB", 1e-9}, {"MB", 1e-6}, {"kB", 1e-3}, {"B", 1.0}});
}

std::string short_number(double value, int digits) {
  constexpr double longest = 1e15;
  const double size = std::abs(value);
  return size >= std::pow(10.0, digits) && size < longest ? grouped(std::llround(value))
                                                          : fmt::format("{:.{}g}", value, digits);
}

std::string per_cent(double share) { return fmt::format("{:.1f} %", 100.0 * share); }

}  // namespace gridcast::report
