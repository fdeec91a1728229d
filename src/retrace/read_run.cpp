#include <algorithm>
#include <sstream>

#include "gridcast/base/error.h"
#include "gridcast/retrace/merge.h"

namespace gridcast::trace {

bool is_description(const std::filesystem::path& file) { return file.extension() == ".toml"; }

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
    generate_trace(description_text(*described), described->string(), generated, values);
    return parse_program(generated.view(), described->string(), options);
  }
  if (!values.empty()) {
    throw InputError("values of parameters for the trace " + traces.front().string(),
                     "expected the description of a program (.toml)");
  }
  if (traces.size() == 1) {
    return read_program(traces.front(), options);
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
