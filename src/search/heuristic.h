#pragma once
/// Mode 1: what its heuristics have in common, and the choice between them.

#include <memory>

#include "batch_strategy.h"

namespace gridcast::search {

/// The source of batches of the heuristic that the options name: over one space after the other.
/// `selection`: whether it may look at grids that leave a processor empty; the classic one never
/// does.
[[nodiscard]] std::unique_ptr<BatchSource> make_heuristic(std::span<const SearchSpace> spaces,
                                                          const StrategyOptions& options,
                                                          Selection selection);

/// The given grid as a candidate: with fewer dimensions than these it is padded with 1
/// (docs/model.md §3), with more it is cut where it has 1. Otherwise it stays as it is: it is
/// evaluated all the same.
[[nodiscard]] machine::Grid as_candidate(const machine::Grid& grid, int rank);

/// The order that guides the heuristics: eligible grids by the objective; while there are none, the
/// more efficient ones first; failed ones last.
[[nodiscard]] bool leads(const Goal& goal, const Outcome& a, const Outcome& b) noexcept;

/// Execution time, its cost, or 1 - efficiency; infinite if the outcome is not eligible.
[[nodiscard]] double guiding_cost(const Goal& goal, const Outcome& outcome) noexcept;

}  // namespace gridcast::search
