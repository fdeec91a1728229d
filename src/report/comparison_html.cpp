#include "gridcast/report/comparison_html.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "difference_html.h"
#include "embedded.h"
#include "gridcast/base/readable.h"
#include "gridcast/predict/prediction.h"
#include "gridcast/report/format.h"
#include "gridcast/report/page.h"
#include "gridcast/report/scatter.h"

namespace gridcast::report {
namespace {

constexpr std::size_t most_rows = 2000;

/// What the two sides are called: a second store is nothing that was measured.
struct Sides {
  const char* title = "Predicted and measured times";
  const char* first = "predicted";
  const char* second = "measured";
  const char* first_column = "Predicted";
  const char* second_column = "Measured";
  const char* plot = "Predicted over measured times";
  const char* line = "Dashed: a perfect prediction.";
};
constexpr Sides two_stores{"Times of two stores", "A", "B", "A", "B", "Times of A over those of B",
                           "Dashed: equal times."};

std::string per_cent(double part) { return fmt::format("{:.1f} %", 100.0 * part); }

std::string comparison_cards(const calibrate::Comparison& comparison) {
  const calibrate::Errors& errors = comparison.errors;
  return cards({{"Grids", grouped(static_cast<std::int64_t>(errors.count))},
                {"Mean error", per_cent(errors.mean)},
                {"Median error", per_cent(errors.median)},
                {"Worst error", per_cent(errors.worst)},
                {"Bias", fmt::format("{:+.1f} %", 100.0 * errors.bias)}});
}

/// What was assumed of each of the predicted programs.
std::string assumed_notes(const calibrate::Comparison& comparison) {
  std::string text;
  for (std::size_t i = 0; i < comparison.assumed.size(); ++i) {
    if (const std::string assumed = model::assumed_text(comparison.assumed[i]); !assumed.empty()) {
      text += fmt::format("<p class=\"sub\">Assumed of {}: {}</p>\n",
                          escape_html(comparison.programs.at(i)), escape_html(assumed));
    }
  }
  return text;
}

std::string comparison_plot(const calibrate::Comparison& comparison, const Sides& sides) {
  Scatter scatter;
  scatter.description = fmt::format("{} of all grids", sides.plot);
  scatter.x_title = sides.second;
  scatter.y_title = sides.first;
  scatter.x_text = scatter.y_text = seconds_text;
  scatter.diagonal = true;
  scatter.same_range = true;
  for (const calibrate::Compared& row : comparison.rows) {
    scatter.points.push_back({row.measured, row.predicted,
                              fmt::format("{} {}: {} {}, {} {}", row.program, row.grid.text(),
                                          seconds_text(row.predicted), sides.first,
                                          seconds_text(row.measured), sides.second)});
  }
  return fmt::format(
      "<div class=\"charts\"><figure class=\"box\"><figcaption>{}</figcaption>{}<p "
      "class=\"mute\">{}</p></figure></div>\n",
      sides.plot, scatter_svg(scatter), sides.line);
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
        "<tr>{}<td class=\"g\">{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>"
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

std::string compared_table(const calibrate::Comparison& comparison, const Sides& sides) {
  std::string text =
      std::string(
          "<section class=\"box\" id=\"grids\"><h2>All grids</h2>\n<div class=\"scroll\" "
          "tabindex=\"0\"><table class=\"sortable\"><thead><tr>") +
      program_cell(comparison, "<th class=\"l\">Program</th>") +
      fmt::format("<th>Grid</th><th>{}</th><th>{}</th><th>Error</th></tr></thead><tbody>\n",
                  sides.first_column, sides.second_column);
  const std::size_t shown = std::min(comparison.rows.size(), most_rows);
  for (std::size_t i = 0; i < shown; ++i) {
    const calibrate::Compared& row = comparison.rows[i];
    text += fmt::format(
        "<tr>{}<td class=\"g\">{}</td>{}{}<td>{:+.1f} %</td></tr>\n",
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
  const Sides sides = figures.empty() ? Sides() : two_stores;
  const std::string text =
      page_begin("Comparison: " + predicted, false) +
      fmt::format("<h1>{}</h1>\n<p class=\"sub\">{} against {}</p>\n", sides.title,
                  figures.empty() ? escape_html(predicted) : "A: " + escape_html(predicted),
                  figures.empty() ? escape_html(measured) : "B: " + escape_html(measured)) +
      assumed_notes(comparison) + comparison_cards(comparison) +
      comparison_plot(comparison, sides) +
      (figures.empty() ? std::string()
                       : figures_section(figures,
                                         "<p class=\"mute\">Means over the grids that both have, "
                                         "A the first; those that differ.</p>\n")) +
      ranking_table(comparison) + compared_table(comparison, sides) +
      fmt::format("<script>{}{}</script>\n", embedded::csv_script, embedded::tables_script) +
      page_end();
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
}

}  // namespace gridcast::report
