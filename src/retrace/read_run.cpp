#include <algorithm>
#include <limits>
#include <sstream>

#include "gridcast/base/error.h"
#include "gridcast/base/sha256.h"
#include "gridcast/retrace/average.h"
#include "gridcast/retrace/merge.h"
#include "preamble.h"

namespace gridcast::trace {

bool is_description(const std::filesystem::path& file) { return file.extension() == ".toml"; }

namespace {

/// True if each of several traces is that of a whole run.
bool are_serial(std::span<const std::filesystem::path> traces) {
  return std::ranges::all_of(
      traces, [](const std::filesystem::path& trace) { return process_count_of(trace) == 1; });
}

/// Of the calls, whose digest is `calls`, and of what their statements say.
std::string sha256_of(const BlockProgram& blocks, const std::string& calls) {
  std::ostringstream text;
  text.precision(std::numeric_limits<double>::max_digits10);
  text << calls;
  const auto list = [&](const auto& values) {
    text << '\n';
    for (const auto value : values) {
      text << ' ' << value;
    }
  };
  const auto formula = [&](const Formula& steps) {
    text << '\n';
    for (const FormulaStep& step : steps) {
      text << ' ' << static_cast<unsigned>(step.kind) << ',' << step.index << ',' << step.value;
    }
  };
  for (const Domain& domain : blocks.domains) {
    list(domain.extents);
    list(domain.cuts);
    list(domain.ghost);
    list(domain.periodic);
    text << static_cast<unsigned>(domain.rule) << ' ' << domain.element_size;
  }
  for (const BlockStatement& one : blocks.statements) {
    text << '\n'
         << static_cast<unsigned>(one.kind) << ' ' << one.domain << ' ' << one.operation << ' '
         << static_cast<unsigned>(one.collective) << ' ' << static_cast<unsigned>(one.algorithm)
         << ' ' << one.tag;
    formula(one.formula);
    list(one.table);
    list(one.across);
    list(one.root);
    for (const NeighbourMessage& message : one.messages) {
      list(message.offset);
      formula(message.bytes);
      formula(message.count);
    }
  }
  Sha256 digest;
  digest.update(text.view());
  return digest.hex();
}

/// Several runs of a program as one with the mean times.
Program average_run(std::span<const std::filesystem::path> runs, const ReadOptions& options) {
  std::ostringstream averaged;
  const AverageResult average = average_traces(runs, averaged);
  Program program = parse_program(
      averaged.view(),
      "average of " + runs.front().string() + " and " + std::to_string(runs.size() - 1) + " more",
      options);
  program.warnings.insert(program.warnings.begin(), average.warnings.begin(),
                          average.warnings.end());
  return program;
}

}  // namespace

Program read_run(std::span<const std::filesystem::path> traces, const ReadOptions& options,
                 const ParameterValues& values) {
  if (traces.empty()) {
    throw InputError("no trace was given",
                     "expected the .ptr file of a run or the description of a program (.toml)");
  }
  const auto described = std::find_if(traces.begin(), traces.end(), is_description);
  if (described != traces.end()) {
    if (traces.size() > 1) {
      throw InputError(described->string() + " among " + std::to_string(traces.size()) + " files",
                       "expected one description, or the traces of all processes of a run");
    }
    std::ostringstream generated;
    const std::string text = description_text(*described);
    GenerateResult result = generate_calls(text, described->string(), generated, values);
    Program program = parse_program(generated.view(), described->string(), options);
    program.description = std::move(result.description);
    if (!result.blocks.statements.empty()) {
      program.sha256 = sha256_of(result.blocks, program.sha256);
    }
    program.blocks = std::move(result.blocks);
    return program;
  }
  if (!values.empty()) {
    throw InputError("values of parameters for the trace " + traces.front().string(),
                     "expected the description of a program (.toml)");
  }
  if (traces.size() == 1) {
    return read_program(traces.front(), options);
  }
  if (are_serial(traces)) {
    return average_run(traces, options);
  }
  std::ostringstream merged;
  const MergeResult merge = merge_traces(traces, merged, options.trace_cost);
  Program program = parse_program(
      merged.view(),
      "merge of " + traces.front().string() + " and " + std::to_string(traces.size() - 1) + " more",
      ReadOptions{.skip_startup = options.skip_startup});
  program.recording = merge.recording;
  program.warnings.insert(program.warnings.begin(), merge.warnings.begin(), merge.warnings.end());
  return program;
}

NamedRun read_named_run(const std::string& program, const ReadOptions& options) {
  const std::vector<std::filesystem::path> members = find_member_files(program);
  return {read_run(members, options), members.size() > 1};
}

}  // namespace gridcast::trace
