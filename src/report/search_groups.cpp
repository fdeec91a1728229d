#include <fmt/format.h>

#include <algorithm>

#include "embedded.h"
#include "gridcast/base/readable.h"
#include "gridcast/report/format.h"
#include "gridcast/report/page.h"
#include "gridcast/report/text_table.h"
#include "search_sections.h"

namespace gridcast::report {
namespace {

constexpr std::size_t shown_groups = 1000;

std::string group_figures(const SearchReport& report) {
  const std::string failed =
      report.failures.empty() ? "none"
                              : fmt::format("<a href=\"#failures\">{}</a>", report.failures.size());
  return cards({{"Variants", grouped(static_cast<std::int64_t>(report.groups.size()))},
                {"Predictions", grouped(report.evaluated) +
                                    (report.complete ? "" : " <small>not finished</small>")},
                {"Failed", failed},
                {"Machine", report.machine.empty() ? "several" : escape_html(report.machine)}});
}

/// Which factors are not the same in all groups.
std::vector<std::size_t> varying_factors(const SearchReport& report) {
  std::vector<std::size_t> varying;
  for (std::size_t i = 0; i < report.factors.size(); ++i) {
    if (std::ranges::any_of(report.groups, [&](const SearchGroup& group) {
          return group.factors[i] != report.groups.front().factors[i];
        })) {
      varying.push_back(i);
    }
  }
  return varying;
}

std::string group_row(const SearchGroup& group, const std::vector<std::size_t>& factors) {
  std::string text =
      fmt::format("<tr><td class=\"l\">{}</td><td>{}</td><td>{}</td>", escape_html(group.label),
                  grouped(group.evaluated), grouped(group.failed));
  text += group.best
              ? fmt::format("<td>{}</td>{}<td title=\"{}\">{}</td>", grid_title(group.best->grid),
                            time_cell(group.best->execution_time), exact(group.best->efficiency),
                            format_efficiency(group.best->efficiency))
              : "<td>none</td><td></td><td></td>";
  for (const std::size_t factor : factors) {
    const std::string figure = exact(group.factors[factor]);
    const std::string shown = short_number(group.factors[factor]);
    text += shown == figure ? fmt::format("<td>{}</td>", shown)
                            : fmt::format("<td title=\"{}\">{}</td>", figure, shown);
  }
  return text + "</tr>\n";
}

/// Programs and machines differ from row to row, so each has its own best grid and none is ranked.
std::string groups_table(const SearchReport& report) {
  const std::vector<std::size_t> factors = varying_factors(report);
  std::string text = fmt::format(
      "<section class=\"box\" id=\"variants\"><h2>The {} evaluated grid of each variant</h2>\n"
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Variants\"><table "
      "class=\"sortable\"><thead><tr><th class=\"l\">Variant</th><th>Evaluated</th>"
      "<th>Failed</th><th>Grid</th><th>Execution time</th><th>Efficiency</th>",
      report.objective == "efficiency" ? "most efficient" : "fastest");
  for (const std::size_t factor : factors) {
    text += fmt::format("<th>{}</th>", escape_html(report.factors[factor]));
  }
  text += "</tr></thead><tbody>\n";
  const std::size_t shown = std::min(report.groups.size(), shown_groups);
  for (std::size_t index = 0; index < shown; ++index) {
    text += group_row(report.groups[index], factors);
  }
  text += "</tbody></table></div>";
  if (shown < report.groups.size()) {
    text += fmt::format("<p>and {} more; the store has all.</p>", report.groups.size() - shown);
  }
  return text + "</section>\n";
}

}  // namespace

std::string groups_body(const SearchReport& report) {
  return fmt::format("<h1>Predictions of several variants</h1>\n<p class=\"sub\">{}</p>\n",
                     escape_html(fmt::format("{}", fmt::join(report.traces, ", ")))) +
         assumed_note(report) + group_figures(report) +
         (report.complete
              ? std::string()
              : "<p class=\"box warn\" role=\"note\">" + proof_sentence(report) + "</p>\n") +
         runs_section(report) + groups_table(report) + failures_section(report) +
         fmt::format("<script>{}{}</script>\n", embedded::csv_script, embedded::tables_script) +
         runs_scripts(report);
}

}  // namespace gridcast::report
