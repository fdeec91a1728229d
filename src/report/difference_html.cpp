#include "difference_html.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "breakdown.h"
#include "embedded.h"
#include "gridcast/base/readable.h"
#include "gridcast/report/difference.h"
#include "gridcast/report/format.h"
#include "gridcast/report/page.h"
#include "losses.h"

namespace gridcast::report {
namespace {

/// Rows of a table of places, of intervals and of characteristics; the JSON has all.
constexpr std::size_t most_places = 500;
constexpr std::size_t most_intervals = 1000;
constexpr std::size_t most_characteristics = 3000;

std::string table_begin(std::string_view heads, std::string_view kind = "") {
  return fmt::format(
      "<div class=\"scroll\" tabindex=\"0\"><table class=\"sortable{}\"><thead><tr>{}</tr></thead>"
      "<tbody>\n",
      kind, heads);
}

std::string table_end(std::size_t shown, std::size_t all) {
  return "</tbody></table></div>\n" +
         (shown < all ? fmt::format("<p>and {} more, in the JSON.</p>\n",
                                    grouped(static_cast<std::int64_t>(all - shown)))
                      : std::string());
}

/// A change with its sign, in full where it is pointed at.
std::string change_cell(double seconds) {
  return fmt::format("<td title=\"{} s\">{}{}</td>", exact(seconds), seconds > 0.0 ? "+" : "",
                     seconds_text(seconds));
}

std::string ratio_cell(const std::optional<double>& ratio) {
  return ratio ? fmt::format("<td title=\"{}\">{:.3f}</td>", exact(*ratio), *ratio)
               : std::string("<td class=\"z\">–</td>");
}

std::string figure_cells(const FigureDifference& figure) {
  if (figure.seconds) {
    return time_cell(figure.a) + time_cell(figure.b) + change_cell(figure.difference()) +
           ratio_cell(figure.ratio());
  }
  return fmt::format(
             "<td title=\"{}\">{:.6g}</td><td title=\"{}\">{:.6g}</td><td "
             "title=\"{}\">{:+.6g}</td>",
             exact(figure.a), figure.a, exact(figure.b), figure.b, exact(figure.difference()),
             figure.difference()) +
         ratio_cell(figure.ratio());
}

std::string side_line(const char* letter, const DifferenceSide& side) {
  const model::Prediction& prediction = side.prediction;
  const std::string assumed = model::assumed_text(prediction.assumed);
  return fmt::format(
      "<p class=\"sub\"><b>{}</b> {}: {} on {} processors of {}, placed by {}; from {}{}</p>\n",
      letter, escape_html(side.name), grid_title(prediction.grid),
      grouped(prediction.grid.processors()), escape_html(prediction.machine),
      escape_html(prediction.placement.value_or(machine::Placement{}).text(prediction.grid.rank())),
      escape_html(fmt::format("{}", fmt::join(prediction.traces, ", "))),
      assumed.empty() ? "" : "; assumed: " + escape_html(assumed));
}

std::string difference_cards(const Difference& difference) {
  const auto& first = difference.a.prediction.intervals.front().sums;
  const auto& second = difference.b.prediction.intervals.front().sums;
  const double change = difference.time.difference();
  const auto ratio = difference.time.ratio();
  return cards(
      {{"Execution time of A", seconds_text(first.execution_time)},
       {"Execution time of B", seconds_text(second.execution_time)},
       {"Difference", (change > 0.0 ? "+" : "") + seconds_text(change)},
       {"Ratio", ratio ? fmt::format("{:.3f}", *ratio) : "–"},
       {"Efficiency", fmt::format("{} <small>A: {}</small>", format_efficiency(second.efficiency),
                                  format_efficiency(first.efficiency))}});
}

/// The time of a side as a bar, in parts, on the scale of the longer one.
std::string side_bar(const DifferenceSide& side, double longest) {
  const model::IntervalResult& program = side.prediction.intervals.front();
  const auto parts = parts_of_total(program);
  std::string bar;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].seconds <= 0.0) {
      continue;
    }
    const double part = share(parts[i].seconds, program.sums.total_time);
    bar +=
        fmt::format("<i class=\"c{}\" style=\"flex-grow:{:.4f}\" title=\"{}: {}\">{}</i>", i + 1,
                    1000.0 * part, parts[i].name, seconds_text(part * program.sums.execution_time),
                    part >= 0.05 ? std::to_string(i + 1) : std::string());
  }
  return fmt::format("<div class=\"stack\" aria-hidden=\"true\" style=\"width:{:.2f}%\">{}</div>\n",
                     100.0 * share(program.sums.execution_time, longest), bar);
}

