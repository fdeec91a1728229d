#include "gridcast/retrace/average.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <ostream>

#include "gridcast/base/error.h"
#include "gridcast/base/readable.h"
#include "raw_trace.h"

namespace gridcast::trace {
namespace {

namespace fs = std::filesystem;

std::vector<RawTrace> read_runs(std::span<const fs::path> runs,
                                std::vector<std::string>& warnings) {
  if (runs.size() < 2) {
    throw InputError("fewer than two traces to average", "give the traces of at least two runs");
  }
  std::vector<RawTrace> traces;
  traces.reserve(runs.size());
  for (const fs::path& path : runs) {
    traces.push_back(read_raw_trace(path));
    const Program& first = traces.front().program;
    const Program& last = traces.back().program;
    if (first.process_count != last.process_count || first.traced_grid != last.traced_grid) {
      throw InputError(path.string(), 0,
                       "the run had " + std::to_string(last.process_count) +
                           " processes or another grid, that of " + first.trace_file + " " +
                           std::to_string(first.process_count),
                       "expected runs on the same grid of processes");
    }
  }
  warnings = require_same_calls(
      traces, "expected runs of the same program with the same input and processes");
  return traces;
}

std::string number(double value) {
  char text[32];
  const int size = std::snprintf(text, sizeof text, "%.9g", value);
  return {text, static_cast<std::size_t>(size)};
}

std::string listed(const Spread& spread) {
  return number(spread.mean) + " " + number(spread.smallest) + " " + number(spread.largest) + " " +
         number(spread.deviation);
}

std::string note(const CallSpread& spread) {
  return std::string(note_mark) + "spread call " + listed(spread.call_time) + " ret " +
         listed(spread.ret_time) + "\n";
}

/// Sums of the times of each function, one per run.
class FunctionSums {
public:
  explicit FunctionSums(std::size_t runs) : runs_(runs) {}

  void add(const std::string& function, std::size_t run, double time) {
    Sum& sum = sums_[function];
    sum.times.resize(runs_);
    sum.times[run] += time;
    sum.calls += run == 0 ? 1 : 0;
  }

  [[nodiscard]] std::vector<FunctionSpread> spreads() const {
    std::vector<FunctionSpread> functions;
    for (const auto& [name, sum] : sums_) {
      functions.push_back({.name = name, .calls = sum.calls, .time = spread_of(sum.times)});
    }
    std::stable_sort(
        functions.begin(), functions.end(),
        [](const FunctionSpread& a, const FunctionSpread& b) { return a.time.mean > b.time.mean; });
    return functions;
  }

private:
  struct Sum {
    std::vector<double> times;
    std::size_t calls = 0;
  };
  std::size_t runs_;
  std::map<std::string, Sum> sums_;
};

/// The time, preceded by blanks up to the width of its column.
std::string cell(double seconds) {
  constexpr std::size_t width = 13;
  const std::string text = seconds_text(seconds);
  const std::size_t length = columns_of(text);
  return std::string(width > length ? width - length : 0, ' ') + text;
}

std::string row(const std::string& name, const std::string& calls, const Spread& time) {
  char begin[80];
  std::snprintf(begin, sizeof begin, "%-20.40s %8.12s", name.c_str(), calls.c_str());
  char end[40];
  std::snprintf(end, sizeof end, " %8.2f%%\n", 100.0 * time.relative());
  return begin + cell(time.mean) + cell(time.smallest) + cell(time.largest) + end;
}

}  // namespace

Spread spread_of(std::span<const double> times) {
  Spread spread;
  const auto count = static_cast<double>(times.size());
  const auto [smallest, largest] = std::minmax_element(times.begin(), times.end());
  spread.smallest = *smallest;
  spread.largest = *largest;
  for (const double time : times) {
    spread.mean += time / count;
  }
  spread.mean = std::clamp(spread.mean, spread.smallest, spread.largest);  // rounding
  double squares = 0.0;
  for (const double time : times) {
    squares += (time - spread.mean) * (time - spread.mean);
  }
  spread.deviation = times.size() > 1 ? std::sqrt(squares / (count - 1.0)) : 0.0;
  return spread;
}

AverageResult average_traces(std::span<const fs::path> runs, std::ostream& out) {
  AverageResult result;
  const std::vector<RawTrace> traces = read_runs(runs, result.warnings);
  const RawTrace& first = traces.front();
  result.runs = traces.size();
  result.calls.reserve(first.size());
  const std::vector<std::string>& warnings = first.program.warnings;
  result.warnings.insert(result.warnings.begin(), warnings.begin(), warnings.end());
  std::vector<double> call_times(traces.size());
  std::vector<double> ret_times(traces.size());
  std::vector<double> durations(traces.size(), 0.0);
  FunctionSums sums(traces.size());
  TraceWriter writer(out);
  writer.text(first.preamble);
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (i == first.exit_at) {
      writer.text(first.ending);
    }
    for (std::size_t run = 0; run < traces.size(); ++run) {
      call_times[run] = traces[run].record(i).call_time;
      ret_times[run] = traces[run].record(i).ret_time;
      durations[run] += call_times[run] + ret_times[run];
      sums.add(first.function(i), run, call_times[run] + ret_times[run]);
    }
    const CallSpread spread{.call_time = spread_of(call_times), .ret_time = spread_of(ret_times)};
    const WrittenCall call{.function = first.function(i),
                           .file = first.file(i),
                           .line = first.place(i).line,
                           .call_time = spread.call_time.mean,
                           .ret_time = spread.ret_time.mean};
    writer.call(call, note(spread) + first.call_text(i), first.result_text(i));
    result.calls.push_back(spread);
  }
  if (first.exit_at == first.size()) {
    writer.text(first.ending);
  }
  writer.finish(first.program.trace_file);
  result.duration = spread_of(durations);
  result.functions = sums.spreads();
  return result;
}

std::string to_text(const AverageResult& result) {
  std::string text = "average of " + std::to_string(result.runs) + " runs, " +
                     std::to_string(result.calls.size()) +
                     " calls; spread = standard deviation / mean\n";
  char header[160];
  std::snprintf(header, sizeof header, "%-20s %8s %12s %12s %12s %9s\n", "function", "calls",
                "mean", "smallest", "largest", "spread");
  text.append(header);
  text.append(row("whole trace", std::to_string(result.calls.size()), result.duration));
  for (const FunctionSpread& function : result.functions) {
    text.append(row(function.name, std::to_string(function.calls), function.time));
  }
  return text;
}

}  // namespace gridcast::trace
