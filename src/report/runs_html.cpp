#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "embedded.h"
#include "embedded_data.h"
#include "gridcast/base/json_writer.h"
#include "gridcast/base/readable.h"
#include "gridcast/report/format.h"
#include "packing.h"
#include "search_sections.h"

namespace gridcast::report {
namespace {

constexpr std::string_view runs_sections =
    R"(<p id="runs-note" role="status"></p>
<noscript><p>Charts need scripts.</p></noscript>
<section class="box" id="runs" hidden><h2>What the predictions say</h2>
<p class="tools"><label>Shown <select id="runs-show"></select></label>
<button type="button" id="runs-reset">all predictions</button>
<button type="button" id="runs-csv">CSV of what is chosen</button>
<button type="button" id="runs-json">JSON</button></p>
<p id="runs-text" role="status"></p>
{}<figure id="spread-figure"><figcaption>How often which value occurs</figcaption>
<div class="plot" id="spread-plot" tabindex="0" role="img" aria-label="Distribution of the shown result"
aria-describedby="spread-text"><svg></svg></div>
<p id="spread-text" role="status"></p>
<p class="mute">Point at a bar, or move with the arrow keys; a click or Enter chooses its predictions, Escape all.</p></figure>
<figure id="over-figure"><figcaption>What it depends on</figcaption>
<p class="tools"><label>Over <select id="runs-over"></select></label></p>
<div class="plot" id="over-plot" tabindex="0" role="img" aria-label="The shown result over a number that varies"
aria-describedby="over-text"><canvas></canvas><svg></svg></div>
<p id="over-text" role="status"></p>
<p class="mute">A dot is a prediction; arrow keys go along the line.</p>
<div class="scroll" tabindex="0" role="region" aria-label="What it rises and falls with"><table class="narrow"><thead><tr>
<th class="l">Number that varies</th>{}<th>Rank correlation</th></tr></thead><tbody id="with-rows"></tbody></table></div>
<p class="mute">{} Rank correlation (Spearman): 1 if the result always rises with the number, −1 if it always falls, near 0
if it does neither. A click shows the number.</p></figure></section>
<div id="tip" role="presentation" hidden></div>
)";

template <class Write>
void name_list(JsonWriter& json, std::string_view name, const std::vector<NumberColumn>& columns,
               const Write& write) {
  json.key(name);
  json.begin_array(Layout::line);
  for (const NumberColumn& column : columns) {
    write(column);
  }
  json.end_array();
}

std::string runs_json(const PredictionNumbers& numbers) {
  std::ostringstream text;
  JsonWriter json(text);
  json.begin_object(Layout::line);
  json.member("predictions", numbers.predictions);
  json.member("count", static_cast<std::int64_t>(numbers.columns.front().values.size()));
  json.member("inputs", static_cast<std::int64_t>(numbers.inputs));
  name_list(json, "names", numbers.columns,
            [&](const NumberColumn& each) { json.string(each.name); });
  name_list(json, "units", numbers.columns,
            [&](const NumberColumn& each) { json.string(each.units); });
  name_list(json, "labels", numbers.columns, [&](const NumberColumn& each) {
    if (each.is_label) {
      json.string(each.name);
    }
  });
  json.key("totals");
  json.begin_object(Layout::line);
  for (const NumberColumn& result : numbers.columns) {
    if (!result.totals.empty()) {
      json.key(result.name);
      json.begin_object(Layout::line);
      for (const auto& [name, total] : result.totals) {
        json.member(name, total);
      }
      json.end_object();
    }
  }
  json.end_object();
  json.end_object();
  return text.str();
}

}  // namespace

std::string runs_section(const SearchReport& report) {
  if (report.numbers.predictions < 2) {
    return {};
  }
  const auto kept = static_cast<std::int64_t>(report.numbers.columns.front().values.size());
  const std::string part =
      kept == report.numbers.predictions
          ? std::string()
          : fmt::format(
                "<p class=\"mute\">The charts show {} of {} predictions, evenly taken from "
                "the store, which has all.</p>\n",
                grouped(kept), grouped(report.numbers.predictions));
  const bool totals = std::ranges::any_of(
      report.numbers.columns, [](const NumberColumn& each) { return !each.totals.empty(); });
  return fmt::format(runs_sections, part, totals ? "<th>Total Sobol’ index</th>" : "",
                     totals
                         ? "The numbers stand in the order of their total Sobol’ index over all "
                           "predictions (of several grids the "
                           "mean): the share of the variance of the result that the number causes, "
                           "alone and together with others. "
                           "After them those without one, by the size of the rank correlation."
                         : "The numbers stand in the order of the size of their rank correlation.");
}

std::string runs_scripts(const SearchReport& report) {
  if (report.numbers.predictions < 2) {
    return {};
  }
  std::vector<std::vector<double>> columns;
  for (const NumberColumn& column : report.numbers.columns) {
    columns.push_back(column.values);
  }
  return fmt::format(
      "{}{}<script id=\"d3\">{}</script>\n<script>(() => {{\n\"use "
      "strict\";\n{}{}{}{}{}}})();</script>\n"
      "<details class=\"mute\" id=\"licence\"><summary>Charts are drawn with d3; its "
      "licence</summary><pre>{}</pre></details>\n",
      data_element("runs-data", DataKind::json, runs_json(report.numbers)),
      data_element("runs-values", DataKind::packed, packed_text(byte_planes(columns))),
      embedded::d3, embedded::csv_script, embedded::helpers_script, embedded::runs_data_script,
      embedded::runs_charts_script, embedded::runs_page_script,
      escape_html(std::string(embedded::d3_licence)));
}

}  // namespace gridcast::report
