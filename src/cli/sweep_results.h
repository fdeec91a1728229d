#pragma once
/// What a finished sweep prints and writes; used by `sweep` and by the historical command line.

#include <string>

#include "gridcast/sweep/settings.h"
#include "gridcast/sweep/sweep.h"

namespace gridcast::cli {

/// Prints the outcome on standard output and writes --best-html, the prediction of the best grid,
/// and the files of --rankfile unless `rankfile` is empty. Runs on the first rank only. Returns the
/// exit code of the sweep, or that of its own failure.
int finish_sweep(const sweep::SweepSettings& settings, const sweep::SweepOutcome& outcome,
                 const std::string& rankfile = {});

}  // namespace gridcast::cli
