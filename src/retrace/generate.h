#pragma once
/// Traces from short descriptions of programs (the language: docs/programs.md): for tests, for
/// benchmarks of any size, for teaching.

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gridcast/trace/program.h"

namespace gridcast::trace {

/// Values for parameters of the description, in place of its own: name and expression.
using ParameterValues = std::vector<std::pair<std::string, std::string>>;

/// What was written.
struct GenerateResult {
  std::size_t calls = 0;
  double duration = 0.0;    ///< Σ(call_time + ret_time), seconds: the time on one processor
  Description description;  ///< what it says of itself beside the run
  BlockProgram blocks;      ///< what calls of statement_ name
};

/// Writes the trace that a run of the described program on one process leaves. The same
/// description and values always give the same bytes. `name` stands for the description in messages
/// and, without its directories, for the source file in the trace; the lines of calls are those of
/// the description. Throws InputError (file and line) for what the description gets wrong and for
/// values of parameters that it does not have, and for statements over blocks, which no trace has;
/// RunError if the output cannot be written.
GenerateResult generate_trace(std::string_view description, const std::string& name,
                              std::ostream& out, const ParameterValues& values = {});

/// The same also of a description with statements over blocks: `blocks` has what the calls of
/// statement_ stand for.
GenerateResult generate_calls(std::string_view description, const std::string& name,
                              std::ostream& out, const ParameterValues& values = {});

/// The text of a description. Throws InputError if it cannot be read or is too long for one.
[[nodiscard]] std::string description_text(const std::filesystem::path& path);

}  // namespace gridcast::trace
