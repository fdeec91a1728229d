#include "critical_path.h"

#include <fmt/format.h>

#include <algorithm>

#include "gridcast/base/printable.h"
#include "gridcast/base/readable.h"
#include "gridcast/report/format.h"
#include "gridcast/report/page.h"
#include "losses.h"

namespace gridcast::report {
namespace {

using model::CriticalPath;
using model::PathKind;
using model::PathPart;

/// "loop", "shadow edges, bandwidth of node".
std::string what_of(const PathPart& part) {
  std::string activity(loss_activity(part.activity));
  switch (part.kind) {
    case PathKind::work:
      return activity;
    case PathKind::overhead:
      return activity + ", sending and receiving";
    case PathKind::contention:
      return activity + ", contention for " + part.network;
    default:
      return fmt::format("{}, {} of {}", activity, name(part.kind), part.network);
  }
}

std::string place_of(const PathPart& part) { return fmt::format("{}:{}", part.file, part.line); }

/// "ends on process 63, 12 messages".
std::string summary_of(const CriticalPath& path) {
  return fmt::format("ends on process {}, {}", path.last_process,
                     counted(path.messages, "message"));
}

std::size_t shown(const CriticalPath& path) { return std::min(shown_losses, path.parts.size()); }

}  // namespace

std::string critical_path_text(const model::Prediction& prediction) {
  if (!prediction.critical_path) {
    return {};
  }
  const CriticalPath& path = *prediction.critical_path;
  if (!path.omitted.empty()) {
    return "\ncritical path was not worked out: " + path.omitted + "\n";
  }
  std::string text =
      fmt::format("\ncritical path ({} of {}), shares of {}, {}\n", shown(path), path.parts.size(),
                  seconds_text(path.execution_time), summary_of(path));
  for (std::size_t i = 0; i < shown(path); ++i) {
    const PathPart& part = path.parts[i];
    text += fmt::format("{:>12}{:>9}  {:<22}  {}; most on process {}\n", seconds_text(part.seconds),
                        format_share(part.seconds, path.execution_time), printable(place_of(part)),
                        printable(what_of(part)), part.process);
  }
  return text;
}

std::string critical_path_html(const model::Prediction& prediction) {
  if (!prediction.critical_path) {
    return {};
  }
  const CriticalPath& path = *prediction.critical_path;
  std::string text = "<section class=\"box\" id=\"path\">\n<h2>Critical path</h2>\n";
  if (!path.omitted.empty()) {
    return text +
           fmt::format("<p>Not worked out: {}.</p>\n</section>\n", escape_html(path.omitted));
  }
  text += fmt::format(
      "<p class=\"mute\">What decides when the run ends: from the last process back to the begin, "
      "what it did, or the message that it waited for and what the sender did before. It {}; {} of "
      "{} parts.</p>\n",
      summary_of(path), shown(path), path.parts.size());
  text +=
      "<div class=\"scroll\" tabindex=\"0\"><table class=\"losses\"><thead><tr><th>Place</th><th "
      "class=\"l\">What</th><th>Time</th><th>Of the run</th><th>Most on process</th></tr></thead>"
      "<tbody>\n";
  for (std::size_t i = 0; i < shown(path); ++i) {
    const PathPart& part = path.parts[i];
    text += fmt::format(
        "<tr><td class=\"l\">{}</td><td class=\"l\">{}</td>{}<td>{}</td><td>{}</td></tr>\n",
        escape_html(place_of(part)), escape_html(what_of(part)), time_cell(part.seconds),
        format_share(part.seconds, path.execution_time), part.process);
  }
  return text + "</tbody></table></div>\n</section>\n";
}

}  // namespace gridcast::report
