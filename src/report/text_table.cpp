#include "gridcast/report/text_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "gridcast/base/readable.h"
#include "gridcast/predict/assumed.h"
#include "gridcast/report/format.h"

namespace gridcast::report {
namespace {

/// What is longer is no figure but a text.
constexpr std::size_t longest_figure = 30;

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

std::string html_table(const std::vector<std::vector<std::string>>& rows) {
  std::string text = "<div class=\"scroll\" tabindex=\"0\"><table>\n";
  for (std::size_t r = 0; r < rows.size(); ++r) {
    text += r == 0 ? "<thead><tr>" : "<tr>";
    for (std::size_t i = 0; i < rows[r].size(); ++i) {
      const bool head = r == 0 || i == 0;
      const std::string cell = escape_html(rows[r][i]);
      text += head ? fmt::format("<th scope=\"{}\">{}</th>", r == 0 ? "col" : "row", cell)
                   : fmt::format("<td>{}</td>", cell);
    }
    text += r == 0 ? "</tr></thead>\n<tbody>\n" : "</tr>\n";
  }
  return text + "</tbody></table></div>\n";
}

std::string assumed_html(const std::vector<NamedWords>& assumed,
                         const std::vector<std::string>& programs) {
  std::string html;
  for (const std::string& text : model::assumed_texts(assumed, programs)) {
    html += "<p class=\"sub\">Assumed: " + escape_html(text) + "</p>\n";
  }
  return html;
}

std::string short_number(double value, int digits) { return fmt::format("{:.{}g}", value, digits); }

std::string per_cent(double share) { return fmt::format("{:.1f} %", 100.0 * share); }

}  // namespace gridcast::report
