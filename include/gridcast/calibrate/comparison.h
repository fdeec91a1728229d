#pragma once
/// Predicted against measured times: errors, ranking of grids, regret of the chosen one
/// (docs/calibration.md).

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gridcast/machine/grid.h"

namespace gridcast::calibrate {

/// Relative errors |predicted / measured - 1|.
struct Errors {
  std::size_t count = 0;
  double mean = 0.0;
  double median = 0.0;
  double worst = 0.0;
  double bias = 0.0;  ///< mean with sign: greater than 0 if predictions are too long
};

/// Of pairs of equal length; all 0 if there are none. Precondition: measured times are above 0.
[[nodiscard]] Errors errors_of(std::span<const double> predicted, std::span<const double> measured);

/// Kendall's tau-b: 1 if both order the values alike, -1 if the other way round, 0 if one says
/// nothing about the other; ties count for neither. Nothing if one of them has only ties.
[[nodiscard]] std::optional<double> kendall_tau(std::span<const double> a,
                                                std::span<const double> b);

/// How much longer the grid with the least predicted time takes than the fastest measured one,
/// relative to that. Of several with the least predicted time the slowest counts. 0 if there are
/// none.
[[nodiscard]] double regret_of(std::span<const double> predicted, std::span<const double> measured);

/// A grid with both times.
struct Compared {
  std::string program;  ///< empty if there is only one
  machine::Grid grid;
  double predicted = 0.0;
  double measured = 0.0;

  [[nodiscard]] double error() const noexcept { return predicted / measured - 1.0; }
};

/// The grids of one program, all or those of one number of processors.
struct ComparedGroup {
  std::string program;
  std::int64_t processors = 0;  ///< 0: all
  Errors errors;
  std::optional<double> tau;
  double regret = 0.0;
  machine::Grid chosen;   ///< the least predicted time
  machine::Grid fastest;  ///< the least measured time
};

struct Comparison {
  std::vector<Compared> rows;         ///< by program, then number of processors and grid
  std::vector<ComparedGroup> groups;  ///< per program: all, then each number with several grids
  Errors errors;                      ///< of all rows
};

/// Several measurements of the same grid become one with their median. Throws InputError if there
/// are no rows.
[[nodiscard]] Comparison compare_times(std::vector<Compared> rows);

}  // namespace gridcast::calibrate
