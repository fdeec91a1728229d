#pragma once
/// A trace as text: what merging, averaging and interpolation change and write again. The decoded
/// calls stand beside the informational lines that they were read from.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gridcast/trace/event_line.h"
#include "gridcast/trace/program.h"

namespace gridcast::trace {

/// Distinct texts, each kept once: the calls of equal iterations have equal lines.
class TextPool {
public:
  TextPool() = default;
  TextPool(TextPool&&) = default;
  TextPool& operator=(TextPool&&) = default;
  TextPool(const TextPool&) = delete;  // texts_ points into indices_
  TextPool& operator=(const TextPool&) = delete;
  ~TextPool() = default;

  std::uint32_t index_of(std::string_view text);
  [[nodiscard]] const std::string& operator[](std::uint32_t index) const { return *texts_[index]; }

private:
  std::unordered_map<std::string, std::uint32_t> indices_;
  std::vector<const std::string*> texts_;  ///< keys of indices_, whose addresses are stable
};

/// The informational lines of one call, as indices into RawTrace::texts; each line ends with `\n`.
struct CallText {
  std::uint32_t call = 0;    ///< after the call_ line: parameters
  std::uint32_t result = 0;  ///< after the ret_ line
};

struct RawTrace {
  Program program;
  std::vector<CallText> call_texts;  ///< one per Program::records
  TextPool texts;
  std::string preamble;  ///< all lines before the first counted call
  std::string ending;    ///< Event_dvm_exit and the lines up to the next event
  /// The calls from here on come after Event_dvm_exit: the library's own, when it closes its files.
  std::size_t exit_at = 0;

  [[nodiscard]] std::size_t size() const noexcept { return program.records.size(); }
  [[nodiscard]] const Record& record(std::size_t i) const { return program.records[i]; }
  [[nodiscard]] const Call& call(std::size_t i) const {
    return program.calls[program.records[i].call];
  }
  [[nodiscard]] const Place& place(std::size_t i) const {
    return program.places[program.records[i].place];
  }
  [[nodiscard]] const std::string& function(std::size_t i) const {
    return program.function_of(record(i));
  }
  [[nodiscard]] const std::string& file(std::size_t i) const { return program.file_of(record(i)); }
  [[nodiscard]] const std::string& call_text(std::size_t i) const {
    return texts[call_texts[i].call];
  }
  [[nodiscard]] const std::string& result_text(std::size_t i) const {
    return texts[call_texts[i].result];
  }
};

/// Reads a trace with its text (plain or gzip). Notes of gridcast are left out. Throws InputError
/// as read_program does.
[[nodiscard]] RawTrace read_raw_trace(const std::filesystem::path& path,
                                      const ReadOptions& options = {});

/// One call as it is written.
struct WrittenCall {
  std::string_view function;
  std::string_view file;  ///< of the program's source
  std::uint32_t line = 0;
  double call_time = 0.0;  ///< seconds
  double ret_time = 0.0;   ///< seconds
};

/// Writes a trace as the run-time library does. Times get as many digits as it takes to read the
/// same value again.
class TraceWriter {
public:
  explicit TraceWriter(std::ostream& out) : out_(out) {}

  /// Lines as they are.
  void text(std::string_view lines);
  void call(const WrittenCall& call, std::string_view parameters, std::string_view results);
  void event(std::string_view mark, std::string_view name, double time, const WrittenCall& place);

  /// After the last line. Throws RunError if the stream (`name` in the message) did not take all.
  void finish(std::string_view name);

private:
  std::ostream& out_;
  std::string buffer_;
};

/// "FILE:LINE" of a call of a trace.
[[nodiscard]] std::string place_of(const RawTrace& trace, std::size_t record);

/// "dopl_ (a.cdv, line 12)".
[[nodiscard]] std::string call_of(const RawTrace& trace, std::size_t record);

/// Throws InputError unless all traces make the same calls (function, line) in the same order from
/// the same source files. One program compiled for several sizes may have a source file per size:
/// names that differ are taken for one if they stand for each other throughout; what is returned
/// says which. `count_remedy`: what to do if the numbers of calls differ.
[[nodiscard]] std::vector<std::string> require_same_calls(const std::vector<RawTrace>& traces,
                                                          const std::string& count_remedy);

}  // namespace gridcast::trace
