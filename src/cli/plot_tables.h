#pragma once
/// What `gridcast plot` draws: the numbers of each kind of chart, read where they lie.

#include <string>

#include "gridcast/report/plot.h"

namespace gridcast::cli {

/// Of a store of a sweep. Throw InputError if it has none to show.
[[nodiscard]] report::Plot plot_front(const std::string& store);
[[nodiscard]] report::Plot plot_map(const std::string& store);
[[nodiscard]] report::Plot plot_scaling(const std::string& store);

/// Of a store or of the JSON of a prediction.
[[nodiscard]] report::Plot plot_losses(const std::string& file);

/// Of a store of a data set or a CSV file of runs.
[[nodiscard]] report::Plot plot_factors(const std::string& file);

/// Of trace events.
[[nodiscard]] report::Plot plot_timeline(const std::string& file);

}  // namespace gridcast::cli
