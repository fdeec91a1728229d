#pragma once
/// The sweep: evaluates the grids that a search asks for, alone or as a farm of MPI ranks, and
/// stores every result.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gridcast/explain/timeline.h"
#include "gridcast/predict/prediction.h"
#include "gridcast/search/best.h"
#include "gridcast/search/strategy.h"
#include "gridcast/sweep/settings.h"

namespace boost::mpi {
class communicator;
}

namespace gridcast::sweep {

/// How a sweep ended.
struct SweepOutcome : RunOutcome {
  search::Mode mode = search::Mode::none;        ///< that was searched with
  std::uint64_t candidates = 0;                  ///< of the search space
  std::uint64_t not_bad = 0;                     ///< of those, grids that leave no processor empty
  std::optional<search::Outcome> best;           ///< by objective and condition
  std::optional<search::Outcome> unconstrained;  ///< by objective alone
  std::vector<search::Outcome> top;              ///< the --best K grids, best first
  std::vector<search::FrontEntry> front;         ///< fewest processors and nodes
  std::optional<search::Comparison> comparison;  ///< mode 5, if complete
  std::optional<search::Proof> proof;            ///< mode 4: what the bounds have shown
  std::string comparison_text;                   ///< the same in words; empty for other modes
  std::optional<model::Prediction> best_prediction;  ///< of the best grid, if a page asks for it
  std::optional<model::Timeline> best_run;           ///< the same
  std::vector<std::string> warnings;                 ///< about the trace
  NamedWords assumed;                                ///< model::ResolvedOptions::assumed
};

/// Runs a sweep; to be called by every rank of `world` with the same settings. Errors do not
/// propagate: rank 0 prints them as one line on stderr and every rank returns with the same exit
/// code (2 for InputError, 1 for others).
[[nodiscard]] SweepOutcome run_sweep(const SweepSettings& settings,
                                     const boost::mpi::communicator& world);

/// The same in this process without MPI.
[[nodiscard]] SweepOutcome run_sweep(const SweepSettings& settings);

/// What rank 0 does with the outcome (reports, best.html); returns the exit code of the process.
using Finish = std::function<int(const SweepOutcome&)>;

/// Runs a sweep as the whole rest of this process: initializes MPI if a launcher started it, runs,
/// calls `finish` on rank 0 and ends MPI. Returns the exit code; if ranks were lost it does not
/// return but ends the process with it, because MPI_Finalize would wait for them forever.
/// With `mpirun --enable-recovery` Open MPI 4.1 answers 0 whatever the ranks return: look at the
/// store (`gridcast status`) to see whether it is complete.
int run_sweep_program(const SweepSettings& settings, const Finish& finish);

}  // namespace gridcast::sweep
