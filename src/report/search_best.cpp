#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "breakdown.h"
#include "gridcast/base/readable.h"
#include "gridcast/report/format.h"
#include "gridcast/report/page.h"
#include "search_sections.h"

namespace gridcast::report {
namespace {

constexpr std::size_t shown_grids = 20;

/// The first of the best grids: those that leave no processor empty, unless all do, or the chosen
/// one does.
std::vector<const DetailedPoint*> first_best(const SearchReport& report, std::size_t most) {
  std::vector<const DetailedPoint*> best;
  const bool chosen_full =
      !report.answer.best || report.answer.best->idle_processors.value_or(0) == 0;
  for (const bool folded : {chosen_full, false}) {
    for (const DetailedPoint& each : report.details) {
      if (best.size() < most && !(folded && each.leaves_empty)) {
        best.push_back(&each);
      }
    }
    if (!best.empty()) {
      break;
    }
  }
  return best;
}

double fastest_of(const SearchReport& report) {
  double fastest = 0.0;
  for (const SearchPoint& point : report.points) {
    fastest = fastest == 0.0 ? point.execution_time : std::min(fastest, point.execution_time);
  }
  return fastest;
}

std::string best_row(std::size_t rank, const SearchReport& report, const DetailedPoint& point,
                     double fastest) {
  const model::Characteristics& sums = point.sums;
  const bool chosen = report.answer.best && report.answer.best->grid == point.grid;
  const auto share_cell = [&sums](double seconds) {
    return fmt::format("<td title=\"{} s\">{}</td>", exact(seconds),
                       format_share(seconds, sums.total_time));
  };
  return fmt::format(
      "<tr{}><th scope=\"row\">{}</th><td>{}</td><td>{}</td>{}<td class=\"sh\">+{}</td>"
      "<td title=\"{}\">{}</td>{}{}{}</tr>\n",
      chosen ? " class=\"chosen\"" : "", rank, grid_title(point.grid), grouped(point.grid.cores()),
      time_cell(sums.execution_time), format_share(sums.execution_time - fastest, fastest),
      exact(sums.efficiency), format_efficiency(sums.efficiency),
      share_cell(sums.insufficient_parallelism), share_cell(sums.communication),
      share_cell(sums.idle));
}

std::string sort_head(std::string_view name, std::string_view text) {
  return fmt::format("<th scope=\"col\"><button type=\"button\" data-sort=\"{}\">{}</button></th>",
                     name, text);
}

/// What the parts take of the execution time: seconds of all processors over their number.
std::array<Part, part_count> parts_of(const DetailedPoint& point) {
  model::IntervalResult whole;
  whole.sums = point.sums;
  std::array<Part, part_count> parts = parts_of_total(whole);
  for (Part& part : parts) {
    part.seconds /= static_cast<double>(point.grid.processors());
  }
  return parts;
}

std::string cause_bar(const DetailedPoint& point, double longest) {
  constexpr double room_for_number = 0.05;
  std::string bar;
  const auto parts = parts_of(point);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].seconds > 0.0) {
      bar += fmt::format("<i class=\"c{}\" style=\"flex-grow:{:.4f}\" title=\"{}: {}\">{}</i>",
                         i + 1, 1000.0 * parts[i].seconds / point.sums.execution_time,
                         parts[i].name, seconds_text(parts[i].seconds),
                         parts[i].seconds > room_for_number * longest ? std::to_string(i + 1) : "");
    }
  }
  return fmt::format("<div class=\"stack thin\" style=\"width:{:.2f}%\">{}</div>",
                     100.0 * point.sums.execution_time / longest, bar);
}

/// Seconds with their sign; what lies behind the digits of `whole` is no difference.
std::string signed_time(double seconds, double whole) {
  return std::abs(seconds) < 1e-12 * whole
             ? "0"
             : (seconds < 0.0 ? "−" : "+") + seconds_text(std::abs(seconds));
}

