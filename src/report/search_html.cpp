#include "gridcast/report/search_html.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "breakdown.h"
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

std::string grid_value(const AnsweredGrid& grid) {
  std::string text =
      fmt::format("<b>{}</b> {}", grid_title(grid.grid), escape_html(answered_figures(grid)));
  if (grid.idle_processors.value_or(0) > 0) {
    text += fmt::format("; {} of its processors get no elements", grouped(*grid.idle_processors));
  }
  return text;
}

/// Where most of the lost time of the chosen grid goes, then the next two causes.
std::string limit_text(const model::Characteristics& sums) {
  constexpr std::size_t productive = 3;  // parts that are not lost
  constexpr std::size_t shown = 3;
  constexpr double worth_telling = 0.01;
  model::IntervalResult whole;
  whole.sums = sums;
  auto parts = parts_of_total(whole);
  std::stable_sort(parts.begin() + productive, parts.end(),
                   [](const Part& a, const Part& b) { return a.seconds > b.seconds; });
  std::string text;
  for (std::size_t i = productive; i < productive + shown; ++i) {
    const double share = parts[i].seconds / sums.total_time;
    if (share > (i == productive ? 0.0 : worth_telling)) {
      text += fmt::format("{} {}{}",
                          i == productive ? fmt::format("<b>{}</b>", parts[i].name)
                                          : fmt::format(", {}", parts[i].name),
                          format_share(share, 1.0),
                          i == productive ? " of the time of all processors" : "");
    }
  }
  return text.empty() ? "nothing: no time is lost" : text;
}

using Facts = std::vector<std::pair<std::string, std::string>>;

/// Names and what is said of them (HTML).
std::string facts_list(const Facts& facts) {
  std::string text = "<dl class=\"facts\">\n";
  for (const auto& [name, value] : facts) {
    text += fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, value);
  }
  return text + "</dl>\n";
}

/// The grids that the chosen one is compared with.
void add_others(const Answer& answer, Facts& facts) {
  if (answer.best->idle_processors.value_or(0) > 0) {
    facts.emplace_back("Best that leaves no processor empty",
                       answer.full ? grid_value(*answer.full) : "none among the evaluated grids");
  }
  if (answer.limited && answer.unconstrained && answer.unconstrained->grid != answer.best->grid) {
    facts.emplace_back("Without limits", grid_value(*answer.unconstrained));
  }
  if (answer.runner_up) {
    facts.emplace_back(
        "Runner-up",
        fmt::format("<b>{}</b> {} by {}; {} within 1 % of the best",
                    grid_title(answer.runner_up->grid), answer.gap < 0.0 ? "better" : "worse",
                    format_share(std::abs(answer.gap), 1.0),
                    counted(answer.near_count, "other evaluated grid")));
  }
  if (!answer.robust.empty()) {
    facts.emplace_back("Robust", escape_html(answer.robust));
  }
}

/// What one decides by: the chosen grid, the next best, what is proved, what limits it, the job.
std::string decision(const SearchReport& report) {
  const Answer& answer = report.answer;
  Facts facts{{best_title(report), answer.best ? grid_value(*answer.best) : "none"}};
  if (answer.best) {
    add_others(answer, facts);
  }
  std::string proof = proof_sentence(report);
  if (!report.failures.empty()) {
    proof += fmt::format(" <a href=\"#failures\">{} failed</a>.",
                         counted(static_cast<std::int64_t>(report.failures.size()), "grid"));
  }
  if (!proof.empty()) {
    facts.emplace_back(
        "Proof", report.complete ? proof : fmt::format("<span class=\"warn\">{}</span>", proof));
  }
  if (answer.best && report.best_sums) {
    facts.emplace_back("Limited by", limit_text(*report.best_sums));
  }
  return fmt::format("<section class=\"box\" id=\"decision\">\n{}{}</section>\n", facts_list(facts),
                     job_section(answer));
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

/// What was searched, folded.
std::string searched(const SearchReport& report) {
  Facts facts{{"Looked for", objective_text(report)}, {"Evaluated grids", counts_text(report)}};
  if (report.below_min_block) {
    facts.emplace_back("Excluded",
                       fmt::format("{} by --min-block", counted(*report.below_min_block, "grid")));
  }
  facts.emplace_back("Machine", escape_html(report.machine));
  return fmt::format(
      "<details class=\"box fold\" id=\"proof\"><summary><h2>What was searched</h2></summary>\n"
      "{}{}{}</details>\n",
      facts_list(facts), proof_bar(report), assumed_note(report));
}

/// True if all evaluated grids have the same number of processors: then one chooses among grids.
bool one_number(const SearchReport& report) {
  return std::ranges::all_of(report.points, [&report](const SearchPoint& point) {
    return point.grid.cores() == report.points.front().grid.cores();
  });
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
  text += fmt::format(
      "<h1>Search for the best processor grid</h1>\n<p class=\"sub\">{} on {}: {}</p>\n",
      escape_html(traces), escape_html(report.machine), objective_text(report));
  text += decision(report);
  const bool one = one_number(report);
  const bool by_grids = report.front.empty() || one;
  if (report.points.empty()) {
    text += "<p class=\"mute\">No grid was evaluated.</p>\n" + searched(report);
  } else {
    // Those that one chooses among stand on one screen with the decision.
    constexpr std::size_t on_screen = 6;
    constexpr std::size_t usual = 10;
    const std::string causes = causes_section(report, one ? on_screen : usual);
    text += (by_grids ? causes : good_enough_section(report)) + searched(report) +
            explorer(report) + best_table(report) + (by_grids ? "" : causes);
  }
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
