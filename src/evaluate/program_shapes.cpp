#include "gridcast/evaluate/program_shapes.h"

#include "gridcast/base/error.h"
#include "gridcast/retrace/merge.h"

namespace gridcast::sweep {
namespace {

trace::NamedRun read_run(const std::string& name, const trace::ReadOptions& options) {
  return trace::read_named_run(name, options);
}

}  // namespace

ProgramShapes read_program_shapes(const trace::Program& program, std::size_t traces,
                                  std::span<const std::string> runs,
                                  const trace::ReadOptions& options) {
  if (traces > 1) {
    throw InputError(
        "shapes of blocks for a program that was merged from " + std::to_string(traces) + " traces",
        "expected the trace of a run on one process; name this one in --shape-traces");
  }
  constexpr std::size_t digits = 16;
  ProgramShapes result;
  result.shapes.add(program, false);
  for (const std::string& name : runs) {
    const trace::NamedRun run = read_run(name, options);
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

std::vector<std::vector<std::string>> runs_by_program(std::span<const trace::Program> programs,
                                                      std::span<const std::string> runs,
                                                      const trace::ReadOptions& options) {
  std::vector<model::LoopShapes> loops(programs.size());
  for (std::size_t i = 0; i < programs.size(); ++i) {
    loops[i].add(programs[i], false);
  }
  std::vector<std::vector<std::string>> result(programs.size());
  for (const std::string& name : runs) {
    const trace::NamedRun run = read_run(name, options);
    model::LoopShapes of_run;
    of_run.add(run.program, run.merged);
    bool known = false;
    for (std::size_t i = 0; i < programs.size(); ++i) {
      if (loops[i].shares_loop_with(of_run)) {
        result[i].push_back(name);
        known = true;
      }
    }
    if (!known) {
      throw InputError(name + ": none of its loops is in a program that was measured",
                       "expected a run of such a program, from the same source files, after "
                       "--shape-traces");
    }
  }
  return result;
}

}  // namespace gridcast::sweep
