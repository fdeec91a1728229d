#include <sstream>

#include "gridcast/base/error.h"
#include "gridcast/retrace/merge.h"

namespace gridcast::trace {

Program read_run(std::span<const std::filesystem::path> traces, const ReadOptions& options) {
  if (traces.empty()) {
    throw InputError("no trace was given", "expected the .ptr file of a run");
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

}  // namespace gridcast::trace
