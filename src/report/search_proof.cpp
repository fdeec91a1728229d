#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "gridcast/base/readable.h"
#include "gridcast/report/format.h"
#include "search_sections.h"

namespace gridcast::report {
namespace {

constexpr std::size_t shown_failures = 200;

struct ProofPart {
  const char* style;  ///< class of its colour
  const char* name;
  std::int64_t count;
};

std::vector<ProofPart> proof_parts(const SearchReport& report) {
  const auto failed = static_cast<std::int64_t>(report.failures.size());
  const std::int64_t rest = std::max<std::int64_t>(0, report.candidates - report.evaluated);
  const search::Proof shown = report.proof ? report.proof->shown : search::Proof{};
  const auto excluded = static_cast<std::int64_t>(shown.excluded);
  std::vector<ProofPart> parts{
      {"c1", "evaluated", std::max<std::int64_t>(0, report.evaluated - failed)},
      {"c6", "failed", failed}};
  if (!report.complete && report.proof) {
    parts.push_back({"c2", "excluded by bounds: none of them is better", excluded});
    parts.push_back(
        {"open", "open: neither evaluated nor excluded", static_cast<std::int64_t>(shown.open)});
  } else if (!report.complete) {
    // What a killed search had shown is worked out again when it goes on.
    parts.push_back(
        {"c11", report.mode == 4 ? "excluded by bounds or not decided yet" : "not evaluated yet",
         rest});
  } else if (report.mode == 4 && shown.left > 0) {
    parts.push_back({"c2", "excluded by bounds: none of them is better", excluded});
    parts.push_back({"open", "left: likely to be worse, which is not proved",
                     static_cast<std::int64_t>(shown.left)});
  } else if (report.mode == 4) {
    parts.push_back({"c2", "excluded by bounds: none of them is better", rest});
  } else {
    parts.push_back({"c11", "not looked at", rest});
  }
  return parts;
}

/// What is certain of the grids that a search with bounds left open.
std::string open_sentence(const SearchReport& report) {
  const search::Proof& proof = report.proof->shown;
  if (proof.open == 0) {
    return " No grid is open: the chosen one is the best of all but those that failed.";
  }
  if (!proof.least || !proof.gap) {
    return " Nothing is known yet of the grids that are open.";
  }
  if (*proof.gap == 0.0) {
    return " No open grid is better than the best one so far: gap 0.";
  }
  const std::string limit = report.objective == "time"
                                ? "takes less than " + seconds_text(*proof.least)
                            : report.objective == "efficiency"
                                ? "is more efficient than " + format_efficiency(*proof.least)
                                : "is better by more";
  return fmt::format(" Gap {}: no open grid {}.", format_share(*proof.gap, 1.0), limit);
}

/// What is certain of the grids that a complete search left.
std::string left_sentence(const SearchProof& proof, const std::string& objective) {
  std::string text = fmt::format(
      "The chosen grid is not proved to be the best. {} left, because the run takes at "
      "least {:g} % longer on them if processes wait for each other",
      counted(static_cast<std::int64_t>(proof.shown.left), "candidate"),
      100.0 * proof.margin.value_or(0.0));
  if (proof.shown.least && objective == "time") {
    text += ": free, none takes less than " + seconds_text(*proof.shown.least);
  }
  return text + ".";
}

}  // namespace

std::string proof_sentence(const SearchReport& report) {
  const bool counted_out = report.candidates > 0 && report.mode != 0;
  if (!report.complete) {
    return counted_out ? "The search was stopped early; --resume goes on." +
                             (report.proof ? open_sentence(report) : std::string())
                       : "The run was stopped early: what is shown is not all. --resume goes on.";
  }
  if (!counted_out) {
    return {};
  }
  if (report.mode == 4 && report.proof && report.proof->shown.left > 0) {
    return left_sentence(*report.proof, report.objective);
  }
  return report.mode == 4   ? "The chosen grid is proved to be the best: gap 0."
         : report.mode == 3 ? "Every candidate was evaluated: gap 0."
         : report.mode == 1 ? "A heuristic: nothing is proved about grids that it did not look at."
                            : "Candidates that leave processors empty were not looked at.";
}

std::string proof_bar(const SearchReport& report) {
  if (report.candidates <= 0 || report.mode == 0) {
    return {};
  }
  std::string bar;
  std::string legend;
  for (const ProofPart& part : proof_parts(report)) {
    if (part.count > 0) {
      bar += fmt::format("<i class=\"{}\" style=\"flex-grow:{}\" title=\"{}: {}\"></i>", part.style,
                         part.count, part.name, part.count);
      legend += fmt::format(
          "<li><b class=\"key {}\">&nbsp;</b> {} <span class=\"num\">{}</span> <span class=\"mute "
          "num\">{}</span></li>",
          part.style, part.name, grouped(part.count),
          format_share(static_cast<double>(part.count), static_cast<double>(report.candidates)));
    }
  }
  return fmt::format(
      "<div class=\"stack thin\" aria-hidden=\"true\">{}</div>\n<ul class=\"legend\">{}</ul>\n",
      bar, legend);
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
      "<section class=\"box warn\" id=\"failures\"><h2>{} {} failed</h2>\n<div class=\"scroll\" "
      "tabindex=\"0\" role=\"region\" aria-label=\"Failures\">"
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

}  // namespace gridcast::report
