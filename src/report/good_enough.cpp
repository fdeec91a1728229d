#include "good_enough.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "gridcast/base/readable.h"
#include "gridcast/report/format.h"
#include "gridcast/report/page.h"

namespace gridcast::report {
namespace {

/// The number of the line with what is certain of it.
std::string front_number(const FrontLine& line, const SearchReport& report) {
  const std::int64_t number = line.by_nodes ? line.nodes : line.grid.cores();
  const bool heuristic = report.complete && report.mode == 1;
  if (line.proven) {
    return grouped(number);
  }
  return heuristic ? fmt::format("{}<small>, unproven</small>", grouped(number))
                   : fmt::format(
                         "<small>at most</small> {}<small>, proof stopped: at least "
                         "{}</small>",
                         grouped(number), grouped(line.at_least));
}

std::string front_cells(const FrontLine& line, const SearchReport& report) {
  return fmt::format("<td>{}</td><td>{}</td>{}", front_number(line, report),
                     line.by_nodes ? fmt::format("{} <small>on {}</small>", grid_title(line.grid),
                                                 counted(line.grid.cores(), "processor"))
                                   : grid_title(line.grid),
                     time_cell(line.execution_time));
}

std::string share_name(double within) { return fmt::format("{:g} %", 100.0 * within); }

}  // namespace

std::string good_enough_table(const SearchReport& report) {
  if (report.front.empty()) {
    return {};
  }
  const bool all_proven =
      std::ranges::all_of(report.front, [](const FrontLine& line) { return line.proven; });
  const bool not_bad = report.mode == 2 || report.mode == 5;
  std::string text = fmt::format(
      "<section class=\"box\" id=\"good-enough\"><h2>How few processors are good enough</h2>\n"
      "<p class=\"mute\">The fewest processors, and the fewest nodes, on which the program "
      "takes at most a share longer than on the fastest grid{}.{}</p>\n<div class=\"scroll\" "
      "tabindex=\"0\"><table><thead><tr><th>At most</th><th>Proces&shy;sors</th><th>Grid</th>"
      "<th>Execution time</th><th>Nodes</th><th>Fastest grid on them</th><th>Execution "
      "time</th></tr></thead><tbody>\n",
      not_bad ? " that leaves no processor empty" : "",
      all_proven ? " No candidate has fewer." : "");
  for (const FrontLine& line : report.front) {
    text += line.by_nodes ? front_cells(line, report) + "</tr>\n"
                          : fmt::format("<tr><th>{}</th>{}",
                                        line.within == 0.0 ? "the fastest"
                                                           : share_name(line.within) + " slower",
                                        front_cells(line, report));
  }
  return text + "</tbody></table></div></section>\n";
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
  for (const FrontLine& line : report.front) {
    if (!line.by_nodes) {
      lines.push_back(fmt::format(R"({{"within":{},"grid":{}}})", exact(line.within),
                                  grid_numbers(line.grid, report.threads)));
    }
  }
  return fmt::format(R"("front":[{}],"staircase":{})", fmt::join(lines, ","),
                     every_candidate_evaluated(report));
}

}  // namespace gridcast::report
