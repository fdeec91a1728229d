#include "gridcast/sweep/program_shapes.h"

#include "gridcast/base/error.h"
#include "gridcast/retrace/merge.h"

namespace gridcast::sweep {

ProgramShapes read_program_shapes(const trace::Program& program, std::size_t traces,
                                  std::span<const std::string> runs,
                                  const model::ModelOptions& options) {
  if (traces > 1) {
    throw InputError(
        "shapes of blocks for a program that was merged from " + std::to_string(traces) + " traces",
        "expected the trace of a run on one process; name this one in --shape-traces");
  }
  constexpr std::size_t digits = 16;
  ProgramShapes result;
  result.shapes.add(program, false);
  for (const std::string& name : runs) {
    const trace::NamedRun run =
        trace::read_named_run(name, trace::ReadOptions{options.skip_startup, options.trace_cost});
    result.shapes.add(run.program, run.merged);
    result.hash += (result.hash.empty() ? "" : "+") + run.program.sha256.substr(0, digits);
  }
  if (!result.shapes.any()) {
    throw InputError("no loop of the program was run in blocks of another shape",
                     "expected runs of the same program with other sizes or grids after "
                     "--shape-traces");
  }
  return result;
}

}  // namespace gridcast::sweep
