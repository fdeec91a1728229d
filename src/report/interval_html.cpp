#include "interval_html.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "breakdown.h"
#include "gridcast/base/readable.h"
#include "gridcast/figures/figures.h"
#include "gridcast/report/format.h"
#include "gridcast/report/page.h"
#include "gridcast/report/text.h"
#include "interval_tree.h"
#include "variations.h"

namespace gridcast::report {
namespace {

using model::Characteristics;
using model::IntervalResult;

/// The page shows at most this many processors of an interval; the JSON has all.
constexpr std::size_t most_listed_processors = 256;

std::string navigation_link(std::optional<std::size_t> target, std::string_view text) {
  return target ? fmt::format("<a href=\"#interval-{}\">{}</a>", *target + 1, text)
                : fmt::format("<span>{}</span>", text);
}

std::string navigation(std::size_t index, const IntervalLinks& links) {
  std::optional<std::size_t> nested;
  if (!links.nested.empty()) {
    nested = links.nested.front();
  }
  const auto home = index == 0 ? std::nullopt : std::optional<std::size_t>(0);
  return "<div class=\"nav\">" + navigation_link(links.up, "↑ up") +
         navigation_link(links.previous, "← previous") + navigation_link(links.next, "→ next") +
         navigation_link(nested, "↓ first nested") + navigation_link(home, "⌂ home") +
         "<a href=\"#top\">≡ contents</a></div>\n";
}

std::string path(std::size_t index, const std::vector<IntervalResult>& intervals,
                 const std::vector<IntervalLinks>& links) {
  std::string text;
  for (auto at = links[index].up; at; at = links[*at].up) {
    text = fmt::format("<a href=\"#interval-{}\">{}</a> › {}", *at + 1,
                       escape_html(interval_label(intervals[*at].info)), text);
  }
  return text.empty() ? text : "<div class=\"path\">" + text + "</div>\n";
}

std::string identity(const model::IntervalInfo& info, const machine::Grid& grid) {
  return fmt::format(
      "<dl class=\"meta\"><div><dt>Type</dt><dd data-field=\"type\">{}</dd></div>"
      "<div><dt>Level</dt><dd data-field=\"level\">{}</dd></div>"
      "<div><dt>Count</dt><dd data-field=\"count\">{}</dd></div>"
      "<div><dt>Line</dt><dd data-field=\"line\">{}</dd></div>"
      "<div><dt>Expression</dt><dd data-field=\"expr\">{}</dd></div>"
      "<div><dt>Processors</dt><dd data-field=\"proc\">{}</dd></div>"
      "<div><dt>File</dt><dd data-field=\"file\">{}</dd></div></dl>\n",
      type_title(info.type), info.level, grouped(info.count), info.line,
      info.expression ? std::to_string(*info.expression) : "–", grid_title(grid),
      info.file.empty() ? "–" : escape_html(info.file));
}

/// How a row of the table of times is set.
struct RowStyle {
  std::string_view row;   ///< class of the row
  std::string_view head;  ///< class of its name
};

std::string times_row(std::string_view name, double seconds, std::string_view field, double total,
                      RowStyle style) {
  return fmt::format("<tr{}><th{}>{}</th>{}<td class=\"sh\">{}</td></tr>\n", style.row, style.head,
                     name, time_cell(seconds, field), format_share(seconds, total));
}

RowStyle style_of(model::FigureGroup group) {
  using enum model::FigureGroup;
  switch (group) {
    case head:
    case total:
      return {" class=\"g\"", ""};
    case productive:
      return {" class=\"p g\"", ""};
    case productive_part:
      return {" class=\"p\"", " class=\"i1\""};
    case lost:
      return {" class=\"x g\"", ""};
    case lost_part:
      return {" class=\"x\"", " class=\"i1\""};
    case lost_detail:
      return {" class=\"x\"", " class=\"i2\""};
    case potential:
      break;
  }
  return {"", ""};
}

/// A row of the run as a whole: it has no share of the total.
std::string head_row(const model::Figure& figure, double value) {
  const std::string cell = std::string_view(figure.unit) == "s"
                               ? time_cell(value, figure.anchor)
                               : fmt::format("<td data-field=\"{}\" title=\"{}\">{}</td>",
                                             figure.anchor, exact(value), format_efficiency(value));
  return fmt::format("<tr{}><th>{}</th>{}<td class=\"sh\"></td></tr>\n", style_of(figure.group).row,
                     figure.title, cell);
}

std::string times_table(const Characteristics& sums) {
  std::string text =
      "<table><thead><tr><th>Sum over processors</th><th>Time</th><th>Share of total</th></tr>"
      "</thead><tbody>\n";
  for (const model::Figure& figure : model::figures()) {
    const double value = sums.*figure.value;
    text += figure.group == model::FigureGroup::head
                ? head_row(figure, value)
                : times_row(figure.title, value, figure.anchor, sums.total_time,
                            style_of(figure.group));
  }
  return text + "</tbody></table>\n";
}

std::string variation_cell(const IntervalResult& interval, std::size_t kind, char letter) {
  const std::string anchor = fmt::format("vary{}", letter);
  return variations_known(interval)
             ? time_cell(interval.time_variations[kind], anchor)
             : fmt::format("<td data-field=\"{}\" title=\"not stored by kind\">–</td>", anchor);
}

std::string operations_table(const IntervalResult& interval) {
  const Characteristics& sums = interval.sums;
  // The last letter of the anchors of each kind in [Predictor2010 app. 2].
  constexpr std::array<char, model::operation_count> letters{'i', 'r', 's', 'a', 'd'};
  std::string text =
      "<div class=\"scroll\" tabindex=\"0\"><table "
      "class=\"ops\"><thead><tr><th>Operation</th><th># op</th>"
      "<th>Communi&shy;cations</th><th>Real synch</th><th>Overlap</th><th>Time "
      "variation</th></tr></thead><tbody>\n";
  for (std::size_t kind = 0; kind < model::operation_count; ++kind) {
    const model::OperationTimes& times = sums.operations[kind];
    const char letter = letters[kind];
    text += fmt::format("<tr><th>{}</th><td{} data-field=\"nop{}\">{}</td>{}{}{}{}</tr>\n",
                        operation_title(static_cast<model::Operation>(kind)),
                        sums.operation_counts[kind] == 0 ? " class=\"z\"" : "", letter,
                        grouped(sums.operation_counts[kind]),
                        time_cell(times.communication, fmt::format("com{}", letter)),
                        time_cell(times.synch, fmt::format("synch{}", letter)),
                        time_cell(times.overlap, fmt::format("over{}", letter)),
                        variation_cell(interval, kind, letter));
    if (kind == static_cast<std::size_t>(model::Operation::shadow) &&
        interval.pipelined.communication > 0.0) {
      text += fmt::format(
          "<tr><th class=\"i1\">of it pipelined loops</th><td></td>{}{}{}<td></td></tr>\n",
          time_cell(interval.pipelined.communication, "comp"),
          time_cell(interval.pipelined.synch, "synchp"),
          time_cell(interval.pipelined.overlap, "overp"));
    }
  }
  return text + "</tbody></table></div>\n";
}

std::string nested_table(const std::vector<std::size_t>& nested,
                         const std::vector<IntervalResult>& intervals) {
  if (nested.empty()) {
    return {};
  }
  std::string text =
      "<h3>Nested intervals</h3>\n<div class=\"scroll\" "
      "tabindex=\"0\"><table><thead><tr><th>Interval</th>"
      "<th>Count</th><th>Efficiency</th><th>Execution time</th><th>Lost time</th></tr></thead>"
      "<tbody>\n";
  for (const std::size_t index : nested) {
    const IntervalResult& interval = intervals[index];
    text += fmt::format(
        "<tr><td class=\"l\"><a href=\"#interval-{}\">{}</a></td><td>{}</td><td>{}</td>{}{}</tr>\n",
        index + 1, escape_html(interval_label(interval.info)), grouped(interval.info.count),
        format_efficiency(interval.sums.efficiency), time_cell(interval.sums.execution_time),
        time_cell(interval.sums.lost_time));
  }
  return text + "</tbody></table></div>\n";
}

std::string processors_table(const std::vector<model::ProcessorTimes>& processors) {
  if (processors.empty()) {
    return {};
  }
  const std::size_t shown = std::min(processors.size(), most_listed_processors);
  std::string text = fmt::format(
      "<details class=\"pp\"><summary>Processors ({} of {})</summary><div class=\"scroll\" "
      "tabindex=\"0\"><table>"
      "<thead><tr><th>Processor</th><th>Execution time</th><th>CPU</th><th>SYS</th><th>I/O</th>"
      "<th>Insufficient parallelism</th><th>Communi&shy;cations</th><th>Idle</th><th>Load "
      "imbalance</th></tr></thead><tbody>\n",
      shown, processors.size());
  for (std::size_t number = 0; number < shown; ++number) {
    const model::ProcessorTimes& times = processors[number];
    text += fmt::format(
        "<tr><th>{}</th>{}{}{}{}{}{}{}{}</tr>\n", number, time_cell(times.execution_time),
        time_cell(times.cpu_time), time_cell(times.sys_time), time_cell(times.io_time),
        time_cell(times.insufficient_parallelism()), time_cell(times.communication()),
        time_cell(times.idle), time_cell(times.load_imbalance));
  }
  return text + "</tbody></table></div></details>\n";
}

/// The cells with the anchors of [Predictor2010 app. 2]: those of the whole program, whose figures
/// the page has once.
std::string with_anchors(std::string text) {
  constexpr std::string_view field = " data-field=\"";
  for (std::size_t at = text.find(field); at != std::string::npos; at = text.find(field, at)) {
    const std::size_t name = at + field.size();
    const std::string anchor = text.substr(name, text.find('"', name) - name);
    const std::string id = " id=\"" + anchor + '"';
    text.insert(at, id);
    at += id.size() + field.size();
  }
  return text;
}

std::string section(std::size_t index, const model::Prediction& prediction,
                    const std::vector<IntervalLinks>& links) {
  const IntervalResult& interval = prediction.intervals[index];
  std::string text = fmt::format("<section class=\"iv\" id=\"interval-{}\">\n", index + 1);
  text += path(index, prediction.intervals, links);
  text += fmt::format("<h2>{}</h2>\n", escape_html(interval_label(interval.info)));
  text += navigation(index, links[index]);
  text += identity(interval.info, prediction.grid);
  text += fmt::format("<p class=\"why\">{}</p>\n", escape_html(explain(interval)));
  text += breakdown_bar(interval);
  const std::string figures = "<div class=\"two\"><div>\n<h3>Times</h3>\n" +
                              times_table(interval.sums) + "</div><div>\n<h3>Operations</h3>\n" +
                              operations_table(interval);
  text += (index == 0 ? with_anchors(figures) : figures) +
          nested_table(links[index].nested, prediction.intervals) + "</div></div>\n";
  text += processors_table(interval.per_processor);
  return text + "</section>\n";
}

}  // namespace

void write_intervals(std::ostream& out, const model::Prediction& prediction) {
  const std::vector<IntervalLinks> links = link_intervals(prediction.intervals);
  const auto put = [&out](const std::string& text) {
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
  };
  put(tree_html(prediction.intervals, links));
  for (std::size_t index = 0; index < prediction.intervals.size(); ++index) {
    put(section(index, prediction, links));
  }
}

}  // namespace gridcast::report
