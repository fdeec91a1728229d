#pragma once
/// What a finished sweep prints and writes; used by `sweep` and by the historical command line.

#include <string>

#include "gridcast/search/best.h"
#include "gridcast/sweep/settings.h"
#include "gridcast/sweep/sweep.h"

namespace gridcast::cli {

/// What a run occupies and costs, if the objective is node-hours: ", 4 nodes, 0.00032 node-hours",
/// or with prices ", 4 nodes, price 0.0008"; else empty.
[[nodiscard]] std::string cost_text(const search::Goal& goal, const machine::Grid& grid,
                                    double execution_time);

/// Prints the outcome on standard output and writes --best-html: the prediction of the best grid.
/// Runs on the first rank only. Returns the exit code of the sweep, or that of its own failure.
int finish_sweep(const sweep::SweepSettings& settings, const sweep::SweepOutcome& outcome);

}  // namespace gridcast::cli
