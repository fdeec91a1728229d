#include <fmt/format.h>

#include <algorithm>

#include "embedded.h"
#include "good_enough.h"
#include "gridcast/base/readable.h"
#include "gridcast/report/format.h"
#include "importance.h"
#include "search_data.h"
#include "search_sections.h"

namespace gridcast::report {
namespace {

constexpr std::string_view filters_begin =
    R"(<section class="box" id="explore" hidden><h2>All evaluated grids</h2>
<form class="tools" id="filters">
<label>Processors from <input id="from" type="number" min="1" step="1" placeholder="1"></label>
<label>to <input id="to" type="number" min="1" step="1" placeholder="all"></label>
<label>At most <input id="slower" type="number" min="0" step="any" placeholder="any"> % slower</label>
<label>Efficiency at least <input id="least" type="number" min="0" max="100" step="any" placeholder="0"> %</label>
)";

constexpr std::string_view filters_end =
    R"(<label><input id="show-empty" type="checkbox"> with grids that leave processors empty</label>
<button type="reset">all</button></form>
<p id="shown-text" role="status"></p></section>
)";

constexpr std::string_view map_begin =
    R"(<figure class="box" id="heat-map"><figcaption>{}</figcaption>
<form class="tools"><label>Shown <select id="metric"><option value="time">execution time</option>
<option value="efficiency">efficiency</option><option value="insufficient">insufficient parallelism</option>
<option value="communication">communication</option><option value="idle">idle</option></select></label>
<label><input id="show-lines" type="checkbox" checked> lines of equal efficiency (0.9, 0.75, 0.5, 0.25, 0.1)</label>
<button type="button" id="heat-in">closer</button><button type="button" id="heat-out">farther</button>
<button type="button" id="heat-all">all</button></form>
<canvas id="heat" tabindex="0" role="img" aria-label="{}" aria-describedby="heat-text"></canvas>
<p id="heat-text" role="status">&nbsp;</p>
{}<p class="mute">White ring: the chosen grid of the search. Point at a grid, or move with the arrow keys; a click or
Enter shows its prediction. Drag, + and −, or the wheel where the focus is, zoom.</p></figure>
)";

/// What is on the map where no grid was evaluated.
std::string proof_legend(const SearchReport& report) {
  if (!report.proof || report.threads) {
    return {};
  }
  const auto entry = [](const char* look, const std::string& text) {
    return fmt::format("<li><b class=\"key {}\">&nbsp;</b> {}</li>", look, text);
  };
  const std::string& conditions = report.proof->conditions;
  const bool told = !report.proof->numbers.empty();
  std::string text = "<ul class=\"legend\" id=\"heat-legend\">";
  if (report.mode == 4) {
    text += entry("out", report.proof->of_program
                             ? "excluded by bounds, or by conditions on blocks or memory"
                             : "excluded by bounds: no better than the best");
  }
  if (!conditions.empty() && (report.mode != 4 || told)) {
    text += entry("cond", "excluded by the conditions " + escape_html(conditions));
  }
  if (report.proof->shown.open > 0) {
    text += entry("open", "open when the search was stopped");
  }
  return text +
         "</ul>\n<p class=\"mute\">With Shift the arrow keys also go to grids without a result."
         "</p>\n";
}

/// A chart with buttons to zoom; `name` begins the ids of its parts.
std::string chart_figure(std::string_view name, std::string_view caption, std::string_view note) {
  return fmt::format(
      "<figure class=\"box\" id=\"{0}-figure\"><figcaption>{1}</figcaption>\n<p class=\"tools\">"
      "<button type=\"button\" id=\"{0}-in\">closer</button><button type=\"button\" "
      "id=\"{0}-out\">farther</button><button type=\"button\" "
      "id=\"{0}-all\">all</button></p>\n<div "
      "class=\"plot\" id=\"{0}-plot\" tabindex=\"0\" role=\"img\" aria-label=\"{1}\" "
      "aria-describedby=\"{0}-text\"><canvas></canvas><svg></svg></div>\n<p id=\"{0}-text\" "
      "role=\"status\"></p>\n<p class=\"mute\">{2}</p></figure>\n",
      name, caption, note);
}

constexpr std::string_view parallel_axes =
    R"(<figure class="box" id="parallel"><figcaption>Extents, processors, time and efficiency of each grid</figcaption>
<p class="tools"><button type="button" id="parallel-all">all</button></p>
<div class="plot" id="parallel-plot"><div role="img" aria-label="A line for each grid over parallel axes"
aria-describedby="parallel-text"><canvas></canvas><svg></svg></div></div>
<p id="parallel-text" role="status"></p>
<p class="mute">Orange: the best grid in the intervals. Drag an interval along an axis, or one of its ends; a click ends it. The
arrow keys move the end that has the focus from value to value.</p>
)";

