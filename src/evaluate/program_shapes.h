#pragma once
/// Runs of a program that tell how the time of its loops depends on the shape of blocks
/// (--shape-traces; docs/model.md §3.8).

#include <span>
#include <string>
#include <vector>

#include "gridcast/compile/loop_shapes.h"
#include "gridcast/trace/program.h"

namespace gridcast::sweep {

/// What the loops of a program take in several shapes.
struct ProgramShapes {
  model::LoopShapes shapes;
  std::string hash;  ///< of the runs, for ModelOptions::shapes
};

/// From a program and the names of runs of it with other sizes or grids (trace::find_member_files).
/// `traces`: how many the program was read from. Throws InputError: also where the program was
/// merged from several traces, and where no loop was run in another shape.
[[nodiscard]] ProgramShapes read_program_shapes(const trace::Program& program, std::size_t traces,
                                                std::span<const std::string> runs,
                                                const trace::ReadOptions& options);

/// Which runs tell something about which program: those with a loop at the same line of the same
/// file, per program. Throws InputError for a run that tells nothing about any.
[[nodiscard]] std::vector<std::vector<std::string>> runs_by_program(
    std::span<const trace::Program> programs, std::span<const std::string> runs,
    const trace::ReadOptions& options);

}  // namespace gridcast::sweep