std::string parts_section(const Difference& difference) {
  const double longest = std::max(difference.time.a, difference.time.b);
  std::string text = "<section class=\"box\" id=\"parts\"><h2>What the time is spent on</h2>\n";
  if (longest > 0.0) {
    text += "<h3>A</h3>" + side_bar(difference.a, longest) + "<h3>B</h3>" +
            side_bar(difference.b, longest);
  }
  const auto names = parts_of_total(difference.a.prediction.intervals.front());
  text += table_begin(
      "<th class=\"l\">Part</th><th>Changes the execution time by</th><th>A, all processors</th>"
      "<th>B, all processors</th>");
  for (std::size_t i = 0; i < difference.parts.size(); ++i) {
    const PartDifference& part = difference.parts[i];
    if (part.a != 0.0 || part.b != 0.0) {
      text += fmt::format(
          "<tr data-part=\"{}\"><td class=\"l\"><b class=\"key c{}\">{}</b> {}</td>{}{}{}</tr>\n",
          part.name, i + 1, i + 1, names[i].name, change_cell(part.effect), time_cell(part.a),
          time_cell(part.b));
    }
  }
  return text + table_end(0, 0) + "</section>\n";
}

/// Two bars below each other: what each side loses per processor.
std::string pair_cell(const Difference& difference, double a, double b, double most) {
  const double first = a / static_cast<double>(difference.a.prediction.grid.processors());
  const double second = b / static_cast<double>(difference.b.prediction.grid.processors());
  return fmt::format(
      "<td class=\"pair\" title=\"{} s per processor of B, {} s of A\"><span class=\"eb\"><i "
      "style=\"width:{:.1f}%\"></i></span><span class=\"eb\"><i class=\"poor\" "
      "style=\"width:{:.1f}%\"></i></span></td>",
      exact(second), exact(first), 100.0 * share(first, most), 100.0 * share(second, most));
}

/// The most that one of these loses per processor.
template <class Items>
double most_of(const Difference& difference, const Items& items) {
  double most = 0.0;
  for (const auto& item : items) {
    most = std::max({most, item.a / static_cast<double>(difference.a.prediction.grid.processors()),
                     item.b / static_cast<double>(difference.b.prediction.grid.processors())});
  }
  return most;
}

constexpr const char* loss_heads =
    "<th>Changes the execution time by</th><th>A, all processors</th><th>B, all processors</th><th "
    "class=\"l\"><b class=\"key c1\">A</b> <b class=\"key c6\">B</b> per processor</th>";

std::string causes_table(const Difference& difference) {
  std::string text = table_begin(std::string("<th class=\"l\">Cause</th>") + loss_heads);
  const double most = most_of(difference, difference.causes);
  for (const PartDifference& cause : difference.causes) {
    std::string words = cause.name;
    std::replace(words.begin(), words.end(), '_', ' ');
    text += fmt::format("<tr><td class=\"l\">{}</td>{}{}{}{}</tr>\n", words,
                        change_cell(cause.effect), time_cell(cause.a), time_cell(cause.b),
                        pair_cell(difference, cause.a, cause.b, most));
  }
  return text + table_end(0, 0);
}

std::string places_table(const Difference& difference) {
  std::string text = table_begin(
      std::string("<th class=\"l\">Place</th><th class=\"l\">What and why</th>") + loss_heads,
      " losses");
  const double most = most_of(difference, difference.losses);
  const std::size_t shown = std::min(most_places, difference.losses.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const LossDifference& place = difference.losses[i];
    text += fmt::format("<tr><td class=\"l\">{}</td><td class=\"l\">{}, {}</td>{}{}{}{}</tr>\n",
                        escape_html(loss_place(place.loss)), loss_activity(place.loss.activity),
                        escape_html(loss_cause(place.loss)), change_cell(place.effect),
                        time_cell(place.a), time_cell(place.b),
                        pair_cell(difference, place.a, place.b, most));
  }
  return text + table_end(shown, difference.losses.size());
}

std::string losses_section(const Difference& difference) {
  if (!difference.omitted.empty()) {
    return fmt::format(
        "<section class=\"box\" id=\"places\"><h2>Where the difference comes from</h2>\n<p>By "
        "place and cause it was not worked out: {}.</p></section>\n",
        escape_html(difference.omitted));
  }
  const std::string sum = fmt::format(
      "<p>The execution time changes by <b>{}{}</b>: {}{} for the productive time, spread over the "
      "processors, and what the places below lose more or less.</p>\n",
      difference.time.difference() > 0.0 ? "+" : "", seconds_text(difference.time.difference()),
      difference.productive_effect > 0.0 ? "+" : "", seconds_text(difference.productive_effect));
  return "<section class=\"box\" id=\"places\"><h2>Where the difference comes from</h2>\n" + sum +
         places_table(difference) +
         "</section>\n<section class=\"box\" id=\"causes\"><h2>Lost time by cause</h2>\n" +
         causes_table(difference) + "</section>\n";
}

std::string label_of(const Difference& difference, const IntervalDifference& interval) {
  return escape_html(interval_label(difference.a.prediction.intervals[interval.a].info));
}

