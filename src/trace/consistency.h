#pragma once
/// Whether a trace can be that of a run: everything that is wrong with it, each with its place
/// (docs/analysis.md).

#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "gridcast/trace/program.h"

namespace gridcast::trace {

/// What a look at one trace brings.
struct Checked {
  std::optional<Program> program;  ///< empty if the file cannot be read at all
  std::vector<Finding> findings;   ///< by line
};

/// Reads a trace to its end whatever it holds. Throws InputError only if there is no such file or
/// it is no trace.
[[nodiscard]] Checked check_trace(const std::filesystem::path& path);

/// Order of the calls of a program: starts and waits, tasks, intervals, loops, statements.
[[nodiscard]] std::vector<Finding> check_order(const Program& program);

/// Whether the processes of one run make the same collective calls with the same parameters, those
/// of a task among the processes that run it. `programs` in the order of the processes.
[[nodiscard]] std::vector<Finding> check_processes(std::span<const Program> programs);

}  // namespace gridcast::trace
