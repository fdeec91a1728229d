#pragma once
/// The questions that a batch queue asks of a search (docs/search.md), and the space of grids that
/// answers them.

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "gridcast/machine/cluster.h"
#include "gridcast/machine/grid.h"
#include "gridcast/rules/options.h"
#include "gridcast/rules/script.h"
#include "gridcast/search/best.h"
#include "gridcast/search/candidates.h"

namespace gridcast::sweep {

/// Conditions on grids, as the command line gives them; by default none.
struct Questions {
  std::optional<std::int64_t> max_processors;                ///< --max-processors; empty: all
  std::optional<search::ProcessorNumbers> processors;        ///< --processors
  std::array<std::int64_t, machine::max_grid_rank> fixed{};  ///< --fix; 0: free
  std::optional<std::int64_t> divides;                       ///< --divides
  bool whole_nodes = false;                                  ///< --whole-nodes
  std::optional<double> memory_per_processor;                ///< --memory-per-processor, bytes
  std::string min_block = "0";                               ///< model::ResolvedOptions::min_block
};

/// The grids of a program on a machine that meet the conditions; the start is one processor. Throws
/// InputError.
[[nodiscard]] search::SearchSpace search_space(const model::Script& script,
                                               const machine::Cluster& cluster,
                                               const Questions& questions,
                                               const model::ModelOptions& options);

/// The same goal with what the machine says about the cost of its nodes, for grids up to `most`
/// processors. Throws InputError.
[[nodiscard]] search::Goal goal_on(const machine::Cluster& cluster, search::Goal goal,
                                   std::int64_t most);

/// Throws InputError if there are conditions, and no grid meets them.
void require_candidates(const search::SearchSpace& space, std::uint64_t candidates);

}  // namespace gridcast::sweep
