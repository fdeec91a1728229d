#pragma once
/// What a trace holds, for `gridcast trace info`.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gridcast/trace/program.h"

namespace gridcast::trace {

/// The calls of one function of the run-time library.
struct FunctionSummary {
  std::string name;
  std::size_t calls = 0;
  double call_time = 0.0;  ///< seconds of user computation before these calls
  double ret_time = 0.0;   ///< seconds inside them
};

/// One array or template, as often as it was created alike.
struct ObjectSummary {
  std::string kind;  ///< "template" or "array"
  Extents extents;
  std::int64_t element_size = 0;  ///< bytes; 0 for a template
  std::size_t created = 0;
};

/// An interval by its place in the source (docs/model.md §2.9, without the nesting).
struct IntervalSummary {
  IntervalType type = IntervalType::user;
  std::string file;
  std::uint32_t line = 0;
  std::optional<std::int64_t> expression;
  std::size_t entered = 0;
};

/// What `trace info` tells of one trace.
struct TraceInfo {
  std::string trace_file;
  std::string sha256;
  std::int64_t process_count = 1;
  std::vector<std::int64_t> traced_grid;
  std::size_t calls = 0;
  std::size_t distinct_calls = 0;
  double duration = 0.0;                   ///< seconds: call_time + ret_time
  double call_time = 0.0;                  ///< seconds
  double ret_time = 0.0;                   ///< seconds
  std::vector<FunctionSummary> functions;  ///< most time first, then by name
  std::vector<ObjectSummary> objects;      ///< in the order of their first creation
  std::vector<IntervalSummary> intervals;  ///< in the order of their first entry
  std::vector<Warning> warnings;
};

[[nodiscard]] TraceInfo summarise(const Program& program);

/// The summary as lines of text. Times in seconds.
[[nodiscard]] std::string to_text(const TraceInfo& info);

/// "main", "user", "seq", "par" as in the JSON of `predict`.
[[nodiscard]] std::string_view name_of(IntervalType type) noexcept;

}  // namespace gridcast::trace
