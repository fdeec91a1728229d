#pragma once
/// The executables (docs/commands.md): everything below main().

namespace gridcast::cli {

/// `gridcast COMMAND ...`; called under the name `predictor` (a link), the historical command line.
/// Returns the exit code: 0 done, 1 failed while running, 2 bad usage or input, 3 stopped early and
/// can be resumed. Results go to standard output, messages to standard error.
int run_gridcast(int argc, char** argv);

/// `predictor M.par TRACE OUT.html [P1 P2 ...]` ([Predictor2010 §2.5]). Exit codes as above.
int run_predictor(int argc, char** argv);

/// `gridcast-measure`: times processors and networks of the ranks of an MPI job
/// (docs/calibration.md). Exit codes as above.
int run_measure(int argc, char** argv);

}  // namespace gridcast::cli
