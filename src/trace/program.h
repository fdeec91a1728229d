#pragma once
/// A `Program`: what a trace says, as values. Independent of any machine or grid; read-only after
/// reading, so that any number of predictions can share it.

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gridcast/trace/calls.h"
#include "gridcast/trace/statements.h"

namespace gridcast::trace {

/// Where in the program's source a call stands, and its name.
struct Place {
  std::uint32_t function = 0;  ///< index into Program::functions
  std::uint32_t file = 0;      ///< index into Program::files
  std::uint32_t line = 0;      ///< in the source
  bool operator==(const Place&) const = default;
};

/// One call of the run-time library, in the order of the run.
struct Record {
  std::uint32_t call = 0;        ///< index into Program::calls
  std::uint32_t place = 0;       ///< index into Program::places
  std::uint32_t trace_line = 0;  ///< line of the call_ line in the trace file
  double call_time = 0.0;        ///< seconds of user computation since the previous return
  double ret_time = 0.0;         ///< seconds inside the run-time library
};

/// How many objects of each kind exist at most at a time: slots are below these.
struct SlotCounts {
  Slot systems = 0, machines = 0, targets = 0, arrays = 0, loops = 0, reduction_groups = 0,
       reductions = 0, shadow_groups = 0, buffers = 0, buffer_groups = 0, copy_flags = 0;
};

/// A warning of the reader, e.g. "unknown function foo_ (3 calls)".
using Warning = std::string;

/// What recording took and was taken off the times of a trace (docs/model.md §2.17), seconds.
struct Recording {
  double cost = 0.0;      ///< per event line; 0: nothing was taken off
  double removed = 0.0;   ///< in all
  double recorded = 0.0;  ///< Σ TIME of the counted event lines before that
  /// Part of the recorded time that was taken off.
  [[nodiscard]] double share() const noexcept { return recorded > 0.0 ? removed / recorded : 0.0; }
};

/// By how much the times of a call differ from run to run, seconds (`trace average`).
struct Deviation {
  double call_time = 0.0;
  double ret_time = 0.0;
};

/// What a description of a program says of itself (docs/programs.md): not part of the run.
struct Description {
  /// The value of an option, as written.
  struct Word {
    std::string text;
    std::uint32_t line = 0;  ///< in the description
  };
  std::map<std::string, Word> options;  ///< of the model, under their names on the command line
  bool overhead = false;                ///< it gives the time that a call takes in the library
  bool messages = false;                ///< it has statements over blocks
};

/// A trace in memory: its distinct calls, and the run as a list of them. Times are seconds.
struct Program {
  std::string trace_file;       ///< as the user named it
  std::string sha256;           ///< of the trace's text (unpacked), hexadecimal
  std::vector<Call> calls;      ///< distinct calls
  std::vector<Record> records;  ///< the run
  std::vector<Place> places;    ///< distinct places
  std::vector<std::string> functions;
  std::vector<std::string> files;
  SlotCounts slots;
  std::int64_t process_count = 1;  ///< ProcCount of the preamble
  std::vector<std::int64_t>
      traced_grid;               ///< VPSSize if VProcCount != 0, else PSSize; empty if absent
  std::uint32_t first_file = 0;  ///< file and line of the first event of the trace (main interval)
  std::uint32_t first_line = 0;
  double portion_start = 0.0;  ///< Tirecv + Twrecv of the preamble, seconds; 0: not there
  double duration = 0.0;       ///< Σ(call_time + ret_time), seconds
  Recording recording;
  std::vector<Deviation> deviations;  ///< one per record; empty if the trace is of one run
  std::vector<Warning> warnings;
  std::optional<Description> description;  ///< empty: the program is a trace
  BlockProgram blocks;                     ///< what its calls of RunStatement are

  [[nodiscard]] const std::string& function_of(const Record& record) const {
    return functions[places[record.place].function];
  }
  [[nodiscard]] const std::string& file_of(const Record& record) const {
    return files[places[record.place].file];
  }
};

/// Options of reading that are options of the model (docs/commands.md).
/// Something about a trace that cannot be right.
struct Finding {
  std::string file;      ///< the trace
  std::size_t line = 0;  ///< in it; 0: no single one
  std::string problem;   ///< with what was expected in parentheses

  /// "FILE:LINE: PROBLEM".
  [[nodiscard]] std::string text() const;
  bool operator==(const Finding&) const = default;
};

/// How a trace is read.
struct ReadOptions {
  bool skip_startup = false;  ///< --startup=skip: leave out the first counted call_time
  double trace_cost = 0.0;    ///< --trace-cost: seconds per event line to be taken off
  /// For checking a trace: what is wrong with a line or a call comes here instead of ending the
  /// reading, and the call counts as Ordinary; what a prediction tolerates (a second deletion, a
  /// call without its return) comes here, too.
  std::vector<Finding>* findings = nullptr;
};

/// The program with all times `deviations` longer or shorter (not below 0).
[[nodiscard]] Program shifted(Program program, double deviations);

/// Reads a .ptr file, plain or gzip (by content). Streams: memory grows with the number of calls
/// and distinct parameters, not with the text. Throws InputError with file:line and what was
/// expected.
[[nodiscard]] Program read_program(const std::filesystem::path& path,
                                   const ReadOptions& options = {});

/// The same from text in memory; `name` stands for the file in errors.
[[nodiscard]] Program parse_program(std::string_view text, const std::string& name,
                                    const ReadOptions& options = {});

}  // namespace gridcast::trace
