#include "gridcast/report/search_html.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ostream>

#include "chart.h"
#include "good_enough.h"
#include "gridcast/base/comparable.h"
#include "gridcast/base/readable.h"
#include "gridcast/report/format.h"
#include "gridcast/report/page.h"
#include "heat_map.h"
#include "interval_html.h"

namespace gridcast::report {
namespace {

constexpr std::size_t shown_grids = 20;
constexpr std::size_t shown_failures = 200;
constexpr std::size_t shown_groups = 1000;

bool by_efficiency(const SearchReport& report) { return report.objective == "efficiency"; }

/// Which grids the search has looked at, as far as the page may speak of "the fastest grid".
enum class Scope : std::uint8_t { all, not_bad, some };

Scope scope_of(const SearchReport& report) {
  if (!report.complete) {
    return Scope::some;
  }
  return report.mode == 3                       ? Scope::all
         : report.mode == 2 || report.mode == 5 ? Scope::not_bad
                                                : Scope::some;
}

/// What the best grid of the page is: proven to be the best, or the best of those evaluated.
std::string best_title(const SearchReport& report) {
  const bool proven = report.complete && (report.mode == 3 || report.mode == 4);
  if (proven) {
    return "Best grid";
  }
  return scope_of(report) == Scope::not_bad ? "Best grid that leaves no processor empty"
         : report.complete                  ? "Best grid found"
                                            : "Best grid so far";
}

std::string counts_text(const SearchReport& report) {
  std::string text = grouped(report.evaluated) + " <small>";
  if (report.candidates >= 0) {
    text += fmt::format("of {} candidates", grouped(report.candidates));
    text += report.not_bad >= 0 ? fmt::format(", {} not bad; ", grouped(report.not_bad)) : "; ";
  }
  return text +
         fmt::format("mode {}{}</small>", report.mode, report.complete ? "" : "; not finished");
}

bool admissible(const SearchReport& report, const SearchPoint& point) {
  return !report.min_efficiency ||
         comparable(point.efficiency) >= comparable(*report.min_efficiency);
}

bool faster(const SearchPoint& a, const SearchPoint& b) {
  const double time_a = comparable(a.execution_time);
  const double time_b = comparable(b.execution_time);
  return time_a != time_b ? time_a < time_b : machine::compare(a.grid, b.grid) < 0;
}

bool more_efficient(const SearchPoint& a, const SearchPoint& b) {
  const double efficiency_a = comparable(a.efficiency);
  const double efficiency_b = comparable(b.efficiency);
  return efficiency_a != efficiency_b ? efficiency_a > efficiency_b
                                      : machine::compare(a.grid, b.grid) < 0;
}

/// Better by the objective; ties go to fewer processors, then the smaller grid (docs/model.md §7).
bool better(const SearchReport& report, const SearchPoint& a, const SearchPoint& b) {
  if (admissible(report, a) != admissible(report, b)) {
    return admissible(report, a);
  }
  if (by_efficiency(report)) {
    // The grid of one processor has efficiency 1 and never is what is looked for.
    const bool single_a = a.grid.processors() == 1;
    const bool single_b = b.grid.processors() == 1;
    if (single_a != single_b) {
      return single_b;
    }
    return more_efficient(a, b);
  }
  return faster(a, b);
}

std::vector<SearchPoint> best_grids(const SearchReport& report) {
  std::vector<SearchPoint> sorted = report.points;
  const std::size_t shown = std::min(sorted.size(), shown_grids);
  std::partial_sort(
      sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(shown), sorted.end(),
      [&report](const SearchPoint& a, const SearchPoint& b) { return better(report, a, b); });
  sorted.resize(shown);
  return sorted;
}

std::string point_label(const SearchPoint& point) {
  return fmt::format("{}: {}, efficiency {}", grid_title(point.grid),
                     seconds_text(point.execution_time), format_efficiency(point.efficiency));
}

std::string card_value(const SearchPoint& point) {
  return fmt::format("{} <small>{}, efficiency {}</small>", grid_title(point.grid),
                     seconds_text(point.execution_time), format_efficiency(point.efficiency));
}

std::string objective_text(const SearchReport& report) {
  std::string text = by_efficiency(report)              ? "highest efficiency"
                     : report.objective == "node-hours" ? "least cost of nodes"
                                                        : "least execution time";
  if (report.within) {
    text =
        fmt::format("fewest processors within {} % of the {}", exact(100.0 * *report.within), text);
  }
  if (report.min_efficiency) {
    text += fmt::format(" <small>with efficiency ≥ {}</small>", exact(*report.min_efficiency));
  }
  if (!report.conditions.empty()) {
    text += fmt::format(" <small>{}</small>", escape_html(report.conditions));
  }
  return text;
}

std::string key_figures(const SearchReport& report) {
  std::vector<std::pair<std::string, std::string>> figures;
  figures.emplace_back(best_title(report), report.best ? card_value(*report.best) : "none");
  if (report.unconstrained_best &&
      (!report.best || report.unconstrained_best->grid != report.best->grid)) {
    figures.emplace_back("Fastest, whatever its efficiency",
                         card_value(*report.unconstrained_best));
  }
  figures.emplace_back("Looked for", objective_text(report));
  figures.emplace_back("Evaluated grids", counts_text(report));
  if (!report.failures.empty()) {
    figures.emplace_back("Failed grids",
                         fmt::format("<a href=\"#failures\">{}</a>", report.failures.size()));
  }
  figures.emplace_back("Machine", escape_html(report.machine));
  return cards(figures);
}

std::string grid_row(std::size_t rank, const SearchReport& report, const SearchPoint& point,
                     double fastest) {
  const bool chosen = report.best && report.best->grid == point.grid;
  const double total = point.execution_time * static_cast<double>(point.grid.processors());
  return fmt::format(
      "<tr{}><th>{}</th><td>{}</td><td>{}</td>{}<td class=\"sh\">+{}</td><td title=\"{}\">{}</td>"
      "<td title=\"{} s\">{}</td><td title=\"{} s\">{}</td><td title=\"{} s\">{}</td></tr>\n",
      chosen ? " class=\"chosen\"" : "", rank, grid_title(point.grid),
      grouped(point.grid.processors()), time_cell(point.execution_time),
      format_share(point.execution_time - fastest, fastest), exact(point.efficiency),
      format_efficiency(point.efficiency), exact(point.insufficient_parallelism),
      format_share(point.insufficient_parallelism, total), exact(point.communication),
      format_share(point.communication, total), exact(point.idle), format_share(point.idle, total));
}

std::string best_table(const SearchReport& report) {
  const std::vector<SearchPoint> best = best_grids(report);
  const std::string title =
      fmt::format("The {}best {}{}", best.size() == 1 ? "" : fmt::format("{} ", best.size()),
                  best.size() == 1 ? "grid" : "grids",
                  scope_of(report) == Scope::some ? " of those evaluated" : "");
  std::string text = fmt::format(
      "<section class=\"box\" id=\"best-grids\"><h2>{}</h2>\n<p "
      "class=\"mute\">Losses "
      "are shares of the total time of all processors.{}</p>\n<div class=\"scroll\"><table><thead>"
      "<tr><th>#</th><th>Grid</th><th>Proces&shy;sors</th><th>Execution time</th><th>Slower by</th>"
      "<th>Efficiency</th><th>Insufficient parallelism</th><th>Communi&shy;cation</th><th>Idle</th>"
      "</tr></thead><tbody>\n",
      title, report.min_efficiency ? " Grids below the wanted efficiency come last." : "");
  double fastest = 0.0;
  for (const SearchPoint& point : best) {
    fastest = fastest == 0.0 ? point.execution_time : std::min(fastest, point.execution_time);
  }
  for (std::size_t index = 0; index < best.size(); ++index) {
    text += grid_row(index + 1, report, best[index], fastest);
  }
  return text + "</tbody></table></div></section>\n";
}

/// The fastest grid of each number of processors, or the most efficient one.
template <class Better>
std::vector<SearchPoint> best_per_processors(const std::vector<SearchPoint>& points,
                                             const Better& is_better) {
  std::map<std::int64_t, const SearchPoint*> best;
  for (const SearchPoint& point : points) {
    const SearchPoint*& slot = best[point.grid.processors()];
    if (slot == nullptr || is_better(point, *slot)) {
      slot = &point;
    }
  }
  std::vector<SearchPoint> result;
  result.reserve(best.size());
  for (const auto& [processors, point] : best) {
    result.push_back(*point);
  }
  return result;
}

ChartPoint chart_point(const SearchPoint& point, double value) {
  return {point.grid.processors(), value, point_label(point)};
}

std::string charts(const SearchReport& report) {
  Chart time;
  time.description = "Execution time of the fastest grid against the number of processors";
  time.logarithmic = true;
  time.falling = true;
  time.ideal = true;
  Chart efficiency;
  efficiency.description = "Efficiency of the most efficient grid against the number of processors";
  for (const SearchPoint& point : best_per_processors(report.points, faster)) {
    time.points.push_back(chart_point(point, point.execution_time));
  }
  for (const SearchPoint& point : best_per_processors(report.points, more_efficient)) {
    efficiency.points.push_back(chart_point(point, point.efficiency));
  }
  std::string ring;
  if (report.best) {
    const std::int64_t processors = report.best->grid.processors();
    time.marked = ChartPoint{processors, report.best->execution_time, {}};
    efficiency.marked = ChartPoint{processors, report.best->efficiency, {}};
    ring = fmt::format("Ring: the best grid, {}.", point_label(*report.best));
  }
  const Scope scope = scope_of(report);
  const char* which = scope == Scope::some ? "evaluated grid" : "grid";
  const std::string of =
      scope == Scope::all ? ""
      : scope == Scope::not_bad
          ? ", of those that leave no processor empty"
          : fmt::format(", where one was evaluated ({} in all)",
                        counted(static_cast<std::int64_t>(report.points.size()), "grid"));
  return fmt::format(
      "<div class=\"charts\"><figure class=\"box\"><figcaption>Execution time of the fastest {0} "
      "for each number of processors{1}</figcaption>{2}<p class=\"mute\">Line: best {0} with at "
      "most so many processors. Dashed: perfect speed-up. {3}</p></figure>\n<figure "
      "class=\"box\"><figcaption>Efficiency of the most efficient {0} for each number of "
      "processors{1}</figcaption>{4}<p class=\"mute\">{3}</p></figure></div>\n",
      which, of, chart_svg(time), ring, chart_svg(efficiency));
}

std::string failures_section(const SearchReport& report) {
  if (report.failures.empty()) {
    return {};
  }
  std::vector<SearchFailure> failures = report.failures;
  std::sort(failures.begin(), failures.end(), [](const SearchFailure& a, const SearchFailure& b) {
    const auto order = machine::compare(a.grid, b.grid);
    return order != 0 ? order < 0 : a.reason < b.reason;
  });
  std::string text = fmt::format(
      "<section class=\"box warn\" id=\"failures\"><h2>{} {} failed</h2>\n<div class=\"scroll\">"
      "<table><thead><tr><th>Grid</th><th class=\"l\">Reason</th></tr></thead><tbody>\n",
      failures.size(), failures.size() == 1 ? "grid" : "grids");
  const std::size_t shown = std::min(failures.size(), shown_failures);
  for (std::size_t index = 0; index < shown; ++index) {
    text += fmt::format("<tr><th>{}</th><td class=\"l\">{}</td></tr>\n",
                        grid_title(failures[index].grid), escape_html(failures[index].reason));
  }
  text += "</tbody></table></div>";
  if (shown < failures.size()) {
    text += fmt::format("<p>and {} more; the store has all.</p>", failures.size() - shown);
  }
  return text + "</section>\n";
}

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

std::string group_row(const SearchGroup& group) {
  const std::string counts =
      fmt::format("<td>{}</td><td>{}</td>", grouped(group.evaluated), grouped(group.failed));
  if (!group.best) {
    return fmt::format("<tr><td class=\"l\">{}</td>{}<td>none</td><td></td><td></td></tr>\n",
                       escape_html(group.label), counts);
  }
  return fmt::format("<tr><td class=\"l\">{}</td>{}<td>{}</td>{}<td title=\"{}\">{}</td></tr>\n",
                     escape_html(group.label), counts, grid_title(group.best->grid),
                     time_cell(group.best->execution_time), exact(group.best->efficiency),
                     format_efficiency(group.best->efficiency));
}

/// Programs and machines differ from row to row, so each has its own best grid and none is ranked.
std::string groups_table(const SearchReport& report) {
  std::string text = fmt::format(
      "<section class=\"box\" id=\"variants\"><h2>The {} evaluated grid of each variant</h2>\n"
      "<div class=\"scroll\"><table><thead><tr><th class=\"l\">Variant</th><th>Evaluated</th>"
      "<th>Failed</th><th>Grid</th><th>Execution "
      "time</th><th>Efficiency</th></tr></thead><tbody>\n",
      by_efficiency(report) ? "most efficient" : "fastest");
  const std::size_t shown = std::min(report.groups.size(), shown_groups);
  for (std::size_t index = 0; index < shown; ++index) {
    text += group_row(report.groups[index]);
  }
  text += "</tbody></table></div>";
  if (shown < report.groups.size()) {
    text += fmt::format("<p>and {} more; the store has all.</p>", report.groups.size() - shown);
  }
  return text + "</section>\n";
}

void write_groups_html(std::ostream& out, const SearchReport& report) {
  const std::string traces = fmt::format("{}", fmt::join(report.traces, ", "));
  const std::string text =
      page_begin("Predictions: " + traces, false) +
      fmt::format("<h1>Predictions of several variants</h1>\n<p class=\"sub\">{}</p>\n",
                  escape_html(traces)) +
      group_figures(report) + groups_table(report) + failures_section(report) + page_end();
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
}

}  // namespace

void write_search_html(std::ostream& out, const SearchReport& report) {
  if (!report.groups.empty()) {
    write_groups_html(out, report);
    return;
  }
  const bool many =
      report.best_prediction && report.best_prediction->intervals.size() > many_intervals;
  const std::string traces = fmt::format("{}", fmt::join(report.traces, ", "));
  std::string text = page_begin("Search: " + traces, many);
  text += fmt::format("<h1>Search for the best processor grid</h1>\n<p class=\"sub\">{}</p>\n",
                      escape_html(traces));
  text += key_figures(report) + good_enough_table(report.points) + charts(report) +
          heat_map_figure(report) + best_table(report) + failures_section(report);
  if (report.best_prediction) {
    text += fmt::format("<h1>Prediction for the grid {}</h1>\n",
                        grid_title(report.best_prediction->grid));
    text += warnings_box(report.best_prediction->warnings);
  }
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  if (report.best_prediction) {
    write_intervals(out, *report.best_prediction);
  }
  const std::string end = page_end();
  out.write(end.data(), static_cast<std::streamsize>(end.size()));
}

}  // namespace gridcast::report
