#pragma once
/// Merging the traces that the processes of one run have written into the trace of the serial run
/// (docs/model.md §9, [Predictor2010 §2.5]).

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "gridcast/retrace/generate.h"
#include "gridcast/trace/program.h"

namespace gridcast::trace {

/// What was merged into what.
struct MergeResult {
  std::size_t processes = 0;  ///< traces merged
  std::size_t calls = 0;      ///< calls in the merged trace
  std::size_t tasks = 0;      ///< runam_ calls among them, by whichever processes ran the task
  double duration = 0.0;      ///< Σ(call_time + ret_time) of the merged trace, seconds
  double waiting = 0.0;       ///< left out as waiting, seconds of a process on average
  Recording recording;        ///< of all members
  std::vector<std::string> warnings;
};

/// Merges the traces of all processes of a run; `members` in the order of the processes, or named
/// NAMEk_k.ptr, which puts them in order. Writes a trace that reads as one of a run on one process
/// with the traced grid as virtual processor system.
///
/// Calls are matched by order, function, file and line; the calls between runam_ and stopam_ come
/// from the processes that ran the task. Call times of dopl_ are summed (over processes that hold
/// the same block: averaged), other times averaged over the processes that make the call. Return
/// times that hold waiting are replaced by the smallest of the group; where a serial run would do
/// nothing but bookkeeping (reductions, edges, barriers), by the smallest of all executions of the
/// same call. A loop that the processes ran in different numbers of portions, or as a pipeline, is
/// written with the portions of the serial run. Parameters and results are those of the first
/// process that makes the call, but Run=1 if any process has it.
///
/// Throws InputError where a member is missing or makes another call than the others (file and
/// line, what the other has); RunError if the output cannot be written.
/// `trace_cost`: ReadOptions::trace_cost, taken off in each member.
MergeResult merge_traces(std::span<const std::filesystem::path> members, std::ostream& out,
                         double trace_cost = 0.0);

/// The trace files that a program's name stands for: PROGRAM.ptr (or PROGRAM itself); else
/// PROGRAM0_0.ptr, PROGRAM1_1.ptr, … as many as its ProcCount says; else, if the name contains '@',
/// all files that match it with '@' for any sequence of characters. Each may be gzip with ".gz" at
/// the end of its name. In the order of the processes. Throws InputError that names a missing file.
[[nodiscard]] std::vector<std::filesystem::path> find_member_files(const std::string& program);

/// A run and whether its trace was merged from those of several processes.
struct NamedRun {
  Program program;
  bool merged = false;
};

/// The run that a program's name stands for (find_member_files). Throws InputError.
[[nodiscard]] NamedRun read_named_run(const std::string& program, const ReadOptions& options);

/// True if a file is a description of a program (.toml, docs/programs.md) and no trace.
[[nodiscard]] bool is_description(const std::filesystem::path& file);

/// The program of a run: of its one trace, of several members merged, of several runs on one
/// process averaged (average_traces), or of a description with these values of its parameters, as
/// if the trace that it generates had been read (in memory, no file is written). Warnings of the
/// merge come first. Throws InputError if there is no trace, if there are values but no
/// description, or as read_program, merge_traces, average_traces and generate_trace do.
[[nodiscard]] Program read_run(std::span<const std::filesystem::path> traces,
                               const ReadOptions& options = {}, const ParameterValues& values = {});

}  // namespace gridcast::trace
