#include "compared_times.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <string_view>
#include <utility>

#include "gridcast/base/error.h"
#include "gridcast/report/prediction_file.h"
#include "gridcast/store/reader.h"
#include "gridcast/store/run_columns.h"
#include "inputs.h"

namespace gridcast::cli {
namespace {

/// Which interval of the store has the times; nothing: the whole program.
std::optional<std::size_t> stored_interval(const store::StoreSetup& setup,
                                           const MeasuredOptions& options,
                                           const std::string& file) {
  for (std::size_t i = 0; i < setup.intervals.size() && setup.interval_results; ++i) {
    if (setup.intervals[i].type == trace::IntervalType::user &&
        options.interval != calibrate::Interval::program) {
      return i;
    }
  }
  if (options.interval == calibrate::Interval::user) {
    throw InputError(file, 0, "has no results of an interval of the user",
                     "expected a store of sweep --intervals, or --interval=program");
  }
  return std::nullopt;
}

calibrate::Measured times_of_store(const std::string& file, const MeasuredOptions& options) {
  store::StoreReader reader(file);
  const store::StoreSetup& setup = reader.about().setup;
  if (store::has_inputs(setup)) {
    throw InputError(file, 0, "is a data set of several machines or programs",
                     "expected the store of one search");
  }
  if (store::has_threads(setup)) {
    throw InputError(file, 0, "has grids of processes with several numbers of threads",
                     "expected the store of a sweep without --threads");
  }
  const std::optional<std::size_t> interval = stored_interval(setup, options, file);
  const std::size_t intervals = setup.intervals.size();
  calibrate::Measured result;
  result.file = file;
  reader.read_rows([&](const store::RowBatch& batch) {
    for (std::size_t i = 0; i < batch.rows.size(); ++i) {
      const store::ResultRow& row = batch.rows[i];
      if (row.status != store::Status::done) {
        continue;
      }
      const model::Characteristics& sums =
          interval ? batch.intervals[i * intervals + *interval] : row.characteristics;
      result.runs.push_back({{}, row.grid(), sums.execution_time, 0});
    }
  });
  return result;
}

/// The time of a file of `predict --json`: of the program or of its first interval of the user.
calibrate::Measured times_of_prediction(const std::string& file, const MeasuredOptions& options) {
  std::ifstream in(file, std::ios::binary);
  const model::Prediction prediction = report::read_prediction(in, file);
  std::size_t chosen = 0;
  for (std::size_t i = prediction.intervals.size(); i-- > 0;) {
    if (prediction.intervals[i].info.type == trace::IntervalType::user &&
        options.interval != calibrate::Interval::program) {
      chosen = i;
    }
  }
  if (chosen == 0 && options.interval == calibrate::Interval::user) {
    throw InputError(file, 0, "has no interval of the user", "expected --interval=program");
  }
  calibrate::Measured result;
  result.file = file;
  result.runs.push_back({{}, prediction.grid, prediction.intervals[chosen].sums.execution_time, 0});
  return result;
}

/// The runs by their extents: grids that differ at most in dimensions of one processor.
class RunsByExtents {
public:
  explicit RunsByExtents(const std::vector<calibrate::MeasuredRun>& runs) {
    for (const calibrate::MeasuredRun& run : runs) {
      runs_[extents_of(run.grid)].push_back(&run);
    }
  }

  /// The predicted time of a measured run: of the same grid, else of one with the same extents.
  [[nodiscard]] const calibrate::MeasuredRun* same_run(const calibrate::MeasuredRun& run) const {
    const auto alike = runs_.find(extents_of(run.grid));
    const calibrate::MeasuredRun* found = nullptr;
    if (alike == runs_.end()) {
      return found;
    }
    for (const calibrate::MeasuredRun* guess : alike->second) {
      if (!run.trace.empty() && !guess->trace.empty() && run.trace != guess->trace) {
        continue;
      }
      if (run.grid == guess->grid) {
        return guess;
      }
      found = found == nullptr ? guess : found;
    }
    return found;
  }

private:
  using Extents = std::array<std::int64_t, machine::max_grid_rank>;
  [[nodiscard]] static Extents extents_of(const machine::Grid& grid) {
    Extents extents{};
    for (int dim = 0; dim < machine::max_grid_rank; ++dim) {
      extents[static_cast<std::size_t>(dim)] = grid.extent(dim);
    }
    return extents;
  }

