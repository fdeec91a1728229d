#pragma once
/// Data sets: predictions of programs on many variants of machines, chosen by a design of
/// experiments, as one table of inputs and results (docs/datasets.md).

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gridcast/design/design.h"
#include "gridcast/machine/grid.h"
#include "gridcast/retrace/interpolate.h"
#include "gridcast/rules/options.h"
#include "gridcast/sweep/run_settings.h"

namespace boost::mpi {
class communicator;
}

namespace gridcast::sweep {

/// Problem sizes, each with a trace that is interpolated between recorded ones.
struct DatasetSizes {
  std::vector<trace::SizedTrace> from;
  std::vector<double> values;
  trace::InterpolateOptions options;
};

/// Grids by limits instead of a list: those of `gridcast sweep`, per variant of the machine.
struct GridLimits {
  std::int64_t min_processors = 1;
  std::optional<std::int64_t> max_processors;  ///< empty: all of the variant's cluster
  std::optional<int> rank;                     ///< empty: highest rank of a distribution
  bool not_bad = false;                        ///< only grids that leave no processor empty
  std::optional<std::int64_t> sample;          ///< random choice of at most so many per variant
};

/// What a design file says. Each run of the design is combined with each trace and each machine to
/// a variant, and each variant is predicted on its grids.
struct DatasetDesign {
  std::string file;  ///< for messages
  /// Each trace, or the traces of all processes of one run; empty if there are sizes.
  std::vector<std::vector<std::filesystem::path>> traces;
  std::optional<DatasetSizes> sizes;
  std::vector<std::filesystem::path> machines;
  std::vector<design::Factor> parameters;    ///< names as in --set
  std::vector<std::size_t> parameter_lines;  ///< where the file has them
  design::DesignOptions options;
  std::size_t design_line = 0;
  std::vector<machine::Grid> grids;
  std::optional<GridLimits> limits;  ///< if there is no list of grids
  bool intervals = false;            ///< results of every interval, too
  model::OptionWords model;          ///< as given
};

/// Reads a design file (TOML); names of files in it are relative to its folder. Throws InputError
/// with file:line, for unknown keys too.
[[nodiscard]] DatasetDesign read_design(const std::filesystem::path& path);

/// The same from text; `name` stands for the file.
[[nodiscard]] DatasetDesign parse_design(std::string_view text, const std::string& name);

/// What `gridcast dataset` takes; every rank has the same.
struct DatasetSettings : RunSettings {
  DatasetSettings() {
    max_failures = 100000;
    lease_seconds = 600.0;  // costs vary more than in a sweep
  }
  std::filesystem::path design;
  model::OptionWords model;  ///< of the command line: they go before those of the design
};

/// How the run ended.
struct DatasetOutcome : RunOutcome {
  std::uint64_t variants = 0;  ///< design runs x traces x machines
};

/// Makes a data set in this process; errors as run_sweep.
[[nodiscard]] DatasetOutcome run_dataset(const DatasetSettings& settings);

/// The same by all ranks of `world` together; errors as run_sweep.
[[nodiscard]] DatasetOutcome run_dataset(const DatasetSettings& settings,
                                         const boost::mpi::communicator& world);

/// Makes a data set as the whole rest of this process, alone or as one of the ranks that a launcher
/// started; calls `finish` on rank 0. Returns the exit code, or ends the process if ranks were
/// lost.
int run_dataset_program(const DatasetSettings& settings,
                        const std::function<int(const DatasetOutcome&)>& finish);

}  // namespace gridcast::sweep
