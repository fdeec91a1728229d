#pragma once
/// The executable (docs/commands.md): everything below main().

namespace gridcast::cli {

/// `gridcast COMMAND ...`. Links to the program give it two other names: as `predictor M.par TRACE
/// OUT.html [P1 P2 ...]` it is the historical command line ([Predictor2010 §2.5]), as
/// `gridcast-measure` it times processors and networks of the ranks of an MPI job
/// (docs/calibration.md). Returns the exit code: 0 done, 1 failed while running, 2 bad usage or
/// input, 3 stopped early and can be resumed. Results go to standard output, messages to standard
/// error.
int run_gridcast(int argc, char** argv);

}  // namespace gridcast::cli
