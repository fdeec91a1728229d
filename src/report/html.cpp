#include "gridcast/report/html.h"

#include <fmt/format.h>

#include <ostream>

#include "critical_path.h"
#include "gridcast/base/readable.h"
#include "gridcast/report/format.h"
#include "gridcast/report/page.h"
#include "icicle.h"
#include "interval_html.h"
#include "losses.h"
#include "placement_html.h"
#include "run_html.h"

namespace gridcast::report {
namespace {

/// Memory of the fullest processor, if it is known.
std::string memory_note(const model::Prediction& prediction) {
  return prediction.memory_per_processor
             ? ", memory up to " + bytes_text(*prediction.memory_per_processor)
             : std::string();
}

std::string key_figures(const model::Prediction& prediction) {
  std::vector<std::pair<std::string, std::string>> figures;
  figures.reserve(5);
  if (!prediction.intervals.empty()) {
    const model::IntervalResult& program = prediction.intervals.front();
    const model::Characteristics& sums = program.sums;
    std::string time = seconds_text(sums.execution_time);
    if (program.execution_time_low && program.execution_time_high) {
      time += fmt::format(" <small>{} to {} by the spread of the runs</small>",
                          seconds_text(*program.execution_time_low),
                          seconds_text(*program.execution_time_high));
    }
    figures.emplace_back("Execution time", time);
    figures.emplace_back("Efficiency", format_efficiency(sums.efficiency));
    figures.emplace_back(
        "Lost time",
        fmt::format("{} <small>{} of {}</small>", format_share(sums.lost_time, sums.total_time),
                    seconds_text(sums.lost_time), seconds_text(sums.total_time)));
  }
  figures.emplace_back("Grid", fmt::format("{} <small>{}{}{}</small>", grid_title(prediction.grid),
                                           size_text(prediction), placement_note(prediction),
                                           memory_note(prediction)));
  figures.emplace_back("Machine", escape_html(prediction.machine));
  return cards(figures);
}

}  // namespace

void write_html(std::ostream& out, const model::Prediction& prediction, std::string_view title,
                const model::Timeline* run) {
  std::string text = page_begin(title, prediction.intervals.size() > many_intervals);
  text += fmt::format("<h1>{}</h1>\n<p class=\"sub\">Predicted from {}</p>\n", escape_html(title),
                      escape_html(fmt::format("{}", fmt::join(prediction.traces, ", "))));
  if (const std::string assumed = model::assumed_text(prediction.assumed); !assumed.empty()) {
    text += fmt::format("<p class=\"sub\">Assumed: {}</p>\n", escape_html(assumed));
  }
  text += key_figures(prediction);
  if (prediction.recording.cost > 0.0) {
    text += fmt::format(
        "<p class=\"sub\">Cost of recording, taken off: {}, {} of the recorded time</p>\n",
        seconds_text(prediction.recording.removed),
        format_share(prediction.recording.removed, prediction.recording.recorded));
  }
  text += warnings_box(prediction.warnings);
  text += losses_html(prediction);
  text += critical_path_html(prediction);
  text += icicle_html(prediction);
  text += placement_html(prediction);
  if (run != nullptr) {
    text += run_html(*run, prediction.grid);
  }
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  write_intervals(out, prediction);
  const std::string end = page_end();
  out.write(end.data(), static_cast<std::streamsize>(end.size()));
}

}  // namespace gridcast::report
