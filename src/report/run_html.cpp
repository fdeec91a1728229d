#include "run_html.h"

#include <fmt/format.h>

#include <algorithm>

#include "embedded_data.h"
#include "gridcast/base/printable.h"
#include "gridcast/base/readable.h"
#include "gridcast/report/format.h"
#include "run_classes.h"
#include "run_script.h"

namespace gridcast::report {
namespace {

/// Classes are drawn up to so many, and up to so many steps.
constexpr std::size_t most_lines = 100;
constexpr std::size_t most_steps = 40'000;

template <class Items, class F>
std::string list_of(const Items& items, F&& text) {
  std::string result;
  for (const auto& item : items) {
    result += (result.empty() ? "" : ",") + text(item);
  }
  return "[" + result + "]";
}

std::string line_data(const RunClass& line) {
  std::int64_t before = 0;
  return list_of(line.steps, [&before](const RunStep& step) {
    const std::int64_t length = step.end - before;
    before = step.end;
    return fmt::format("{},{}", length, step.kind);
  });
}

/// How many classes have a line.
std::size_t lines_shown(const RunClasses& run) {
  std::size_t lines = 0;
  std::size_t steps = 0;
  while (lines < std::min(run.classes.size(), most_lines)) {
    steps += run.classes[lines].steps.size();
    if (steps > most_steps && lines > 0) {
      break;
    }
    ++lines;
  }
  return lines;
}

/// Shares of all processors in order: which, of how many, which, of how many...
std::string runs_of(const std::vector<std::uint32_t>& shares) {
  std::vector<std::pair<std::uint32_t, std::size_t>> runs;
  for (const std::uint32_t each : shares) {
    if (runs.empty() || runs.back().first != each) {
      runs.emplace_back(each, 0);
    }
    ++runs.back().second;
  }
  return list_of(runs, [](const auto& run) { return fmt::format("{},{}", run.first, run.second); });
}

std::string data_of(const model::Timeline& timeline, const RunClasses& run, std::size_t lines,
                    const machine::Grid& grid) {
  std::string text = fmt::format(
      "{{\"time\":{},\"grid\":{},", exact(timeline.execution_time),
      list_of(grid.extents(), [](std::int32_t extent) { return std::to_string(extent); }));
  std::array<std::string, model::doing_count> names;
  for (std::size_t i = 0; i < names.size(); ++i) {
    names[i] = model::name(static_cast<model::Doing>(i));
  }
  text += "\"doing\":" + list_of(names, [](const std::string& name) { return '"' + name + '"'; });
  text += ",\"kinds\":" + list_of(run.kinds, [](const RunKind& kind) {
            return fmt::format("[{},{}]", static_cast<int>(kind.doing), json_quoted(kind.text));
          });
  text += ",\n\"classes\":" + list_of(run.classes, [](const RunClass& each) {
            return fmt::format("[{},{}]", each.first, each.processors);
          });
  text += ",\n\"shares\":" + list_of(run.shares, [](const RunShares& each) {
            return list_of(each, [](double share) { return fmt::format("{:.4g}", share); });
          });
  text += ",\n\"map\":" + runs_of(run.of_processor);
  const std::span shown(run.classes.data(), lines);
  return text + ",\n\"lines\":" + list_of(shown, line_data) + "}";
}

std::string legend_of() {
  std::string text;
  for (std::size_t i = 0; i < model::doing_count; ++i) {
    text += fmt::format("<li><b class=\"key d{}\">&nbsp;</b> {}</li>", i,
                        model::name(static_cast<model::Doing>(i)));
  }
  return "<ul class=\"legend\">" + text + "</ul>\n";
}

constexpr std::string_view map_part = R"(<h3>Processors</h3>
<p><label>Shown: <select id="map-what"><option value="busy">busy</option><option value="waiting">waiting</option>
<option value="idle">idle</option></select></label></p>
<canvas id="map" width="640" height="40" role="img" aria-label="Map of the processors of the grid"></canvas>
<p id="map-text" class="mute" aria-live="polite"></p>
)";

constexpr std::string_view line_part = R"(<h3>Time line</h3>
<p class="nav"><button type="button" id="line-in">closer</button><button type="button" id="line-out">farther</button>
<button type="button" id="line-left">earlier</button><button type="button" id="line-right">later</button>
<button type="button" id="line-all">all</button></p>
<div class="scroll"><canvas id="line" width="1000" height="40" tabindex="0" role="img"
aria-label="Time line of the classes of processors"></canvas></div>
<p id="line-text" class="mute" aria-live="polite"></p>
)";

}  // namespace

std::string run_html(const model::Timeline& timeline, const machine::Grid& grid) {
  std::string text = "<section class=\"box\" id=\"run\">\n<h2>The run</h2>\n";
  if (!timeline.omitted.empty() || timeline.phases.empty()) {
    return text + fmt::format("<p>Not drawn: {}.</p>\n</section>\n",
                              timeline.omitted.empty() ? std::string("it takes no time")
                                                       : escape_html(timeline.omitted));
  }
  const RunClasses run = classes_of(timeline);
  const std::size_t lines = lines_shown(run);
  text += fmt::format(
      "<p class=\"mute\">{} in {}: those of a class do the same at the same times, to a thousandth "
      "of the run.</p>\n",
      counted(static_cast<std::int64_t>(timeline.processors), "processor"),
      run.classes.size() == 1 ? std::string("1 class")
                              : std::to_string(run.classes.size()) + " classes");
  text += map_part;
  text += line_part;
  if (lines < run.classes.size()) {
    text += fmt::format("<p class=\"mute\">The first {} of {} classes are drawn.</p>\n", lines,
                        run.classes.size());
  }
  text += legend_of();
  text += data_element("run-data", DataKind::json, data_of(timeline, run, lines, grid));
  text += fmt::format("<script>{}</script>\n", run_script());
  return text + "</section>\n";
}

}  // namespace gridcast::report
