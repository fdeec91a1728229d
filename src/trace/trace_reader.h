#pragma once
/// The lines of a trace, one after another, to a Program.

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "arguments.h"
#include "call_pool.h"
#include "functions.h"
#include "gridcast/base/error.h"
#include "gridcast/trace/event_line.h"
#include "gridcast/trace/program.h"
#include "objects.h"

namespace gridcast::trace {

/// Numbers of lines (in the trace) of call_ lines that have no ret_ line.
using UnreturnedLines = std::unordered_set<std::size_t>;

class TraceReader {
public:
  /// `unreturned`: calls to leave out, known from a first reading.
  TraceReader(const std::string& name, const ReadOptions& options, UnreturnedLines unreturned);

  void take_line(std::string_view line, std::size_t number);

  /// Calls that are open at the end and swallowed later ones as if those were nested in them: the
  /// trace has to be read again without them. Empty for a sound trace.
  [[nodiscard]] UnreturnedLines swallowing_calls() const;

  /// After the last line. Throws InputError for a trace that is not complete.
  [[nodiscard]] Program finish();

private:
  /// What the current informational lines belong to.
  enum class Section : std::uint8_t { none, call, result };

  struct FunctionEntry {
    FunctionKind kind;
    std::uint32_t index = 0;  ///< in Program::functions
    std::size_t calls = 0;
  };
  struct OpenCall {
    std::string name;
    std::size_t line = 0;
  };
  /// The outermost call that is being read.
  struct Current {
    FunctionEntry* function = nullptr;
    std::string_view name;
    Record record;
    Deviation deviation;
    bool has_deviation = false;
    bool returned = false;
    bool active = false;
  };

  void take_event(const EventLine& event, std::size_t number);
  void take_call(const EventLine& event, double time, std::size_t number);
  void take_return(const EventLine& event, double time, std::size_t number);
  void take_preamble(std::string_view line);
  /// Tirecv and Twrecv, what messages cost the pipelines of the traced run.
  void take_start_times(std::string_view line);
  double checked_time(const EventLine& event, std::size_t number);
  /// Takes off what recording an event line cost.
  double without_recording(double time);
  void warn_of_recording();
  /// A note of `trace average` about the call that is being read.
  void take_spread(std::string_view note);
  void complete_call();
  FunctionEntry& function_entry(std::string_view name);
  std::uint32_t file_index(std::string_view file);
  std::uint32_t place_index(const Place& place);
  /// Passes an error on, or keeps it as a finding if those are collected.
  void refuse(const InputError& error);
  Call decode(const FunctionEntry& function);
  void warn_limited(std::size_t& count, std::size_t number, const std::string& text);
  void add_final_warnings();

  const std::string& name_;
  ReadOptions options_;
  UnreturnedLines unreturned_;
  Program program_;
  CallPool pool_;
  Objects objects_;

  std::unordered_map<std::string, FunctionEntry> functions_;
  std::unordered_map<std::string, std::uint32_t> files_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> places_;
  std::string lookup_;  ///< key for the two maps, kept to save allocations
  std::string last_file_;
  std::uint32_t last_file_index_ = std::numeric_limits<std::uint32_t>::max();

  std::vector<OpenCall> open_;
  std::size_t open_count_ = 0;  ///< entries of open_ in use
  std::size_t events_in_open_ = 0;
  Current current_;
  Section section_ = Section::none;
  std::string call_text_, result_text_;
  Arguments call_arguments_, result_arguments_;

  bool started_ = false;  ///< ret_dvm_Init was seen
  bool any_counted_ = false;
  double carried_ = 0.0;  ///< cost of recording that did not fit into the times so far
  bool exit_seen_ = false;
  bool any_event_ = false;
  bool process_count_seen_ = false;
  bool virtual_grid_ = false;
  std::vector<std::int64_t> real_extents_, virtual_extents_;
  std::size_t last_line_ = 0;
  std::size_t missing_weights_ = 0;
  std::size_t dropped_calls_ = 0;
  std::size_t stray_returns_ = 0;
  std::size_t negative_times_ = 0;
};

}  // namespace gridcast::trace
