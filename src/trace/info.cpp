#include "gridcast/trace/info.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

#include "gridcast/base/readable.h"

namespace gridcast::trace {
namespace {

std::string shape(const std::vector<std::int64_t>& extents) {
  std::string text;
  for (const std::int64_t extent : extents) {
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  }
  return text.empty() ? "unknown" : text;
}

/// Filled up with blanks to so many characters of UTF-8.
std::string padded(std::string text, std::size_t width) {
  const std::size_t length = columns_of(text);
  text.append(width > length ? width - length : 0, ' ');
  return text;
}

void summarise_functions(const Program& program, TraceInfo& info) {
  std::vector<FunctionSummary> functions(program.functions.size());
  for (std::size_t i = 0; i < functions.size(); ++i) {
    functions[i].name = program.functions[i];
  }
  for (const Record& record : program.records) {
    FunctionSummary& function = functions[program.places[record.place].function];
    ++function.calls;
    function.call_time += record.call_time;
    function.ret_time += record.ret_time;
    info.call_time += record.call_time;
    info.ret_time += record.ret_time;
  }
  std::erase_if(functions, [](const FunctionSummary& function) { return function.calls == 0; });
  std::sort(functions.begin(), functions.end(), [](const auto& a, const auto& b) {
    const double time_a = a.call_time + a.ret_time;
    const double time_b = b.call_time + b.ret_time;
    return time_a != time_b ? time_a > time_b : a.name < b.name;
  });
  info.functions = std::move(functions);
}

void count_object(TraceInfo& info, const ObjectSummary& made) {
  const auto same =
      std::find_if(info.objects.begin(), info.objects.end(), [&](const ObjectSummary& object) {
        return object.kind == made.kind && object.extents == made.extents &&
               object.element_size == made.element_size;
      });
  if (same == info.objects.end()) {
    info.objects.push_back(made);
  } else {
    ++same->created;
  }
}

using IntervalKey = std::tuple<IntervalType, std::uint32_t, std::uint32_t, bool, std::int64_t>;

void summarise_calls(const Program& program, TraceInfo& info) {
  std::map<IntervalKey, std::size_t> known;
  for (const Record& record : program.records) {
    const Call& call = program.calls[record.call];
    if (const auto* made = std::get_if<CreateTemplate>(&call)) {
      count_object(info, {"template", made->extents, 0, 1});
    } else if (const auto* array = std::get_if<CreateArray>(&call)) {
      count_object(info, {"array", array->extents, array->element_size, 1});
    } else if (const auto* begun = std::get_if<BeginInterval>(&call)) {
      const Place& place = program.places[record.place];
      const IntervalKey key{begun->type, place.file, place.line, begun->expression.has_value(),
                            begun->expression.value_or(0)};
      const auto [entry, is_new] = known.emplace(key, info.intervals.size());
      if (is_new) {
        info.intervals.push_back(
            {begun->type, program.files[place.file], place.line, begun->expression, 0});
      }
      ++info.intervals[entry->second].entered;
    }
  }
}

}  // namespace

std::string_view name_of(IntervalType type) noexcept {
  switch (type) {
    case IntervalType::main:
      return "main";
    case IntervalType::user:
      return "user";
    case IntervalType::sequential:
      return "seq";
    case IntervalType::parallel:
      return "par";
  }
  return "";
}

TraceInfo summarise(const Program& program) {
  TraceInfo info;
  info.trace_file = program.trace_file;
  info.sha256 = program.sha256;
  info.process_count = program.process_count;
  info.traced_grid = program.traced_grid;
  info.calls = program.records.size();
  info.distinct_calls = program.calls.size();
  info.duration = program.duration;
  info.warnings = program.warnings;
  summarise_functions(program, info);
  summarise_calls(program, info);
  return info;
}

std::string to_text(const TraceInfo& info) {
  constexpr std::size_t name_width = 24;
  constexpr std::size_t number_width = 12;
  std::string text;
  const auto line = [&](std::string_view key, const std::string& value) {
    text += padded(std::string(key), name_width) + value + "\n";
  };
  line("trace", info.trace_file);
  line("sha256", info.sha256);
  line("processes", std::to_string(info.process_count));
  line("traced grid", shape(info.traced_grid));
  line("calls",
       std::to_string(info.calls) + " (" + std::to_string(info.distinct_calls) + " distinct)");
  line("duration", seconds_text(info.duration));
  line("  in the program", seconds_text(info.call_time));
  line("  in the library", seconds_text(info.ret_time));
  text += "\n" + padded("function", name_width) + padded("calls", number_width) +
          padded("call time", number_width + 4) + "return time\n";
  for (const FunctionSummary& function : info.functions) {
    text += padded(function.name, name_width) +
            padded(std::to_string(function.calls), number_width) +
            padded(seconds_text(function.call_time), number_width + 4) +
            seconds_text(function.ret_time) + "\n";
  }
  if (!info.objects.empty()) {
    text += "\n" + padded("object", number_width) + padded("created", number_width) + "shape\n";
  }
  for (const ObjectSummary& object : info.objects) {
    text += padded(object.kind, number_width) +
            padded(std::to_string(object.created), number_width) + shape(object.extents);
    text +=
        object.element_size == 0 ? "\n" : " of " + std::to_string(object.element_size) + " bytes\n";
  }
  if (!info.intervals.empty()) {
    text += "\n" + padded("interval", number_width) + padded("entered", number_width) + "place\n";
  }
  for (const IntervalSummary& interval : info.intervals) {
    text += padded(std::string(name_of(interval.type)), number_width) +
            padded(std::to_string(interval.entered), number_width) + interval.file + ":" +
            std::to_string(interval.line);
    text +=
        interval.expression ? " expression " + std::to_string(*interval.expression) + "\n" : "\n";
  }
  for (const Warning& warning : info.warnings) {
    text += "\nwarning: " + warning;
  }
  return info.warnings.empty() ? text : text + "\n";
}

}  // namespace gridcast::trace
