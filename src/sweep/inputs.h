#pragma once
/// What a sweep works on, read once by rank 0.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gridcast/machine/cluster.h"
#include "gridcast/machine/threads.h"
#include "gridcast/rules/script.h"
#include "gridcast/search/candidates.h"
#include "gridcast/store/description.h"
#include "gridcast/store/run_columns.h"
#include "gridcast/sweep/settings.h"

namespace gridcast::sweep {

struct Inputs {
  machine::Cluster cluster;
  machine::ThreadedClusters clusters;  ///< the cluster for each number of threads
  model::Script script;
  std::string trace_sha256;
  std::vector<std::string> warnings;  ///< of the reader, then of the compiler
  /// The program by places of the source, if the page of the best grid is wanted.
  std::optional<model::Script> places = std::nullopt;
  model::ResolvedOptions resolved;  ///< options of the model that hold for the program
  /// By which part the times of the traced runs differ from run to run (`trace average`).
  double spread = 0.0;
};

/// Reads machine and traces (those of all processes of a run are merged) and compiles. `most`: the
/// most processors of a grid, if they do not follow from the questions. Throws InputError.
[[nodiscard]] Inputs read_inputs(const SweepSettings& settings,
                                 std::optional<std::int64_t> most = std::nullopt);

/// The grids among which the sweep chooses. Throws InputError.
[[nodiscard]] search::SearchSpaces search_spaces(const SweepSettings& settings,
                                                 const Inputs& inputs);

/// How the rows of the run say how their grids are run.
[[nodiscard]] store::RunColumns run_columns(const SweepSettings& settings, const Inputs& inputs);

/// What the store says about the run.
[[nodiscard]] store::StoreSetup store_setup(const SweepSettings& settings, const Inputs& inputs,
                                            std::span<const search::SearchSpace> spaces);

}  // namespace gridcast::sweep
