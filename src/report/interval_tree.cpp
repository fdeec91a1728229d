#include "interval_tree.h"

#include <fmt/format.h>

#include "gridcast/base/contract.h"
#include "gridcast/base/readable.h"
#include "gridcast/report/format.h"
#include "gridcast/report/page.h"

namespace gridcast::report {
namespace {

/// The tree opens as many levels as keep it within this many rows.
constexpr std::size_t rows_open = 60;

/// Number of levels of which all rows fit; at least the first.
std::int32_t open_levels(const std::vector<model::IntervalResult>& intervals) {
  std::vector<std::size_t> per_level;
  for (const model::IntervalResult& interval : intervals) {
    const auto level = static_cast<std::size_t>(interval.info.level);
    if (level >= per_level.size()) {
      per_level.resize(level + 1);
    }
    ++per_level[level];
  }
  std::size_t rows = 0;
  std::int32_t levels = 0;
  for (const std::size_t count : per_level) {
    rows += count;
    if (rows > rows_open) {
      break;
    }
    ++levels;
  }
  return levels;
}

std::string row_cells(std::size_t index, const model::IntervalResult& interval) {
  const model::Characteristics& sums = interval.sums;
  const std::string count =
      interval.info.count == 1
          ? std::string()
          : fmt::format(" <span class=\"mute\">×{}</span>", grouped(interval.info.count));
  return fmt::format(
      "<span class=\"n\"><a href=\"#interval-{}\">{}</a>{}</span>{}<span class=\"v\">{:.3f}</span>"
      "<span class=\"v\" title=\"{} s\">{}</span><span class=\"v w\" title=\"{} s\">{}</span>",
      index + 1, escape_html(interval_label(interval.info)), count, efficiency_bar(sums.efficiency),
      sums.efficiency, exact(sums.execution_time), seconds_text(sums.execution_time),
      exact(sums.lost_time), seconds_text(sums.lost_time));
}

}  // namespace

std::vector<IntervalLinks> link_intervals(const std::vector<model::IntervalResult>& intervals) {
  std::vector<IntervalLinks> links(intervals.size());
  for (std::size_t index = 0; index < intervals.size(); ++index) {
    const std::int32_t parent = intervals[index].info.parent;
    if (parent < 0) {
      continue;
    }
    const auto up = static_cast<std::size_t>(parent);
    expects(up < index, "a parent precedes its nested intervals");
    links[index].up = up;
    if (!links[up].nested.empty()) {
      links[index].previous = links[up].nested.back();
      links[links[up].nested.back()].next = index;
    }
    links[up].nested.push_back(index);
  }
  return links;
}

std::string tree_html(const std::vector<model::IntervalResult>& intervals,
                      const std::vector<IntervalLinks>& links) {
  const std::int32_t open = open_levels(intervals);
  std::string text =
      "<nav class=\"box tree\" aria-label=\"Intervals\">\n<div class=\"tr "
      "th\"><span>Interval</span>"
      "<span>Efficiency</span><span></span><span class=\"v\">Execution time</span>"
      "<span class=\"v w\">Lost time</span></div>\n";
  // Depth-first order: `enclosing` holds the intervals whose lists are still open.
  std::vector<std::size_t> enclosing;
  for (std::size_t index = 0; index < intervals.size(); ++index) {
    while (!enclosing.empty() && links[index].up != enclosing.back()) {
      text += "</div></details></div>\n";
      enclosing.pop_back();
    }
    const std::string cells = row_cells(index, intervals[index]);
    if (links[index].nested.empty()) {
      text += fmt::format("<div class=\"tr\">{}</div>\n", cells);
    } else {
      text += fmt::format(
          "<div class=\"node\"><div class=\"tr\">{}</div><details{}><summary aria-label=\"Nested "
          "in "
          "{}\"></summary><div class=\"kids\">\n",
          cells, intervals[index].info.level + 1 < open ? " open" : "",
          escape_html(interval_label(intervals[index].info)));
      enclosing.push_back(index);
    }
  }
  for (std::size_t level = 0; level < enclosing.size(); ++level) {
    text += "</div></details></div>\n";
  }
  return text + "</nav>\n";
}

}  // namespace gridcast::report
