#pragma once
/// Times of grids from stores, CSV files and predictions, for `compare`.

#include <string>
#include <vector>

#include "gridcast/calibrate/comparison.h"
#include "gridcast/calibrate/measured.h"
#include "measured_options.h"
#include "options.h"

namespace gridcast::cli {

/// Whether a file begins as HDF5 files do. What comes through a pipe is a table.
[[nodiscard]] bool is_store(const std::string& file);

/// Whether a file begins as a JSON object does: `predict --json` wrote it. What comes through a
/// pipe is a table.
[[nodiscard]] bool is_prediction(const std::string& file);

/// The times of a store (rows that were predicted), of a prediction, or of a CSV file of runs.
/// Throws InputError, also for the store of a data set, whose rows differ in more than their grids.
[[nodiscard]] calibrate::Measured times_of(const std::string& file, const MeasuredOptions& options);

/// Grids that both know. If one of them does not name its program, both are taken for the same.
[[nodiscard]] std::vector<calibrate::Compared> joined(const calibrate::Measured& predicted,
                                                      const calibrate::Measured& measured);

/// Variants that both know: each on so many processors with its least time on either side, of grids
/// that were measured several times with the median. Throws InputError if a run names no variant,
/// or one that was not predicted.
[[nodiscard]] std::vector<calibrate::Compared> joined_variants(const calibrate::Measured& predicted,
                                                               const calibrate::Measured& measured);

/// Every measured run against its prediction from its trace and what runs with blocks of other
/// shapes tell.
[[nodiscard]] calibrate::Comparison compared_with_measured(const std::vector<std::string>& traces,
                                                           const std::vector<std::string>& shapes,
                                                           const std::string& measured,
                                                           const MachineOptions& machine,
                                                           const MeasuredOptions& options,
                                                           const model::OptionWords& model);

}  // namespace gridcast::cli
