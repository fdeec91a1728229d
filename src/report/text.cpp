#include "gridcast/report/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "critical_path.h"
#include "gridcast/base/printable.h"
#include "gridcast/base/readable.h"
#include "gridcast/report/answer.h"
#include "gridcast/report/format.h"
#include "losses.h"

namespace gridcast::report {
namespace {

constexpr std::size_t shown_intervals = 10;

std::string figure(int indent, std::string_view name, double seconds, double whole) {
  return fmt::format("{:{}}{:<{}}{:>12}{:>9}\n", "", indent, name, 30 - indent,
                     seconds_text(seconds), format_share(seconds, whole));
}

std::string joined(const std::vector<std::string>& names) {
  std::vector<std::string> shown;
  shown.reserve(names.size());
  for (const std::string& name : names) {
    shown.push_back(printable(name));
  }
  return fmt::format("{}", fmt::join(shown, ", "));
}

/// How far apart processors complete operations: no part of the lost time, but what it may lead to.
std::string variations(const model::IntervalResult& program) {
  const double total = program.sums.total_time;
  if (!(program.sums.time_variation > 0.0)) {
    return {};
  }
  std::string text = figure(0, "time variation, by kind", program.sums.time_variation, total);
  for (std::size_t kind = 0; kind < model::operation_count; ++kind) {
    if (program.time_variations[kind] > 0.0) {
      text += figure(2, operation_title(static_cast<model::Operation>(kind)),
                     program.time_variations[kind], total);
    }
  }
  return text;
}

std::string program_figures(const model::IntervalResult& program) {
  const model::Characteristics& sums = program.sums;
  const double total = sums.total_time;
  std::string text =
      fmt::format("{:<30}{:>12}\n", "efficiency", format_efficiency(sums.efficiency));
  text += fmt::format("{:<30}{:>12}", "execution time", seconds_text(sums.execution_time));
  if (program.execution_time_low && program.execution_time_high) {
    text += fmt::format("  ({} to {} by the spread of the runs)",
                        seconds_text(*program.execution_time_low),
                        seconds_text(*program.execution_time_high));
  }
  text += "\n";
  text += figure(0, "total time of processors", total, total);
  text += figure(2, "productive", sums.productive_time, total);
  text += figure(4, "CPU", sums.productive_cpu_time, total);
  text += figure(4, "SYS", sums.productive_sys_time, total);
  text += figure(4, "I/O", sums.io_time, total);
  text += figure(2, "lost", sums.lost_time, total);
  text += figure(4, "insufficient parallelism", sums.insufficient_parallelism, total);
  text += figure(4, "communication", sums.communication, total);
  for (std::size_t kind = 0; kind < model::operation_count; ++kind) {
    if (sums.operation_counts[kind] > 0 || sums.operations[kind].communication > 0.0) {
      text += figure(6, operation_title(static_cast<model::Operation>(kind)),
                     sums.operations[kind].communication, total);
    }
    if (static_cast<model::Operation>(kind) == model::Operation::shadow &&
        program.pipelined.communication > 0.0) {
      text += figure(8, "of it pipelined loops", program.pipelined.communication, total);
    }
  }
  text += figure(4, "idle", sums.idle, total);
  return text + variations(program);
}

std::vector<std::size_t> by_lost_time(const std::vector<model::IntervalResult>& intervals) {
  std::vector<std::size_t> order;
  for (std::size_t index = 1; index < intervals.size(); ++index) {
    order.push_back(index);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return intervals[a].sums.lost_time > intervals[b].sums.lost_time;
  });
  return order;
}

std::string interval_table(const std::vector<model::IntervalResult>& intervals) {
  const std::vector<std::size_t> order = by_lost_time(intervals);
  const std::size_t rows = std::min(order.size(), shown_intervals);
  std::string text =
      fmt::format("\nintervals by lost time ({} of {})\n{:>6}  {:<36}{:>8}{:>11}{:>12}{:>12}\n",
                  rows, order.size(), "id", "interval", "count", "efficiency", "execution", "lost");
  for (std::size_t row = 0; row < rows; ++row) {
    const model::IntervalResult& interval = intervals[order[row]];
    text += fmt::format(
        "{:>6}  {:<36}{:>8}{:>11}{:>12}{:>12}\n", order[row] + 1, interval_label(interval.info),
        interval.info.count, format_efficiency(interval.sums.efficiency),
        seconds_text(interval.sums.execution_time), seconds_text(interval.sums.lost_time));
  }
  return text;
}

}  // namespace

std::string text_summary(const model::Prediction& prediction) {
  const std::string placement =
      prediction.placement ? ", placed by " + prediction.placement->text(prediction.grid.rank())
                           : "";
  const std::string nodes = prediction.nodes.empty() ? "" : " on " + nodes_text(prediction.nodes);
  std::string text = fmt::format("{} on {}, grid {} ({}{}{})\n", joined(prediction.traces),
                                 printable(prediction.machine), prediction.grid.text(),
                                 size_text(prediction), nodes, placement);
  if (const std::string assumed = model::assumed_text(prediction.assumed); !assumed.empty()) {
    text += "assumed " + printable(assumed) + "\n";
  }
  text += "\n";
  if (prediction.intervals.empty()) {
    return text + "The trace has no interval.\n";
  }
  const model::IntervalResult& program = prediction.intervals.front();
  text += program_figures(program);
  if (prediction.recording.cost > 0.0) {
    text += fmt::format("{:<30}{:>12}{:>9} of the recorded time\n", "cost of recording taken off",
                        seconds_text(prediction.recording.removed),
                        format_share(prediction.recording.removed, prediction.recording.recorded));
  }
  if (prediction.memory_per_processor) {
    text += fmt::format("{:<30}{:>12}\n", "memory, fullest processor",
                        bytes_text(*prediction.memory_per_processor));
  }
  text += fmt::format("\n{}\n", explain(program));
  text += losses_text(prediction);
  text += critical_path_text(prediction);
  if (prediction.intervals.size() > 1) {
    text += interval_table(prediction.intervals);
  }
  return wrapped(text);
}

}  // namespace gridcast::report
