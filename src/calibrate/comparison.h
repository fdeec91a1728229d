#pragma once
/// Predicted against measured times: errors, ranking of grids, regret of the chosen one
/// (docs/calibration.md).

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gridcast/base/words.h"
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

/// The mean of the two in the middle if their number is even. Precondition: there are values.
[[nodiscard]] double median_of(std::vector<double> values);

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

/// How far the order of predicted times is from that of measured ones ([Forecasting §4.2]): of all
/// pairs in the wrong order the one with the largest sum of both distances, each in parts of the
/// least time of its kind. Distances of up to 0.001 are no order.
struct OrderError {
  std::size_t first = 0;   ///< predicted to be faster, measured to be slower
  std::size_t second = 0;  ///< the other of the pair
  double gain = 0.0;       ///< by how much the first was to be faster
  double loss = 0.0;       ///< by how much it is slower

  /// 0 if the order is right.
  [[nodiscard]] double size() const noexcept { return gain + loss; }
};
[[nodiscard]] OrderError order_error(std::span<const double> predicted,
                                     std::span<const double> measured);

/// A grid with both times.
struct Compared {
  std::string program;  ///< empty if there is only one
  machine::Grid grid;
  double predicted = 0.0;
  double measured = 0.0;

  [[nodiscard]] double error() const noexcept { return predicted / measured - 1.0; }
};

/// The grids of one program, all or those of one number of processors; or the variants on one
/// number of processors. Each is named by its grid, a variant by its name and grid.
struct ComparedGroup {
  std::string program;          ///< empty of variants
  std::int64_t processors = 0;  ///< 0: all
  Errors errors;
  std::optional<double> tau;
  double regret = 0.0;
  std::string chosen;   ///< the least predicted time
  std::string fastest;  ///< the least measured time
  double order_error = 0.0;
  /// The pair of the order error with what was predicted and measured; empty if the order is right.
  std::string promised, better;
  double gain = 0.0, loss = 0.0;  ///< parts of the least time
};

/// What is ordered: the grids of each program, or programs that are variants of one.
enum class Subject : std::uint8_t { grids, variants };

/// Rows with both times, and how well each group of them is told apart.
struct Comparison {
  Subject subject = Subject::grids;
  std::vector<Compared> rows;  ///< by program, then number of processors and grid
  /// Per program: all, then each number with several grids. Of variants: each number with several.
  std::vector<ComparedGroup> groups;
  Errors errors;                      ///< of all rows
  std::vector<std::string> programs;  ///< of what was predicted
  std::vector<NamedWords> assumed;    ///< of each of them, if it is known
};

/// Several measurements of the same grid become one with their median. Throws InputError if there
/// are no rows.
[[nodiscard]] Comparison compare_times(std::vector<Compared> rows,
                                       Subject subject = Subject::grids);

}  // namespace gridcast::calibrate
