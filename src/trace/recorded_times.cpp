/// What was added to the times of a trace, or is known of them beside their values: the cost of
/// recording (docs/model.md §2.17), the spread of several runs, what messages cost the traced run.

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <sstream>

#include "gridcast/base/error.h"
#include "gridcast/base/readable.h"
#include "gridcast/trace/limits.h"
#include "trace_reader.h"

namespace gridcast::trace {

double TraceReader::without_recording(double time) {
  Recording& recording = program_.recording;
  const bool left_out = options_.skip_startup && !any_counted_;  // the first call_time
  any_counted_ = true;
  if (options_.trace_cost <= 0.0 || left_out) {
    return time;
  }
  recording.recorded += time;
  carried_ += options_.trace_cost;
  const double removed = std::min(time, carried_);
  carried_ -= removed;
  recording.removed += removed;
  return time - removed;
}

void TraceReader::take_start_times(std::string_view line) {
  double sum = 0.0;
  for (const std::string_view name : {" Tirecv=", " Twrecv="}) {
    const std::size_t at = line.find(name);
    const std::string_view text =
        at == std::string_view::npos ? std::string_view() : line.substr(at + name.size());
    double value = 0.0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    if (result.ec != std::errc{} || !(value >= 0.0 && value <= longest_time)) {
      return;  // informational, as all lines before the first call
    }
    sum += value;
  }
  program_.portion_start = sum;
}

void TraceReader::take_spread(std::string_view note) {
  // spread call MEAN SMALLEST LARGEST DEVIATION ret MEAN SMALLEST LARGEST DEVIATION
  constexpr std::string_view begin = "spread call ";
  if (section_ != Section::call || !note.starts_with(begin)) {
    return;
  }
  std::istringstream words{std::string(note.substr(begin.size()))};
  std::array<double, 4> call{};
  std::array<double, 4> ret{};
  std::string between;
  for (double& value : call) {
    words >> value;
  }
  words >> between;
  for (double& value : ret) {
    words >> value;
  }
  if (!words || between != "ret" || !(call.back() >= 0.0 && call.back() <= longest_time) ||
      !(ret.back() >= 0.0 && ret.back() <= longest_time)) {
    throw InputError(name_, last_line_, "the spread of a call's times cannot be read",
                     "expected '#gridcast spread call' and four times, 'ret' and four times");
  }
  current_.deviation = {call.back(), ret.back()};
  current_.has_deviation = true;
}

void TraceReader::warn_of_recording() {
  program_.recording.cost = options_.trace_cost;
  constexpr double large_share = 0.1;
  constexpr double rounding = 1e-12;
  std::array<char, 16> share{};
  std::snprintf(share.data(), share.size(), "%.1f %%", 100.0 * program_.recording.share());
  if (program_.recording.share() > large_share) {
    program_.warnings.push_back(name_ + ": recording took " + std::string(share.data()) +
                                " of the recorded time; what is left is less certain");
  }
  if (carried_ > rounding) {
    program_.warnings.push_back(name_ + ": " + seconds_text(carried_) +
                                " of the cost of recording do not fit into the times of the "
                                "trace: --trace-cost is too large for it");
  }
}

}  // namespace gridcast::trace
