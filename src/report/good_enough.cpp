#include "good_enough.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "gridcast/base/readable.h"
#include "gridcast/report/format.h"
#include "gridcast/report/page.h"

namespace gridcast::report {
namespace {

std::int64_t number_of(const search::FrontEntry& line) {
  return line.by_nodes ? line.nodes : line.outcome.grid.cores();
}

/// Lines of the front, one after the other, that say the same: the first, and the last share.
struct FrontRow {
  const search::FrontEntry* line;
  double last = 0.0;
};

std::vector<FrontRow> rows_of(const SearchReport& report, bool by_nodes) {
  const auto said = [](const search::FrontEntry& line) {
    return std::tuple(number_of(line), line.outcome.execution_time, line.proven, line.at_least);
  };
  std::vector<FrontRow> rows;
  for (const search::FrontEntry& line : report.front) {
    if (line.by_nodes != by_nodes) {
      continue;
    }
    if (rows.empty() || rows.back().line->outcome.grid != line.outcome.grid ||
        said(*rows.back().line) != said(line)) {
      rows.push_back({&line});
    }
    rows.back().last = line.within;
  }
  return rows;
}

std::string share_name(const FrontRow& row) {
  const double first = 100.0 * row.line->within;
  const double last = 100.0 * row.last;
  return first < last   ? fmt::format("{:g} to {:g} %", first, last)
         : first == 0.0 ? "the fastest"
                        : fmt::format("{:g} %", first);
}

/// The number of a line with what is certain of it.
std::string front_number(const search::FrontEntry& line, const SearchReport& report) {
  const std::string number = grouped(number_of(line));
  const bool heuristic = report.complete && report.mode == 1;
  return line.proven ? number
         : heuristic ? number + "<small>, unproven</small>"
                     : fmt::format("<small>at most</small> {}<small>, at least {}</small>", number,
                                   grouped(line.at_least));
}

std::string front_table(const SearchReport& report, bool by_nodes) {
  std::string text = fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Fewest {0}\"><table>"
      "<thead><tr><th>At most slower by</th><th>{1}</th><th>Grid</th>{2}<th>Execution time</th>"
      "</tr></thead><tbody>\n",
      by_nodes ? "nodes" : "processors", by_nodes ? "Nodes" : "Proces&shy;sors",
      by_nodes ? "<th>Proces&shy;sors</th>" : "");
  for (const FrontRow& row : rows_of(report, by_nodes)) {
    const search::FrontEntry& line = *row.line;
    text +=
        fmt::format("<tr><th>{}</th><td>{}</td><td>{}</td>{}{}</tr>\n", share_name(row),
                    front_number(line, report), grid_title(line.outcome.grid),
                    by_nodes ? fmt::format("<td>{}</td>", grouped(line.outcome.grid.cores())) : "",
                    time_cell(line.outcome.execution_time));
  }
  return text + "</tbody></table></div>\n";
}

/// True if some node holds several processors: then nodes are what one asks for.
bool asks_for_nodes(const SearchReport& report) {
  return std::ranges::any_of(report.front, [](const search::FrontEntry& line) {
    return line.by_nodes && line.nodes != line.outcome.grid.cores();
  });
}

}  // namespace

std::string good_enough_section(const SearchReport& report) {
  const bool by_nodes = asks_for_nodes(report);
  const std::string_view what = by_nodes ? "nodes" : "processors";
  const bool all_proven =
      std::ranges::all_of(report.front, [](const search::FrontEntry& line) { return line.proven; });
  const bool not_bad = report.mode == 2 || report.mode == 5;
  std::string text = fmt::format(
      "<section class=\"box\" id=\"good-enough\"><h2>How few {0} are good enough</h2>\n<p "
      "class=\"mute\">The fewest {0} on which the program takes at most a share longer than on the "
      "fastest grid{1}.{2}</p>\n<div class=\"two\">{3}",
      what, not_bad ? " that leaves no processor empty" : "",
      all_proven ? " No candidate has fewer." : "", front_table(report, by_nodes));
  if (rows_of(report, by_nodes).size() > 1) {
    text += fmt::format(
        "<svg id=\"front-chart\" data-by=\"{0}\" role=\"img\" aria-label=\"Execution time against "
        "{0}\"></svg>",
        what);
  }
  text += "</div>\n";
  if (by_nodes) {
    text += "<details class=\"fold\"><summary>The fewest processors</summary>\n" +
            front_table(report, false) + "</details>\n";
  }
  return text + "</section>\n";
}

std::string grid_numbers(const machine::Grid& grid, bool threads) {
  return fmt::format("[{}{}]", fmt::join(grid.extents(), ","),
                     threads ? fmt::format(",{}", grid.threads()) : "");
}

bool every_candidate_evaluated(const SearchReport& report) noexcept {
  return report.complete && (report.mode == 2 || report.mode == 3 || report.mode == 5);
}

std::string front_members(const SearchReport& report) {
  std::vector<std::string> lines;
  for (const search::FrontEntry& line : report.front) {
    lines.push_back(fmt::format(R"({{"within":{},"grid":{},"by":"{}","number":{},"time":{}}})",
                                exact(line.within), grid_numbers(line.outcome.grid, report.threads),
                                line.by_nodes ? "nodes" : "processors", number_of(line),
                                exact(line.outcome.execution_time)));
  }
  return fmt::format(R"("front":[{}],"staircase":{})", fmt::join(lines, ","),
                     every_candidate_evaluated(report));
}

}  // namespace gridcast::report
