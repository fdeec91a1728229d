#pragma once
/// Why a predicted run is slow: its lost time by place and cause, and what would change it
/// (docs/model.md, "Where lost time goes").

#include "gridcast/figures/losses.h"
#include "gridcast/machine/cluster.h"
#include "gridcast/machine/grid.h"
#include "gridcast/rules/options.h"
#include "gridcast/rules/script.h"

namespace gridcast::model {

/// Steps (operations times processors) up to which losses are worked out unless asked for anyway.
inline constexpr double most_loss_steps = 5e6;

/// Attributes the lost time on a grid and predicts what would change it. `places`: the program
/// compiled with Detail::places. Beyond `most_steps` only `omitted` is filled in, and so with
/// iterations that are extrapolated. Throws InputError as a prediction does.
[[nodiscard]] Losses explain_losses(const Script& places, const machine::Cluster& cluster,
                                    const machine::Grid& grid, const ModelOptions& options,
                                    double most_steps = most_loss_steps);

}  // namespace gridcast::model
