#pragma once
/// Several runs one after another in one start of the program, alone or on MPI ranks.

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "gridcast/sweep/dataset.h"
#include "gridcast/sweep/settings.h"

namespace gridcast::sweep {

/// One of the runs, each with a store of its own.
using SeriesRun = std::variant<SweepSettings, DatasetSettings>;

/// How the series ended: complete, or as the run that did not complete.
struct SeriesOutcome {
  int exit_code = 0;
  std::size_t completed = 0;  ///< runs
  std::string message;        ///< already on stderr
  bool lost_ranks = false;
  bool unreachable_ranks = false;
};

/// Runs them as the whole rest of this process, until one does not complete; the time limit of each
/// counts from the beginning of the first. Calls `finish` on rank 0. Returns the exit code, or ends
/// the process if ranks were lost.
int run_series_program(const WatchLimits& limits, const std::vector<SeriesRun>& runs,
                       const std::function<int(const SeriesOutcome&)>& finish);

}  // namespace gridcast::sweep
