#include "gridcast/report/search_html.h"

#include <fmt/format.h>

#include <cmath>
#include <ostream>

#include "embedded.h"
#include "good_enough.h"
#include "gridcast/base/error.h"
#include "gridcast/base/readable.h"
#include "gridcast/report/format.h"
#include "gridcast/report/page.h"
#include "interval_html.h"
#include "search_sections.h"

namespace gridcast::report {
namespace {

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
    text += report.not_bad >= 0
                ? fmt::format(", {} of them without empty processors; ", grouped(report.not_bad))
                : "; ";
  }
  return text +
         fmt::format("mode {}{}</small>", report.mode, report.complete ? "" : "; not finished");
}

std::string card_value(const AnsweredGrid& grid) {
  std::string text =
      fmt::format("{} <small>{}", grid_title(grid.grid), escape_html(answered_figures(grid)));
  if (grid.idle_processors.value_or(0) > 0) {
    text += fmt::format("; {} of its processors get no elements", grouped(*grid.idle_processors));
  }
  return text + "</small>";
}

/// The cards of the grids of the answer.
void add_answer(const SearchReport& report,
                std::vector<std::pair<std::string, std::string>>& figures) {
  const Answer& answer = report.answer;
  figures.emplace_back(best_title(report), answer.best ? card_value(*answer.best) : "none");
  if (!answer.best) {
    return;
  }
  if (answer.best->idle_processors.value_or(0) > 0) {
    figures.emplace_back("Best that leaves no processor empty",
                         answer.full ? card_value(*answer.full) : "none among the evaluated grids");
  }
  if (answer.limited && answer.unconstrained && answer.unconstrained->grid != answer.best->grid) {
    figures.emplace_back("Without limits", card_value(*answer.unconstrained));
  }
  if (answer.runner_up) {
    figures.emplace_back(
        "Runner-up",
        fmt::format("{} <small>{} by {}; {} within 1 % of the best</small>",
                    grid_title(answer.runner_up->grid), answer.gap < 0.0 ? "better" : "worse",
                    format_share(std::abs(answer.gap), 1.0),
                    counted(answer.near_count, "other evaluated grid")));
  }
  if (!answer.robust.empty()) {
    figures.emplace_back("Robust", fmt::format("<small>{}</small>", escape_html(answer.robust)));
  }
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
  figures.reserve(16);  // GCC 12 takes the first insertion into no memory for one out of bounds
  add_answer(report, figures);
  figures.emplace_back("Looked for", objective_text(report));
  figures.emplace_back("Evaluated grids", counts_text(report));
  if (!report.failures.empty()) {
    figures.emplace_back("Failed grids",
                         fmt::format("<a href=\"#failures\">{}</a>", report.failures.size()));
  }
  figures.emplace_back("Machine", escape_html(report.machine));
  return cards(figures);
}

}  // namespace

std::string assumed_note(const SearchReport& report) {
  return report.assumed.empty()
             ? ""
             : fmt::format("<p class=\"sub\">{}</p>\n", escape_html(report.assumed));
}

void require_charts() {
  if (embedded::d3.empty()) {
    throw InputError("this gridcast was built without d3, which draws the charts of report",
                     "build it with d3 5 and -DGRIDCAST_WITH_PAGES=ON");
  }
}

void write_search_html(std::ostream& out, const SearchReport& report) {
  const std::string traces = fmt::format("{}", fmt::join(report.traces, ", "));
  if (!report.groups.empty()) {
    const std::string text =
        page_begin("Predictions: " + traces, false) + groups_body(report) + page_end();
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    return;
  }
  const bool many =
      report.best_prediction && report.best_prediction->intervals.size() > many_intervals;
  std::string text = page_begin("Search: " + traces, many);
  text += fmt::format("<h1>Search for the best processor grid</h1>\n<p class=\"sub\">{}</p>\n",
                      escape_html(traces));
  text += assumed_note(report) + key_figures(report) + job_section(report.answer) +
          proof_section(report);
  text += report.points.empty() ? std::string("<p class=\"mute\">No grid was evaluated.</p>\n")
                                : good_enough_table(report) + explorer(report) +
                                      best_table(report) + causes_section(report);
  text += failures_section(report);
  if (report.best_prediction) {
    text += fmt::format("<h2 class=\"part\">Prediction for the grid {}</h2>\n",
                        grid_title(report.best_prediction->grid));
    text += warnings_box(report.best_prediction->warnings);
  }
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  if (report.best_prediction) {
    write_intervals(out, *report.best_prediction);
  }
  const std::string end =
      (report.points.empty() ? std::string() : explorer_scripts(report)) + page_end();
  out.write(end.data(), static_cast<std::streamsize>(end.size()));
}

}  // namespace gridcast::report