std::string cause_row(const DetailedPoint& point, const DetailedPoint& best, double longest,
                      const std::vector<std::size_t>& causes) {
  const auto parts = parts_of(point);
  const auto best_parts = parts_of(best);
  std::string text = fmt::format("<tr><th scope=\"row\">{}</th><td class=\"bar\">{}</td>{}",
                                 grid_title(point.grid), cause_bar(point, longest),
                                 time_cell(point.sums.execution_time));
  for (const std::size_t i : causes) {
    const double difference = parts[i].seconds - best_parts[i].seconds;
    text += &point == &best ? fmt::format("<td class=\"sh\" title=\"{} s\">{}</td>",
                                          exact(parts[i].seconds), seconds_text(parts[i].seconds))
                            : fmt::format("<td title=\"{} s\">{}</td>", exact(difference),
                                          signed_time(difference, longest));
  }
  return text + "</tr>\n";
}

}  // namespace

std::string best_table(const SearchReport& report) {
  const std::vector<const DetailedPoint*> best = first_best(report, shown_grids);
  std::string text =
      "<section class=\"box\" id=\"best-grids\"><h2>Grids, the best first</h2>\n<p class=\"mute\">"
      "Losses are shares of the total time of all processors.</p>\n<div class=\"scroll\" "
      "tabindex=\"0\" role=\"region\" aria-label=\"Table of grids\"><table "
      "id=\"grid-table\"><thead>"
      "<tr><th scope=\"col\">#</th>" +
      sort_head("grid", "Grid") + sort_head("processors", "Proces&shy;sors") +
      sort_head("time", "Execution time") + "<th scope=\"col\">Slower by</th>" +
      sort_head("efficiency", "Efficiency") +
      sort_head("insufficient", "Insufficient parallelism") +
      sort_head("communication", "Communi&shy;cation") + sort_head("idle", "Idle") +
      "</tr></thead><tbody>\n";
  const double fastest = fastest_of(report);
  for (std::size_t index = 0; index < best.size(); ++index) {
    text += best_row(index + 1, report, *best[index], fastest);
  }
  return text +
         "</tbody></table></div>\n<p class=\"tools\"><button type=\"button\" id=\"table-earlier\">"
         "earlier</button><button type=\"button\" id=\"table-later\">later</button><button "
         "type=\"button\" id=\"csv\">CSV of what is shown</button><span id=\"table-text\" "
         "role=\"status\"></span></p></section>\n";
}

std::string causes_section(const SearchReport& report, std::size_t most) {
  const std::vector<const DetailedPoint*> best = first_best(report, most);
  if (best.size() < 2) {
    return {};
  }
  double longest = 0.0;
  std::vector<std::size_t> causes;
  for (const DetailedPoint* point : best) {
    longest = std::max(longest, point->sums.execution_time);
  }
  if (longest <= 0.0) {
    return {};
  }
  for (std::size_t i = 0; i < part_count; ++i) {
    if (std::any_of(best.begin(), best.end(), [i](const DetailedPoint* point) {
          return parts_of(*point)[i].seconds > 0.0;
        })) {
      causes.push_back(i);
    }
  }
  const auto parts = parts_of(*best.front());
  std::string text = fmt::format(
      "<section class=\"box\" id=\"causes\"><h2>Why the best {} differ</h2>\n<p class=\"mute\">The "
      "mean of the processors of each grid. Below the first, the difference to it.</p>\n<div "
      "class=\"scroll\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"Differences by cause\"><table><thead><tr><th scope=\"col\">Grid</th><th "
      "scope=\"col\" class=\"l\">Execution time, by cause</th><th scope=\"col\">Execution "
      "time</th>",
      best.size());
  for (const std::size_t i : causes) {
    text += fmt::format("<th scope=\"col\"><b class=\"key c{0}\">{0}</b> {1}</th>", i + 1,
                        parts[i].name);
  }
  text += "</tr></thead><tbody>\n";
  for (const DetailedPoint* point : best) {
    text += cause_row(*point, *best.front(), longest, causes);
  }
  return text + "</tbody></table></div></section>\n";
}

}  // namespace gridcast::report
