#include "compared_times.h"

#include <array>
#include <fstream>
#include <string_view>

#include "gridcast/base/error.h"
#include "gridcast/store/reader.h"
#include "inputs.h"

namespace gridcast::cli {
namespace {

/// Whether a file begins as HDF5 files do.
bool is_store(const std::string& file) {
  constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
  std::array<char, signature.size()> begin{};
  std::ifstream stream(file, std::ios::binary);
  stream.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return stream && std::string_view(begin.data(), begin.size()) == signature;
}

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
  if (!setup.extra_columns.empty()) {
    throw InputError(file, 0, "is a data set of several machines or programs",
                     "expected the store of one search");
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

/// Whether they differ at most in dimensions of one processor.
bool same_extents(const machine::Grid& a, const machine::Grid& b) {
  for (int dim = 0; dim < machine::max_grid_rank; ++dim) {
    if (a.extent(dim) != b.extent(dim)) {
      return false;
    }
  }
  return true;
}

/// The predicted time of a measured run: of the same grid, else of one with the same extents.
const calibrate::MeasuredRun* same_run(const calibrate::Measured& predicted,
                                       const calibrate::MeasuredRun& run) {
  const calibrate::MeasuredRun* found = nullptr;
  for (const calibrate::MeasuredRun& guess : predicted.runs) {
    if (!run.trace.empty() && !guess.trace.empty() && run.trace != guess.trace) {
      continue;
    }
    if (run.grid == guess.grid) {
      return &guess;
    }
    if (found == nullptr && same_extents(run.grid, guess.grid)) {
      found = &guess;
    }
  }
  return found;
}

}  // namespace

calibrate::Measured times_of(const std::string& file, const MeasuredOptions& options) {
  if (is_store(file)) {
    return times_of_store(file, options);
  }
  calibrate::Measured result = calibrate::read_measured(file, options.unit);
  if (result.runs.empty()) {
    throw InputError(file, 0, "holds messages, not runs of programs",
                     "expected a column grid or p1...p4");
  }
  return result;
}

std::vector<calibrate::Compared> joined(const calibrate::Measured& predicted,
                                        const calibrate::Measured& measured) {
  std::vector<calibrate::Compared> result;
  for (const calibrate::MeasuredRun& run : measured.runs) {
    if (const calibrate::MeasuredRun* found = same_run(predicted, run)) {
      const bool longer = run.grid.rank() > found->grid.rank();
      result.push_back({run.trace.empty() ? found->trace : run.trace,
                        longer ? run.grid : found->grid, found->seconds, run.seconds});
    }
  }
  return result;
}

std::vector<calibrate::Compared> predicted_times(const std::vector<std::string>& traces,
                                                 const std::string& measured,
                                                 const MachineOptions& machine,
                                                 const MeasuredOptions& options,
                                                 const model::ModelOptions& model) {
  std::vector<calibrate::CalibratedProgram> programs;
  programs.reserve(traces.size());
  for (const std::string& trace : traces) {
    programs.push_back(calibrated_program(trace, model));
  }
  const std::array<calibrate::Measured, 1> files{times_of(measured, options)};
  const calibrate::Experiments experiments(load_machine(machine), std::move(programs), files, model,
                                           options.interval);
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
  return result;
}

}  // namespace gridcast::cli
