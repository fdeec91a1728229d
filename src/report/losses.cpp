#include "losses.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "gridcast/base/printable.h"
#include "gridcast/base/readable.h"
#include "gridcast/report/format.h"
#include "gridcast/report/page.h"

namespace gridcast::report {
namespace {

using model::Alternative;
using model::Loss;
using model::Losses;

double total_time(const model::Prediction& prediction) {
  return prediction.intervals.front().sums.total_time;
}

/// The alternative under which least of a loss remains, if that is worth a word.
std::optional<std::size_t> remedy(const Losses& losses, const Loss& loss) {
  constexpr double worth_telling = 0.95;
  const auto least = std::min_element(loss.instead.begin(), loss.instead.end());
  if (least == loss.instead.end() || *least > worth_telling * loss.seconds) {
    return std::nullopt;
  }
  const auto which = static_cast<std::size_t>(least - loss.instead.begin());
  return which < losses.alternatives.size() ? std::optional(which) : std::nullopt;
}

std::string with(const Alternative& alternative) {
  return (alternative.change.starts_with("grid ") ? "on " : "with ") + alternative.change;
}

/// "1.2 s, 12.3 % less".
std::string time_text(const Alternative& alternative, double now) {
  const double saved = now - alternative.execution_time;
  return fmt::format("{}, {} {}", seconds_text(alternative.execution_time),
                     format_share(std::abs(saved), now), saved >= 0.0 ? "less" : "more");
}

/// "; 40 % with the neighbour at -1,0", of the one with most of it.
std::string neighbour_text(const Loss& loss) {
  constexpr double worth_telling = 0.33;
  if (loss.neighbours.empty() || loss.neighbours.front().seconds < worth_telling * loss.seconds) {
    return {};
  }
  const model::NeighbourLoss& most = loss.neighbours.front();
  return fmt::format("; {} with the neighbour at {}", format_share(most.seconds, loss.seconds),
                     fmt::join(most.from, ","));
}

std::string line_of(const Losses& losses, const Loss& loss, double total) {
  std::string text = fmt::format("{:>12}{:>9}  {:<22}  {}, {}", seconds_text(loss.seconds),
                                 format_share(loss.seconds, total), printable(loss_place(loss)),
                                 loss_activity(loss.activity), printable(loss_cause(loss)));
  text += neighbour_text(loss);
  if (const auto which = remedy(losses, loss)) {
    const Alternative& alternative = losses.alternatives[*which];
    const double left = loss.instead[*which];
    text += fmt::format("; {} {} ({})", printable(with(alternative)), seconds_text(left),
                        format_share(left, alternative.total_time));
  }
  return text + "\n";
}

std::string row_of(const Losses& losses, const Loss& loss, double total) {
  std::string text = fmt::format(
      "<tr><td class=\"l\">{}</td><td class=\"l\">{}, {}{}</td>{}<td>{}</td>",
      escape_html(loss_place(loss)), loss_activity(loss.activity), escape_html(loss_cause(loss)),
      neighbour_text(loss), time_cell(loss.seconds), format_share(loss.seconds, total));
  for (std::size_t i = 0; i < losses.alternatives.size(); ++i) {
    const double seconds = i < loss.instead.size() ? loss.instead[i] : 0.0;
    text += fmt::format("<td title=\"{} s\">{}</td>", exact(seconds),
                        format_share(seconds, losses.alternatives[i].total_time));
  }
  return text + "</tr>\n";
}

std::string table_of(const model::Prediction& prediction) {
  const Losses& losses = *prediction.losses;
  std::string text =
      "<div class=\"scroll\" tabindex=\"0\"><table class=\"losses\"><thead><tr><th>Place</th><th "
      "class=\"l\">What "
      "and why</th><th>Lost</th><th>Of the total time</th>";
  for (const Alternative& alternative : losses.alternatives) {
    text += fmt::format("<th>{}</th>", escape_html(with(alternative)));
  }
  text += "</tr></thead><tbody>\n";
  const double total = total_time(prediction);
  const std::size_t shown = std::min(shown_losses, losses.losses.size());
  for (std::size_t i = 0; i < shown; ++i) {
    text += row_of(losses, losses.losses[i], total);
  }
  text += fmt::format("<tr class=\"g\"><td class=\"l\">all</td><td class=\"l\"></td>{}<td>{}</td>",
                      time_cell(losses.lost_time), format_share(losses.lost_time, total));
  for (const Alternative& alternative : losses.alternatives) {
    text += fmt::format("<td>{}</td>", format_share(alternative.lost_time, alternative.total_time));
  }
  return text + "</tr></tbody></table></div>\n";
}

}  // namespace

std::string_view loss_activity(model::Activity activity) {
  constexpr std::array<std::string_view, model::activity_count> texts{
      "computation", "loop",         "pipelined loop", "run-time library", "input and output",
      "reduction",   "shadow edges", "remote access",  "redistribution",   "program"};
  return texts[static_cast<std::size_t>(activity)];
}

std::string loss_cause(const model::Loss& loss) {
  switch (loss.cause) {
    case model::Cause::parallelism:
      return "insufficient parallelism";
    case model::Cause::imbalance:
      return "imbalance: waiting for those with more of it";
    case model::Cause::io:
      return "waiting for processor 0";
    case model::Cause::fill:
      return "waiting for the pipeline to fill or empty";
    case model::Cause::edges:
      return "waiting for edges of the pipeline";
    case model::Cause::latency:
      return "latency of " + loss.network;
    case model::Cause::bandwidth:
      return "bandwidth of " + loss.network;
    case model::Cause::contention:
      return "contention for " + loss.network;
    case model::Cause::overhead:
      return "costs of the run-time library";
    case model::Cause::waiting:
      break;
  }
  return "waiting for others";
}

std::string loss_place(const model::Loss& loss) {
  return fmt::format("{}:{}", loss.file, loss.line);
}

std::string losses_text(const model::Prediction& prediction) {
  if (!prediction.losses || prediction.intervals.empty()) {
    return {};
  }
  const Losses& losses = *prediction.losses;
  if (!losses.omitted.empty()) {
    return "\nlost time by place and cause was not worked out: " + losses.omitted + "\n";
  }
  if (losses.losses.empty()) {
    return {};
  }
  const std::size_t shown = std::min(shown_losses, losses.losses.size());
  std::string text =
      fmt::format("\nlost time by place and cause ({} of {}), shares of total time\n", shown,
                  losses.losses.size());
  const double total = total_time(prediction);
  for (std::size_t i = 0; i < shown; ++i) {
    text += line_of(losses, losses.losses[i], total);
  }
  for (const Alternative& alternative : losses.alternatives) {
    text += fmt::format("the whole program {}: {}\n", printable(with(alternative)),
                        time_text(alternative, prediction.intervals.front().sums.execution_time));
  }
  return text;
}

std::string losses_html(const model::Prediction& prediction) {
  if (!prediction.losses || prediction.intervals.empty()) {
    return {};
  }
  const Losses& losses = *prediction.losses;
  if (losses.omitted.empty() && losses.losses.empty()) {
    return {};
  }
  std::string text = "<section class=\"box\" id=\"losses\">\n<h2>Where time is lost</h2>\n";
  if (!losses.omitted.empty()) {
    return text +
           fmt::format("<p>Not worked out: {}.</p>\n</section>\n", escape_html(losses.omitted));
  }
  text += fmt::format(
      "<p class=\"mute\">Lost time of all processors, {} of {} places and causes. On the right, "
      "what "
      "remains if one thing is different: predicted, in shares of the total time then.</p>\n",
      std::min(shown_losses, losses.losses.size()), losses.losses.size());
  text += table_of(prediction);
  const double now = prediction.intervals.front().sums.execution_time;
  text += "<ul>\n";
  for (const Alternative& alternative : losses.alternatives) {
    text += fmt::format("<li>The whole program {}: {}</li>\n", escape_html(with(alternative)),
                        time_text(alternative, now));
  }
  return text + "</ul>\n</section>\n";
}

}  // namespace gridcast::report
