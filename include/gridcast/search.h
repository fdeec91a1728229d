#pragma once
/// Searches of the best grid, in the process that calls.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gridcast/grid.h"
#include "gridcast/machine.h"
#include "gridcast/program.h"

namespace gridcast {
inline namespace v1 {

/// A grid with what the search learnt of it.
struct FoundGrid {
  Grid grid;
  double execution_time = 0.0;  ///< seconds
  double efficiency = 0.0;      ///< 0 to 1
};

/// How far a search is.
struct SearchProgress {
  std::uint64_t evaluated = 0;    ///< grids, failed ones included
  std::uint64_t candidates = 0;   ///< grids that meet the conditions
  std::optional<FoundGrid> best;  ///< so far
};

/// What is searched, and how; the options of `gridcast sweep` with these names (docs/commands.md).
struct SearchSettings {
  /// 0 the given grid, 1 heuristic, 2 grids that leave no processor empty, 3 all, 4 exact,
  /// 5 compares 1 and 2; empty: as the machine says, else 4.
  std::optional<int> mode;
  std::string objective = "time";        ///< or "efficiency", "node-hours"
  std::optional<double> min_efficiency;  ///< only grids that reach it count
  /// Of the grids that are at most this share worse than the best, the one with the fewest
  /// processors is chosen.
  std::optional<double> within;
  std::size_t best = 1;                        ///< how many of the best grids are wanted
  std::optional<Grid> grid;                    ///< where modes 0, 1 and 5 begin
  std::vector<std::int32_t> threads{1};        ///< of a process, ascending
  std::optional<std::int64_t> max_processors;  ///< of the machine; empty: all
  std::optional<std::int64_t> divides;         ///< extents divide this number
  bool whole_nodes = false;                    ///< only grids that fill their nodes
  std::optional<double> memory_per_processor;  ///< bytes
  /// Mode 4 over free processes leaves grids whose time with processes that meet is this share
  /// longer than the best free time, if no bound excludes them.
  double margin = 0.3;
  /// Called after every evaluated grid; false stops the search. Empty: it runs to its end.
  std::function<bool(const SearchProgress&)> progress;
};

/// What a search found.
struct SearchResult {
  std::vector<FoundGrid> best;  ///< by the objective, best first; empty: no grid counts
  std::uint64_t candidates = 0;
  std::uint64_t evaluated = 0;
  bool complete = false;  ///< false: stopped by `progress`
};

/// Searches. Throws std::runtime_error if the settings contradict each other or no grid meets the
/// conditions. A grid that cannot be predicted is none of the best.
[[nodiscard]] SearchResult search(const Program& program, const Machine& machine,
                                  const SearchSettings& settings = {});

}  // namespace v1
}  // namespace gridcast
