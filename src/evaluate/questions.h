#pragma once
/// The questions that a batch queue asks of a search (docs/search.md), and the space of grids that
/// answers them.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gridcast/machine/cluster.h"
#include "gridcast/machine/grid.h"
#include "gridcast/machine/threads.h"
#include "gridcast/rules/options.h"
#include "gridcast/rules/script.h"
#include "gridcast/search/best.h"
#include "gridcast/search/candidates.h"
#include "gridcast/search/strategy.h"

namespace gridcast::sweep {

/// Conditions on grids, as the command line gives them; by default none. Numbers of processors are
/// those of the machine, whatever the threads of a process.
struct Questions {
  /// --threads: numbers of threads of a process, ascending; a candidate is a grid with one of them.
  std::vector<std::int32_t> threads{1};
  std::optional<std::int64_t> max_processors;                ///< --max-processors; empty: all
  std::optional<search::ProcessorNumbers> processors;        ///< --processors
  std::array<std::int64_t, machine::max_grid_rank> fixed{};  ///< --fix; 0: free
  std::optional<std::int64_t> divides;                       ///< --divides
  bool whole_nodes = false;                                  ///< --whole-nodes
  std::optional<double> memory_per_processor;                ///< --memory-per-processor, bytes
  std::string min_block = "0";                               ///< model::ResolvedOptions::min_block
};

/// What a grid may have at most: the machine and the questions say it. Throws InputError.
[[nodiscard]] std::int64_t most_processors(const Questions& questions,
                                           const machine::Cluster& cluster);

/// The grids of a program on a machine that meet the conditions; the start is one processor. Throws
/// InputError.
[[nodiscard]] search::SearchSpace search_space(const model::Script& script,
                                               const machine::Cluster& cluster,
                                               const Questions& questions,
                                               const model::ModelOptions& options);

/// The same for each number of threads that the machine is known for: a space for each that some
/// number of processors is possible with. Throws InputError.
[[nodiscard]] search::SearchSpaces search_spaces(const model::Script& script,
                                                 const machine::ThreadedClusters& clusters,
                                                 const Questions& questions,
                                                 const model::ModelOptions& options);

/// The same goal with what the machine says about the cost of its nodes, for grids up to `most`
/// processors. Throws InputError.
[[nodiscard]] search::Goal goal_on(const machine::ThreadedClusters& clusters, search::Goal goal,
                                   std::int64_t most);

/// `given`; else `search =` of the machine, else exact. Throws InputError.
[[nodiscard]] search::Mode search_mode(std::optional<search::Mode> given,
                                       const machine::Cluster& cluster);

/// The machine's `topology`, else one processor.
[[nodiscard]] machine::Grid start_grid(const machine::Cluster& cluster);

/// Lets the search of each space start at a grid, or at one processor where only other numbers of
/// threads leave room for it. Throws InputError, also where a space is not valid.
void start_at(search::SearchSpaces& spaces, const machine::Grid& start, search::Mode mode);

/// Throws InputError if there are conditions, and no grid meets them.
void require_candidates(std::span<const search::SearchSpace> spaces, std::uint64_t candidates);

}  // namespace gridcast::sweep