/// Which extents decide the time, as a table.
std::string importance_table(const SearchReport& report, int rank) {
  std::string rows;
  for (const auto& [name, ratio] : importance_of(report.points, rank)) {
    rows += fmt::format(
        "<tr><th scope=\"row\">{}</th><td title=\"{}\">{}</td><td class=\"bar\"><span "
        "class=\"eb\"><i "
        "style=\"width:{:.1f}%\"></i></span></td></tr>\n",
        name, exact(ratio), format_share(ratio, 1.0), 100.0 * ratio);
  }
  return rows.empty() ? rows
                      : fmt::format(
                            "<table class=\"narrow\" id=\"importance\"><thead><tr><th "
                            "scope=\"col\">Number</th><th scope=\"col\" colspan=\"2\">Decides the "
                            "time by</th></tr></thead>\n<tbody>{}</tbody></table>\n<p "
                            "class=\"mute\">Correlation ratio: the share of the variance of the "
                            "logarithm of the time, over all evaluated grids, that lies between "
                            "grids of different numbers. Numbers depend on each other: the shares "
                            "do not add up.</p>\n",
                            rows);
}

constexpr std::string_view grid_panel =
    R"(<section class="box" id="grid-panel" hidden><h2 id="grid-title">Grid</h2>
<dl class="cards" id="grid-cards"></dl>
<p class="mute" id="grid-note"></p>
<div id="grid-parts"></div>
<details id="grid-all"><summary>All characteristics</summary><div class="scroll" tabindex="0" role="region"
aria-label="Characteristics of the grid"><table class="narrow"><tbody id="grid-rows"></tbody></table></div></details>
<p class="tools"><button type="button" id="grid-close">close</button></p></section>
)";

}  // namespace

std::string explorer(const SearchReport& report) {
  int rank = 1;
  for (const SearchPoint& point : report.points) {
    rank = std::max(rank, point.grid.rank());
  }
  std::string text(filters_begin);
  for (int dim = 1; dim <= rank; ++dim) {
    text += fmt::format(
        "<label>P{0} = <input id=\"fix-p{0}\" type=\"number\" min=\"1\" step=\"1\" "
        "placeholder=\"any\"></label>\n",
        dim);
  }
  text += filters_end;
  const std::string over = rank > 2 ? "Heat map over P1 × P2, of each pair the fastest grid: give "
                                      "P3 a number for a slice"
                           : rank > 1 ? "Heat map over P1 × P2"
                                      : "Heat map over P1";
  text +=
      "<p id=\"explore-note\" role=\"status\"></p>\n<noscript><p>Charts need "
      "scripts.</p></noscript>\n";
  text += grid_panel;
  const bool staircase = every_candidate_evaluated(report);
  text += fmt::format(map_begin, over, over, proof_legend(report));
  if (rank > 2) {
    text += fmt::format("{}{}</figure>\n", parallel_axes, importance_table(report, rank));
  }
  text += chart_figure("time", "Execution time of the fastest grid against processors",
                       std::string(staircase ? "Line: the Pareto front, faster than all grids with "
                                               "fewer processors. "
                                             : "") +
                           "Dashed: equal efficiency. Marks: the fewest processors at most so much "
                           "slower than the fastest.");
  text +=
      chart_figure("efficiency", "Efficiency of the most efficient grid against processors",
                   staircase ? "Line: the grids of the Pareto front of the execution time." : "");
  return text;
}

std::string explorer_scripts(const SearchReport& report) {
  std::string licence(embedded::d3_licence);
  std::string text = "<div id=\"tip\" role=\"presentation\" hidden></div>\n" + search_data(report);
  text += fmt::format(
      "<script id=\"d3\">{}{}</script>\n<script>(() => {{\n\"use "
      "strict\";\n{}{}{}{}{}{}{}{}{}}})();</script>\n",
      embedded::d3, embedded::d3_zoom, embedded::csv_script, embedded::helpers_script,
      embedded::search_data_script, embedded::search_state_script, embedded::search_open_script,
      embedded::search_map_script, embedded::search_parallel_script, embedded::search_charts_script,
      embedded::search_page_script);
  return text + fmt::format(
                    "<details class=\"mute\" id=\"licence\"><summary>Charts are drawn with d3; its "
                    "licence</summary><pre>{}</pre></details>\n",
                    escape_html(licence));
}

}  // namespace gridcast::report
