#include "gridcast/retrace/merge.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <ostream>
#include <sstream>
#include <string_view>

#include "gridcast/base/error.h"
#include "gridcast/trace/program.h"
#include "merge_sequence.h"
#include "preamble.h"
#include "raw_trace.h"

namespace gridcast::trace {
namespace {

namespace fs = std::filesystem;

/// k of NAMEk_k.ptr: the number of the process in the run.
std::optional<std::size_t> process_number(const fs::path& path) {
  std::string name = path.filename().string();
  for (const std::string_view ending : {".gz", ".ptr"}) {
    if (name.ends_with(ending)) {
      name.resize(name.size() - ending.size());
    }
  }
  const std::size_t underline = name.rfind('_');
  if (underline == std::string::npos) {
    return std::nullopt;
  }
  const std::string_view external = std::string_view(name).substr(underline + 1);
  std::size_t number = 0;
  const auto read = std::from_chars(external.data(), external.data() + external.size(), number);
  const bool whole = read.ec == std::errc{} && read.ptr == external.data() + external.size();
  const std::string_view before = std::string_view(name).substr(0, underline);
  return whole && before.ends_with(external) ? std::optional(number) : std::nullopt;
}

/// The members in the order of their processes, if their names tell it.
std::vector<fs::path> in_order(std::span<const fs::path> members) {
  std::vector<fs::path> ordered(members.begin(), members.end());
  if (std::all_of(ordered.begin(), ordered.end(),
                  [](const fs::path& path) { return process_number(path).has_value(); })) {
    std::stable_sort(ordered.begin(), ordered.end(), [](const fs::path& a, const fs::path& b) {
      return *process_number(a) < *process_number(b);
    });
  }
  return ordered;
}

std::vector<RawTrace> read_members(std::span<const fs::path> members, double trace_cost) {
  if (members.empty()) {
    throw InputError("no traces to merge", "give the traces of all processes of a run");
  }
  const std::vector<fs::path> ordered = in_order(members);
  std::vector<RawTrace> traces;
  traces.reserve(ordered.size());
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    if (std::find(ordered.begin(), ordered.begin() + static_cast<std::ptrdiff_t>(i), ordered[i]) !=
        ordered.begin() + static_cast<std::ptrdiff_t>(i)) {
      throw InputError(ordered[i].string(), 0, "the trace is given twice",
                       "give each process of the run once");
    }
    traces.push_back(read_raw_trace(ordered[i], ReadOptions{.trace_cost = trace_cost}));
    const Program& program = traces.back().program;
    const auto count = static_cast<std::size_t>(program.process_count);
    if (count != ordered.size()) {
      throw InputError(ordered[i].string(), 0,
                       "the trace is one of a run on " + std::to_string(count) +
                           (count == 1 ? " process, " : " processes, ") +
                           std::to_string(ordered.size()) +
                           (ordered.size() == 1 ? " trace is given" : " traces are given"),
                       "give the traces of all processes of one run");
    }
  }
  return traces;
}

/// What the reader found in a member, without the warning that the others are missing.
void collect_warnings(const std::vector<RawTrace>& traces, MergeResult& result) {
  for (const RawTrace& trace : traces) {
    for (const Warning& warning : trace.program.warnings) {
      const bool known = std::find(result.warnings.begin(), result.warnings.end(), warning) !=
                         result.warnings.end();
      if (!known && warning.find("is missing unless they are merged") == std::string::npos) {
        result.warnings.push_back(warning);
      }
    }
  }
}

/// Members that can be read one by one may contradict each other where one of them is damaged.
void require_readable(const std::string& merged, const RawTrace& first) {
  try {
    static_cast<void>(parse_program(merged, first.program.trace_file));
  } catch (const InputError& error) {
    throw InputError(
        first.program.trace_file, 0,
        "merged with the traces of the other processes it cannot be read: " + error.problem(),
        "expected the traces of all processes of one run, complete and undamaged");
  }
}

}  // namespace

MergeResult merge_traces(std::span<const fs::path> members, std::ostream& out, double trace_cost) {
  const std::vector<RawTrace> traces = read_members(members, trace_cost);
  const RawTrace& first = traces.front();
  std::ostringstream merged;
  TraceWriter writer(merged);
  if (traces.size() == 1) {
    writer.text(first.preamble);
  } else {
    // The note stands before the first event: the preamble of a trace begins with its version.
    std::string preamble = as_virtual_run(first.preamble, first.program.traced_grid);
    const std::size_t calls = std::min(preamble.find("call_"), preamble.size());
    preamble.insert(calls, std::string(note_mark) + "merged from the traces of " +
                               std::to_string(traces.size()) + " processes\n");
    writer.text(preamble);
  }
  MergeResult result = MergeSequence(traces, writer).run();
  const std::string text = std::move(merged).str();
  require_readable(text, first);
  TraceWriter file(out);
  file.text(text);
  file.finish(first.program.trace_file);
  collect_warnings(traces, result);
  result.recording.cost = trace_cost;
  for (const RawTrace& trace : traces) {
    result.recording.removed += trace.program.recording.removed;
    result.recording.recorded += trace.program.recording.recorded;
  }
  return result;
}

}  // namespace gridcast::trace