  std::map<Extents, std::vector<const calibrate::MeasuredRun*>> runs_;
};

using VariantPlace = std::pair<std::string, std::int64_t>;  // name, processors

/// The least time of each variant on each number of processors.
std::map<VariantPlace, calibrate::MeasuredRun> best_runs(const calibrate::Measured& times) {
  std::map<std::pair<std::string, std::string>, std::vector<double>> measured;
  for (const calibrate::MeasuredRun& run : times.runs) {
    if (run.trace.empty()) {
      throw InputError(times.file, run.line, "names no variant",
                       "expected a column variant, program or trace");
    }
    measured[{run.trace, run.grid.text()}].push_back(run.seconds);
  }
  std::map<VariantPlace, calibrate::MeasuredRun> best;
  for (auto& [name, seconds] : measured) {
    const machine::Grid grid = machine::Grid::parse(name.second);
    const calibrate::MeasuredRun run{name.first, grid, calibrate::median_of(std::move(seconds)), 0};
    const auto [place, is_new] = best.try_emplace({run.trace, grid.processors()}, run);
    if (!is_new && run.seconds < place->second.seconds) {
      place->second = run;
    }
  }
  return best;
}

/// Opens a file to see what it is; a pipe, which can be read once, is not touched.
std::ifstream regular_file(const std::string& file) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(file, ignored) ? std::ifstream(file, std::ios::binary)
                                                         : std::ifstream();
}

/// Throws if a variant of `some` is none of the others.
void require_known(const calibrate::Measured& some,
                   const std::map<VariantPlace, calibrate::MeasuredRun>& others,
                   const std::string& file) {
  for (const calibrate::MeasuredRun& run : some.runs) {
    const auto found = others.lower_bound({run.trace, 0});
    if (found == others.end() || found->first.first != run.trace) {
      throw InputError(some.file, run.line, "the variant '" + run.trace + "' is not in " + file,
                       "expected variants that were predicted");
    }
  }
}

}  // namespace

bool is_store(const std::string& file) {
  constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
  std::array<char, signature.size()> begin{};
  std::ifstream stream = regular_file(file);
  stream.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return stream && std::string_view(begin.data(), begin.size()) == signature;
}

bool is_prediction(const std::string& file) {
  std::ifstream stream = regular_file(file);
  char first = 0;
  return stream >> first && first == '{';
}

calibrate::Measured times_of(const std::string& file, const MeasuredOptions& options) {
  if (is_store(file)) {
    return times_of_store(file, options);
  }
  if (is_prediction(file)) {
    return times_of_prediction(file, options);
  }
  calibrate::Measured result = read_measured_times(file, options.unit);
  if (result.runs.empty()) {
    throw InputError(file, 0, "holds messages, not runs of programs",
                     "expected a column grid or p1...p4");
  }
  return result;
}

std::vector<calibrate::Compared> joined(const calibrate::Measured& predicted,
                                        const calibrate::Measured& measured) {
  std::vector<calibrate::Compared> result;
  const RunsByExtents known(predicted.runs);
  for (const calibrate::MeasuredRun& run : measured.runs) {
    if (const calibrate::MeasuredRun* found = known.same_run(run)) {
      const bool longer = run.grid.rank() > found->grid.rank();
      result.push_back({run.trace.empty() ? found->trace : run.trace,
                        longer ? run.grid : found->grid, found->seconds, run.seconds});
    }
  }
  return result;
}

std::vector<calibrate::Compared> joined_variants(const calibrate::Measured& predicted,
                                                 const calibrate::Measured& measured) {
  const auto promised = best_runs(predicted);
  const auto found = best_runs(measured);
  require_known(measured, promised, predicted.file);
  std::vector<calibrate::Compared> result;
  for (const auto& [place, run] : found) {
    if (const auto guess = promised.find(place); guess != promised.end()) {
      result.push_back({run.trace, guess->second.grid, guess->second.seconds, run.seconds});
    }
  }
  return result;
}

calibrate::Comparison compared_with_measured(const std::vector<std::string>& traces,
                                             const std::vector<std::string>& shapes,
                                             const std::string& measured,
                                             const MachineOptions& machine,
                                             const MeasuredOptions& options,
                                             const model::OptionWords& model) {
  const std::array<calibrate::Measured, 1> files{times_of(measured, options)};
  const calibrate::Experiments experiments(
      load_machine(machine), calibrated_programs(traces, shapes, model), files, options.interval);
  std::vector<std::size_t> rows(experiments.rows().size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i] = i;
  }
  const std::vector<double> seconds =
      experiments.predict(experiments.cluster(), std::nullopt, rows);
  std::vector<calibrate::Compared> result;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const calibrate::Experiment& row = experiments.rows()[i];
    result.push_back({row.program, row.grid, seconds[i], row.seconds});
  }
  calibrate::Comparison comparison = calibrate::compare_times(std::move(result));
  for (const calibrate::CalibratedProgram& program : experiments.programs()) {
    comparison.programs.push_back(program.name);
  }
  comparison.assumed = experiments.assumed();
  return comparison;
}

}  // namespace gridcast::cli
