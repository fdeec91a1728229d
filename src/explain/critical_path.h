#pragma once
/// What decides when a run of free processes ends (docs/model.md, "Critical path").

#include "gridcast/figures/critical_path.h"
#include "gridcast/machine/cluster.h"
#include "gridcast/machine/grid.h"
#include "gridcast/rules/options.h"
#include "gridcast/rules/script.h"

namespace gridcast::model {

/// Follows the run on a grid back from its end; all iterations are simulated. `places`: the program
/// compiled with Detail::places, of processes that run free. Beyond `most_steps` (operations times
/// processes) only `omitted` is filled in. Throws InputError as a prediction does.
[[nodiscard]] CriticalPath critical_path(const Script& places, const machine::Cluster& cluster,
                                         const machine::Grid& grid, const ModelOptions& options,
                                         double most_steps);

}  // namespace gridcast::model
