#pragma once
/// Fits the numbers of a model to measured times, whatever the model is: relative residuals
/// predicted / measured - 1, a robust loss, bounds, several starts, integers by enumeration; and
/// says which numbers the measured times cannot tell (docs/calibration.md).

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gridcast::calibrate {

/// One number of a model.
struct Number {
  std::string name;
  double initial = 0.0;
  double lower = 0.0;
  double upper = 0.0;
  double scale = 1.0;  ///< a typical size, for steps and starting points; greater than 0
  bool integer = false;
  /// The initial value is known from elsewhere: it stays where the rows tell no better one, even if
  /// the best one is the end of the range.
  bool stated = false;
};

/// Values of all numbers of a problem.
using Point = std::vector<double>;

/// Predicted times of the rows at a point; as many as there are rows, all finite.
using Simulate = std::function<std::vector<double>(const Point&, std::span<const std::size_t>)>;

/// What is to be fitted.
struct FitProblem {
  std::vector<Number> numbers;
  std::vector<double> measured;  ///< of every row, greater than 0
  /// By which each residual is multiplied; rows without one count whole.
  std::vector<double> weights;
  /// Rows of the same kind err alike; rows without one are of kind 0.
  std::vector<std::size_t> kinds;
  Simulate simulate;
};

/// The kind of a row.
[[nodiscard]] std::size_t kind_of(const FitProblem& problem, std::size_t row);

/// Runs job(i) for i = 0 … count-1, wherever, and returns all results: independent parts of a fit
/// on several ranks. All callers take part in the same calls and get the same results.
using Distribute = std::function<std::vector<std::vector<double>>(
    std::size_t count, const std::function<std::vector<double>(std::size_t)>& job)>;

/// All jobs here, one after the other.
[[nodiscard]] std::vector<std::vector<double>> run_here(
    std::size_t count, const std::function<std::vector<double>(std::size_t)>& job);

/// Width of the loss while nothing is known of the residuals.
constexpr double widest_loss = 0.3;

/// How it is fitted.
struct FitOptions {
  /// Relative residuals beyond this count linearly instead of by their square (Huber's loss).
  /// Without it: `widest_loss`, and where there are enough rows a second fit with twice the spread
  /// that most residuals of the first one have.
  std::optional<double> loss_width;
  /// A row of kind 0 that no numbers explain does not count, up to one in five of its kind: one
  /// that is off by more than six times what most are, where there are enough rows to tell that.
  bool let_go = false;
  /// Starting points: the initial values, and the best of four times as many random ones.
  int starts = 6;
  std::vector<double> also_from;  ///< one more starting point; empty: none
  std::uint64_t seed = 1;
  Distribute distribute = run_here;  ///< of starting points, and of parts that are left out
};

/// What the measured times say about a number.
enum class Told : std::uint8_t {
  told,      ///< its 95 % interval is within 5 %; of an integer: all others fit significantly worse
  roughly,   ///< the interval is wider, up to 50 %
  hardly,    ///< the interval is wider still
  at_bound,  ///< the best value is the end of its range
  untold,    ///< no change of it matters, or others make up for it: the initial value stays
};

/// The outcome for a number.
struct FittedNumber {
  double value = 0.0;
  Told told = Told::told;
  /// Half of the 95 % interval over the value; 0 for an integer, at a bound and for untold ones.
  double uncertainty = 0.0;
  double low = 0.0;   ///< of an integer: the least value that fits as well
  double high = 0.0;  ///< and the greatest
  /// Numbers that can stand in for this one: only a combination of them is told.
  std::vector<std::size_t> together;
};

/// A machine fitted to measured times.
struct Fit {
  std::vector<FittedNumber> numbers;
  std::vector<double> predicted;    ///< of all rows of the problem, with the fitted numbers
  double loss_width = widest_loss;  ///< with which it was fitted
  std::vector<std::size_t> let_go;  ///< rows that did not count (FitOptions::let_go)
  Point point() const;
};

/// Throws InputError unless this gridcast has the solver that fit() needs: libgridcast-solver.so
/// beside the program or installed with it, and Ceres.
void require_solver();

/// Fits to the given rows of the problem. Throws InputError if there are none, and as
/// require_solver() does.
[[nodiscard]] Fit fit(const FitProblem& problem, std::span<const std::size_t> rows,
                      const FitOptions& options = {});

}  // namespace gridcast::calibrate