std::string intervals_section(const Difference& difference) {
  std::string text = "<section class=\"box\" id=\"intervals\"><h2>Intervals</h2>\n" +
                     table_begin(
                         "<th class=\"l\">Interval</th><th>Level</th><th>A</th><th>B</th><th>B − "
                         "A</th><th>B / A</th><th>Efficiency of A</th><th>Efficiency of B</th>");
  const std::size_t shown = std::min(most_intervals, difference.intervals.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const IntervalDifference& interval = difference.intervals[i];
    const auto& first = difference.a.prediction.intervals[interval.a];
    const auto& second = difference.b.prediction.intervals[interval.b];
    text += fmt::format(
        "<tr id=\"interval-{}\"><td class=\"l\">{}</td><td>{}</td>{}<td>{}</td><td>{}</td></tr>\n",
        interval.a + 1, label_of(difference, interval), first.info.level,
        figure_cells(interval.time), format_efficiency(first.sums.efficiency),
        format_efficiency(second.sums.efficiency));
  }
  return text + table_end(shown, difference.intervals.size()) + "</section>\n";
}

std::string unmatched_section(const char* letter, const DifferenceSide& side,
                              const std::vector<std::size_t>& indices) {
  if (indices.empty()) {
    return {};
  }
  std::string text = fmt::format(
      "<section class=\"box\" id=\"only-{0}\"><h2>Only in {0}</h2>\n{1}", letter,
      table_begin("<th class=\"l\">Interval</th><th>Execution time</th><th>Lost time</th>"));
  const std::size_t shown = std::min(most_intervals, indices.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const model::IntervalResult& interval = side.prediction.intervals[indices[i]];
    text += fmt::format(
        "<tr><td class=\"l\">{}</td>{}{}</tr>\n", escape_html(interval_label(interval.info)),
        time_cell(interval.sums.execution_time), time_cell(interval.sums.lost_time));
  }
  return text + table_end(shown, indices.size()) + "</section>\n";
}

/// Every characteristic that changed, those of the whole program first.
std::string characteristics_section(const Difference& difference) {
  std::vector<const IntervalDifference*> order;
  for (const IntervalDifference& interval : difference.intervals) {
    order.insert(interval.a == 0 ? order.begin() : order.end(), &interval);
  }
  std::string text =
      "<section class=\"box\" id=\"characteristics\"><h2>Characteristics</h2>\n<p "
      "class=\"mute\">Sums over the processors; those that differ.</p>\n" +
      table_begin(
          "<th class=\"l\">Interval</th><th class=\"l\">Characteristic</th><th>A</th>"
          "<th>B</th><th>B − A</th><th>B / A</th>");
  std::size_t shown = 0;
  std::size_t all = 0;
  for (const IntervalDifference* interval : order) {
    for (const FigureDifference& figure : interval->figures) {
      if (!figure.changed() || ++all > most_characteristics) {
        continue;
      }
      ++shown;
      text += fmt::format(
          "<tr><td class=\"l\">{}</td><td class=\"l\" data-name=\"{}\">{}</td>{}</tr>\n",
          label_of(difference, *interval), figure.name, escape_html(figure.meaning),
          figure_cells(figure));
    }
  }
  return text + table_end(shown, all) + "</section>\n";
}

}  // namespace

std::string figures_section(std::span<const FigureDifference> figures, const std::string& note) {
  std::string rows;
  for (const FigureDifference& figure : figures) {
    if (figure.changed()) {
      rows += fmt::format("<tr><td class=\"l\" data-name=\"{}\">{}</td>{}</tr>\n", figure.name,
                          escape_html(figure.meaning), figure_cells(figure));
    }
  }
  const std::string table =
      rows.empty() ? std::string("<p>None differs.</p>\n")
                   : table_begin(
                         "<th class=\"l\">Characteristic</th><th>A</th><th>B</th><th>B − "
                         "A</th><th>B / A</th>") +
                         rows + table_end(0, 0);
  return "<section class=\"box\" id=\"characteristics\"><h2>Characteristics</h2>\n" + note + table +
         "</section>\n";
}

void write_difference_html(std::ostream& out, const Difference& difference) {
  const std::string text =
      page_begin("Difference: " + difference.a.name + ", " + difference.b.name, false) +
      "<h1>Two predictions compared</h1>\n" + side_line("A", difference.a) +
      side_line("B", difference.b) + difference_cards(difference) + losses_section(difference) +
      parts_section(difference) + intervals_section(difference) +
      unmatched_section("A", difference.a, difference.only_a) +
      unmatched_section("B", difference.b, difference.only_b) +
      characteristics_section(difference) +
      fmt::format("<script>{}{}</script>\n", embedded::csv_script, embedded::tables_script) +
      page_end();
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
}

}  // namespace gridcast::report
