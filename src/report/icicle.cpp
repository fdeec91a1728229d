#include "icicle.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "gridcast/base/readable.h"
#include "gridcast/report/format.h"

namespace gridcast::report {
namespace {

/// Parts of the whole: narrower boxes are left out, and from `readable` on they have names.
constexpr double narrowest = 0.002;
constexpr double readable = 0.05;

struct IcicleBox {
  std::size_t interval = 0;
  double left = 0.0;  ///< in parts of the whole
  double width = 0.0;
};

/// The boxes of each level. A nested interval begins where the one before it ends.
std::vector<std::vector<IcicleBox>> boxes_of(const std::vector<model::IntervalResult>& intervals) {
  const double whole = intervals.front().sums.total_time;
  std::vector<double> next(intervals.size(), 0.0);  // where the next nested one begins
  std::vector<std::vector<IcicleBox>> levels;
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    const model::IntervalInfo& info = intervals[i].info;
    const double width = intervals[i].sums.total_time / whole;
    double left = 0.0;
    if (info.parent >= 0) {
      double& after = next[static_cast<std::size_t>(info.parent)];
      left = after;
      after += width;
    }
    next[i] = left;
    if (width >= narrowest) {
      levels.resize(std::max(levels.size(), static_cast<std::size_t>(info.level) + 1));
      levels[static_cast<std::size_t>(info.level)].push_back({i, left, width});
    }
  }
  return levels;
}

std::string placed(double left, double width) {
  return fmt::format("left:{:.3f}%;width:{:.3f}%", 100.0 * left, 100.0 * width);
}

std::string_view tint_of(double efficiency) {
  return efficiency >= 0.8 ? "e1" : efficiency >= 0.5 ? "e2" : "e3";
}

std::string interval_box(const IcicleBox& box, const model::IntervalResult& interval) {
  const std::string label = escape_html(interval_label(interval.info));
  return fmt::format(
      "<a class=\"{}\" href=\"#interval-{}\" tabindex=\"-1\" style=\"{}\" title=\"{}: {} of all "
      "processors, {} of the total time, efficiency {}\">{}</a>",
      tint_of(interval.sums.efficiency), box.interval + 1, placed(box.left, box.width), label,
      seconds_text(interval.sums.total_time), format_share(box.width, 1.0),
      format_efficiency(interval.sums.efficiency), box.width >= readable ? label : "");
}

/// Lost seconds by place, the most first.
std::vector<std::pair<std::string, double>> places_of(const model::Losses& losses) {
  std::map<std::string, double> seconds;
  for (const model::Loss& loss : losses.losses) {
    seconds[fmt::format("{}:{}", loss.file, loss.line)] += loss.seconds;
  }
  std::vector<std::pair<std::string, double>> places(seconds.begin(), seconds.end());
  std::stable_sort(places.begin(), places.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return places;
}

std::string places_row(const model::Prediction& prediction) {
  if (!prediction.losses || prediction.losses->losses.empty()) {
    return {};
  }
  const double whole = prediction.intervals.front().sums.total_time;
  const double productive = prediction.intervals.front().sums.productive_time;
  double left = 0.0;
  std::string row;
  const auto add = [&](std::string_view tint, const std::string& name, double seconds) {
    const double width = seconds / whole;
    if (width >= narrowest) {
      row += fmt::format("<span class=\"{}\" style=\"{}\" title=\"{}: {}, {}\">{}</span>", tint,
                         placed(left, width), name, seconds_text(seconds), format_share(width, 1.0),
                         width >= readable ? name : "");
    }
    left += width;
  };
  add("e1", "productive", productive);
  for (const auto& [place, seconds] : places_of(*prediction.losses)) {
    add("e3", "lost at " + escape_html(place), seconds);
  }
  return "<p class=\"mute\">Productive time, and the places where time is lost</p>\n<div "
         "class=\"ice places\">" +
         row + "</div>\n";
}

}  // namespace

std::string icicle_html(const model::Prediction& prediction) {
  if (prediction.intervals.empty() || !(prediction.intervals.front().sums.total_time > 0.0)) {
    return {};
  }
  std::string text =
      "<section class=\"box\" id=\"icicle\">\n<h2>Where the total time is spent</h2>\n<p "
      "class=\"mute\">Intervals, nested ones below: as wide as the time of all processors in them. "
      "Efficiency <b class=\"key e1\">0.8 and more</b> <b class=\"key e2\">0.5 and more</b> <b "
      "class=\"key e3\">less</b></p>\n<div aria-hidden=\"true\">\n";
  for (const std::vector<IcicleBox>& level : boxes_of(prediction.intervals)) {
    text += "<div class=\"ice\">";
    for (const IcicleBox& box : level) {
      text += interval_box(box, prediction.intervals[box.interval]);
    }
    text += "</div>\n";
  }
  return text + places_row(prediction) + "</div>\n</section>\n";
}

}  // namespace gridcast::report
