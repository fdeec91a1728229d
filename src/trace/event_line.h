#pragma once
/// Event lines of a trace: `call_NAME`, `ret_NAME` and `Event_NAME` with TIME, LINE and FILE
/// ([Predictor3.1]; spellings: the variants beside the traces).

#include <cstdint>
#include <optional>
#include <string_view>

namespace gridcast::trace {

/// Informational lines that gridcast adds to traces begin with this; readers skip them.
inline constexpr std::string_view note_mark = "#gridcast ";

/// What an event line reports: the call of a function, its return, anything else.
enum class EventKind : std::uint8_t { call, ret, event };

/// One event line of a trace; texts point into the line.
struct EventLine {
  EventKind kind = EventKind::event;
  std::string_view name;   ///< without call_, ret_, Event_
  double time = 0.0;       ///< seconds since the previous event line; may be negative by rounding
  std::uint32_t line = 0;  ///< in the source
  std::string_view file;   ///< of the source
};

/// What a line of the trace is. Only a line that has a mark and all of TIME, LINE and FILE is an
/// event line; `damaged` is set for one that has them but whose numbers cannot be read.
[[nodiscard]] std::optional<EventLine> parse_event_line(std::string_view line, bool& damaged);

}  // namespace gridcast::trace
