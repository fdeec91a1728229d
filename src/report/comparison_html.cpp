#include "gridcast/report/comparison_html.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "difference_html.h"
#include "embedded.h"
#include "gridcast/base/readable.h"
#include "gridcast/report/format.h"
#include "gridcast/report/page.h"
#include "gridcast/report/scatter.h"

namespace gridcast::report {
namespace {

constexpr std::size_t most_rows = 2000;

std::string per_cent(double part) { return fmt::format("{:.1f} %", 100.0 * part); }

std::string comparison_cards(const calibrate::Comparison& comparison) {
  const calibrate::Errors& errors = comparison.errors;
  return cards({{"Grids", grouped(static_cast<std::int64_t>(errors.count))},
                {"Mean error", per_cent(errors.mean)},
                {"Median error", per_cent(errors.median)},
                {"Worst error", per_cent(errors.worst)},
                {"Bias", fmt::format("{:+.1f} %", 100.0 * errors.bias)}});
}

std::string comparison_plot(const calibrate::Comparison& comparison) {
  Scatter scatter;
  scatter.description = "Predicted over measured times of all grids";
  scatter.x_title = "measured, seconds";
  scatter.y_title = "predicted, seconds";
  scatter.diagonal = true;
  scatter.same_range = true;
  for (const calibrate::Compared& row : comparison.rows) {
    scatter.points.push_back(
        {row.measured, row.predicted,
         fmt::format("{} {}: {} predicted, {} measured", row.program, row.grid.text(),
                     seconds_text(row.predicted), seconds_text(row.measured))});
  }
  return fmt::format(
      "<div class=\"charts\"><figure class=\"box\"><figcaption>Predicted over measured times"
      "</figcaption>{}<p class=\"mute\">Dashed: a perfect prediction.</p></figure></div>\n",
      scatter_svg(scatter));
}

/// The grid or, of variants, name and grid.
std::string subject_cell(const calibrate::Comparison& comparison, const std::string& name) {
  return comparison.subject == calibrate::Subject::grids ? grid_title(machine::Grid::parse(name))
                                                         : escape_html(name);
}

/// A cell of the column of programs, which is there if one of them has a name.
std::string program_cell(const calibrate::Comparison& comparison, const std::string& cell) {
  const bool shown = std::ranges::any_of(
      comparison.rows, [](const calibrate::Compared& row) { return !row.program.empty(); });
  return shown ? cell : std::string();
}

std::string ranking_table(const calibrate::Comparison& comparison) {
  const char* subject = comparison.subject == calibrate::Subject::variants ? "variants" : "grids";
  std::string text =
      fmt::format("<section class=\"box\" id=\"ranking\"><h2>Ranking of the {}</h2>\n", subject) +
      fmt::format(
          "<div class=\"scroll\" tabindex=\"0\"><table class=\"sortable\"><thead><tr>{}"
          "<th>Processors</th><th>{}</th><th>Mean error</th><th>Median</th><th>Worst</th>"
          "<th>Kendall's τ</th><th>Regret</th><th>Order error</th><th>Chosen</th>"
          "<th>Fastest</th></tr></thead><tbody>\n",
          program_cell(comparison, "<th class=\"l\">Program</th>"),
          comparison.subject == calibrate::Subject::variants ? "Variants" : "Grids");
  for (const calibrate::ComparedGroup& group : comparison.groups) {
    text += fmt::format(
        "<tr>{}<td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>"
        "<td>{}</td><td>{:.2f} %</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
        program_cell(comparison, "<td class=\"l\">" + escape_html(group.program) + "</td>"),
        group.processors == 0 ? std::string("all") : grouped(group.processors), group.errors.count,
        per_cent(group.errors.mean), per_cent(group.errors.median), per_cent(group.errors.worst),
        group.tau ? fmt::format("{:.3f}", *group.tau) : "–", 100.0 * group.regret,
        group.order_error > 0.0 ? per_cent(group.order_error) : "0",
        subject_cell(comparison, group.chosen), subject_cell(comparison, group.fastest));
  }
  return text + "</tbody></table></div></section>\n";
}

std::string compared_table(const calibrate::Comparison& comparison) {
  std::string text =
      std::string(
          "<section class=\"box\" id=\"grids\"><h2>All grids</h2>\n<div class=\"scroll\" "
          "tabindex=\"0\"><table class=\"sortable\"><thead><tr>") +
      program_cell(comparison, "<th class=\"l\">Program</th>") +
      "<th>Grid</th><th>Predicted</th><th>Measured</th><th>Error</th></tr></thead><tbody>\n";
  const std::size_t shown = std::min(comparison.rows.size(), most_rows);
  for (std::size_t i = 0; i < shown; ++i) {
    const calibrate::Compared& row = comparison.rows[i];
    text += fmt::format(
        "<tr>{}<td>{}</td>{}{}<td>{:+.1f} %</td></tr>\n",
        program_cell(comparison, "<td class=\"l\">" + escape_html(row.program) + "</td>"),
        grid_title(row.grid), time_cell(row.predicted), time_cell(row.measured),
        100.0 * row.error());
  }
  text += "</tbody></table></div>";
  if (shown < comparison.rows.size()) {
    text += fmt::format("<p>and {} more.</p>", comparison.rows.size() - shown);
  }
  return text + "</section>\n";
}

}  // namespace

void write_comparison_html(std::ostream& out, const calibrate::Comparison& comparison,
                           const std::string& predicted, const std::string& measured,
                           std::span<const FigureDifference> figures) {
  const std::string text =
      page_begin("Comparison: " + predicted, false) +
      fmt::format("<h1>Predicted and measured times</h1>\n<p class=\"sub\">{} against {}</p>\n",
                  escape_html(predicted), escape_html(measured)) +
      comparison_cards(comparison) + comparison_plot(comparison) +
      (figures.empty() ? std::string()
                       : figures_section(figures,
                                         "<p class=\"mute\">Means over the grids that both have, "
                                         "A the first; those that differ.</p>\n")) +
      ranking_table(comparison) + compared_table(comparison) +
      fmt::format("<script>{}</script>\n", embedded::tables_script) + page_end();
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
}

}  // namespace gridcast::report
