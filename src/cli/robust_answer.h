#pragma once
/// What `robust` has found as part of the answer of a store.

#include <string>

#include "gridcast/base/json_writer.h"
#include "gridcast/evaluate/robustness.h"
#include "gridcast/machine/grid.h"
#include "gridcast/machine/placement.h"
#include "gridcast/report/answer.h"
#include "gridcast/store/robustness.h"

namespace gridcast::cli {

/// "8x4" or "8x4 placed by column".
[[nodiscard]] std::string placed_grid_text(const machine::Grid& grid,
                                           const machine::Placement& placement);
[[nodiscard]] std::string placed_grid_text(const search::Outcome& outcome);

/// The result as a store keeps it; it has a best grid.
[[nodiscard]] store::Robustness stored_robustness(const sweep::Robustness& found,
                                                  const sweep::RobustnessQuestion& question);

/// Whether it is about the best grid of this answer: a search that went on may have another one.
[[nodiscard]] bool is_about(const store::Robustness& found, const report::Answer& answer);

/// How far the machine may change until another grid is the best, in one sentence.
[[nodiscard]] std::string robust_sentence(const store::Robustness& found);

/// As an object of JSON (docs/schemas/status.json).
void put_robustness(JsonWriter& json, const store::Robustness& found);

}  // namespace gridcast::cli
