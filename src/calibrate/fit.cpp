#include "gridcast/calibrate/fit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <random>

#include "gridcast/base/contract.h"
#include "gridcast/base/error.h"
#include "integers.h"
#include "least_squares.h"
#include "outliers.h"
#include "told.h"

namespace gridcast::calibrate {
namespace {

/// A number is told if its 95 % interval is no wider than this part of it to each side.
constexpr double told_within = 0.05;

/// Up to this it is told roughly.
constexpr double roughly_within = 0.5;

/// Beyond this the data say nothing about it: it is tried whether the initial value or a bound does
/// as well.
constexpr double next_to_nothing = 3.0;

/// Numbers whose estimates go together so closely that only a combination of them is told.
constexpr double same_effect = 0.95;

class Fitter {
public:
  Fitter(const FitProblem& problem, std::span<const std::size_t> rows, const FitOptions& options)
      : problem_(problem),
        options_(options),
        random_(options.seed),
        rows_(rows.begin(), rows.end()) {
    reduced_.problem = &problem;
    reduced_.rows = rows_;
    reduced_.loss_width = options.loss_width.value_or(widest_loss);
    for (std::size_t i = 0; i < problem.numbers.size(); ++i) {
      const Number& number = problem.numbers[i];
      expects(number.lower <= number.initial && number.initial <= number.upper,
              "the initial value is within the bounds");
      result_.numbers.push_back(
          {number.initial, Told::untold, 0.0, number.initial, number.initial, {}});
      initial_.push_back(number.initial);
      if (!number.integer && number.lower < number.upper) {
        reduced_.free.push_back(i);
      }
    }
  }

  Fit run() {
    best_ = {initial_, cost_of(residuals(reduced_, initial_), reduced_.loss_width)};
    try_starts();
    narrow_loss();
    const std::vector<Tried> tried = fit_integers(reduced_, best_);
    judge_integers(tried);
    best_ = minimize(reduced_, best_.point);
    let_go();
    give_up_untold();
    for (std::size_t i = 0; i < result_.numbers.size(); ++i) {
      result_.numbers[i].value = best_.point[i];
    }
    result_.loss_width = reduced_.loss_width;
    return std::move(result_);
  }

private:
  [[nodiscard]] const Number& number(std::size_t index) const { return problem_.numbers[index]; }

  /// Between 0 and 1; the same on every machine.
  double uniform() { return static_cast<double>(random_() >> 11U) * 0x1.0p-53; }

  Point random_point() {
    constexpr double most = 30.0;
    Point point = initial_;
    for (const std::size_t i : reduced_.free) {
      const double value = number(i).scale * std::pow(most, 2.0 * uniform() - 1.0);
      point[i] = std::clamp(value, number(i).lower, number(i).upper);
    }
    return point;
  }

  /// From the initial values and from the best of many random points.
  void try_starts() {
    constexpr int tries_per_start = 4;
    std::vector<Solution> points;
    const int tries = options_.starts > 1 ? options_.starts * tries_per_start : 0;
    for (int i = 0; i < tries && !reduced_.free.empty(); ++i) {
      points.push_back({random_point(), 0.0});
    }
    const auto costs = options_.distribute(points.size(), [&](std::size_t i) {
      return std::vector{cost_of(residuals(reduced_, points[i].point), reduced_.loss_width)};
    });
    for (std::size_t i = 0; i < points.size(); ++i) {
      points[i].cost = costs[i].front();
    }
    std::ranges::stable_sort(points, {}, &Solution::cost);
    points.resize(
        std::min(points.size(), static_cast<std::size_t>(std::max(options_.starts, 1)) - 1));
    points.insert(points.begin(), best_);
    if (!options_.also_from.empty()) {
      points.push_back({options_.also_from, 0.0});
    }
    const auto found = options_.distribute(points.size(), [&](std::size_t i) {
      Solution solution = minimize(reduced_, points[i].point);
      solution.point.push_back(solution.cost);
      return std::move(solution.point);
    });
    for (Point point : found) {
      const double cost = point.back();
      point.pop_back();
      if (cost < best_.cost) {
        best_ = {std::move(point), cost};
      }
    }
  }

  /// Where most times fit well, a few that no numbers explain shall not bend the fit of all: what
  /// is beyond twice the spread of most counts linearly, until that changes no more.
  void narrow_loss() {
    if (options_.loss_width || !tells_spread(reduced_)) {
      return;
    }
    constexpr int most_rounds = 4;
    constexpr double hardly_narrower = 0.9;
    for (int round = 0; round < most_rounds; ++round) {
      const double width = width_of_most(reduced_, best_.point);
      if (width > hardly_narrower * reduced_.loss_width) {
        return;
      }
      reduced_.loss_width = width;
      best_.cost = cost_of(residuals(reduced_, best_.point), width);
      best_ = minimize(reduced_, best_.point);
    }
  }

  /// Lets the rows go that no numbers explain, the worst first: what is left explains what it can.
  void let_go() {
    if (!options_.let_go) {
      return;
    }
    constexpr std::ptrdiff_t one_in = 5;
    auto left =
        std::ranges::count_if(rows_, [this](auto row) { return is_of_kind_0(row); }) / one_in;
    for (; left > 0 && tells_spread(reduced_); --left) {
      const std::optional<std::size_t> strangest = strangest_row(reduced_, best_.point);
      if (!strangest) {
        return;
      }
      result_.let_go.push_back(rows_[*strangest]);
      rows_.erase(rows_.begin() + static_cast<std::ptrdiff_t>(*strangest));
      reduced_.rows = rows_;
      best_.cost = cost_of(residuals(reduced_, best_.point), reduced_.loss_width);
      best_ = minimize(reduced_, best_.point);
    }
  }

  [[nodiscard]] bool is_of_kind_0(std::size_t row) const { return kind_of(problem_, row) == 0; }

  [[nodiscard]] bool is_worse(double cost) const {
    return significantly_worse(cost, best_.cost, reduced_.rows.size(), reduced_.free.size());
  }

  void judge_integers(const std::vector<Tried>& tried) {
    for (const Tried& integer : tried) {
      FittedNumber& fitted = result_.numbers[integer.number];
      fitted.low = std::numeric_limits<double>::max();
      fitted.high = 0.0;
      bool initial_fits = false;
      for (std::size_t i = 0; i < integer.values.size(); ++i) {
        if (is_worse(integer.costs[i])) {
          continue;
        }
        fitted.low = std::min(fitted.low, integer.values[i]);
        fitted.high = std::max(fitted.high, integer.values[i]);
        initial_fits = initial_fits || integer.values[i] == number(integer.number).initial;
      }
      if (integer.enough_at_last && fitted.high == integer.values.back()) {
        fitted.high = number(integer.number).upper;
        initial_fits = initial_fits || number(integer.number).initial >= integer.values.back();
      }
      fitted.told = fitted.low == fitted.high ? Told::told : Told::roughly;
      if (fitted.told == Told::roughly && initial_fits) {
        fitted.told = Told::untold;
        best_.point[integer.number] = number(integer.number).initial;
      }
    }
  }

  [[nodiscard]] bool at_bound(std::size_t index) const {
    constexpr double part = 1e-6;
    const double value = best_.point[index];
    const double slack = part * number(index).scale;
    return value - number(index).lower < slack || number(index).upper - value < slack;
  }

  /// Whether a change of the number changes any predicted time.
  [[nodiscard]] bool matters(std::size_t index) const {
    Point moved = best_.point;
    const double more = moved[index] + number(index).scale;
    moved[index] = more <= number(index).upper ? more : number(index).lower;
    constexpr double nothing = 1e-9;
    return (residuals(reduced_, moved) - residuals(reduced_, best_.point)).cwiseAbs().maxCoeff() >
           nothing;
  }

  /// Takes numbers at their bounds out of those that are fitted; first those whose initial value is
  /// known and does as well.
  void set_aside_bounds() {
    while (keep_stated()) {
    }
    std::erase_if(reduced_.free, [this](std::size_t index) {
      if (!at_bound(index)) {
        return false;
      }
      const Number& description = number(index);
      if (!matters(index)) {
        result_.numbers[index].told = Told::untold;
        best_.point[index] = description.initial;
        return true;
      }
      result_.numbers[index].told = Told::at_bound;
      best_.point[index] =
          best_.point[index] - description.lower < description.upper - best_.point[index]
              ? description.lower
              : description.upper;
      return true;
    });
  }

  /// Gives the first number at a bound its initial value back, if that is known and fits as well.
  bool keep_stated() {
    for (const std::size_t index : reduced_.free) {
      const double initial = number(index).initial;
      const bool within = number(index).lower < initial && initial < number(index).upper;
      if (!number(index).stated || !within || !at_bound(index) || !matters(index)) {
        continue;
      }
      if (const std::optional<Solution> found = fit_with(index, initial)) {
        result_.numbers[index].told = Told::untold;
        give_up(index, *found);
        return true;
      }
    }
    return false;
  }

  /// The best fit with a number at this value, if it is not significantly worse than with it free.
  std::optional<Solution> fit_with(std::size_t index, double value) const {
    Reduced without = reduced_;
    std::erase(without.free, index);
    Point point = best_.point;
    point[index] = value;
    Solution found = minimize(without, point);
    if (is_worse(found.cost)) {
      return std::nullopt;
    }
    return found;
  }

  /// Numbers about which the data say next to nothing keep their initial value or go to their
  /// bound, as long as the fit does not suffer; the most uncertain ones first.
  void give_up_untold() {
    std::vector<std::size_t> needed;
    while (true) {
      set_aside_bounds();
      if (reduced_.free.empty()) {
        return;
      }
      const Spread spread = spread_of(reduced_, best_);
      const std::optional<std::size_t> worst = most_uncertain(spread, needed);
      if (!worst) {
        judge(spread);
        return;
      }
      const std::size_t index = reduced_.free[*worst];
      FittedNumber& fitted = result_.numbers[index];
      fitted.together = companions(spread, *worst);
      if (std::optional<Solution> found = fit_with(index, number(index).initial)) {
        fitted.told = Told::untold;
        give_up(index, *found);
      } else if (found = fit_with(index, number(index).lower); found) {
        fitted.told = Told::at_bound;
        give_up(index, *found);
      } else {
        needed.push_back(index);
      }
    }
  }

  void give_up(std::size_t index, const Solution& found) {
    std::erase(reduced_.free, index);
    best_ = found;
  }

  [[nodiscard]] std::optional<std::size_t> most_uncertain(
      const Spread& spread, const std::vector<std::size_t>& needed) const {
    std::optional<std::size_t> worst;
    double most = next_to_nothing;
    for (std::size_t i = 0; i < reduced_.free.size(); ++i) {
      const double uncertainty = spread.uncertainty[static_cast<Eigen::Index>(i)];
      if (uncertainty > most && std::ranges::find(needed, reduced_.free[i]) == needed.end()) {
        worst = i;
        most = uncertainty;
      }
    }
    if (worst) {
      // Of numbers that stand in for one another the last goes: machines name the basic ones first.
      for (const std::size_t other : companions(spread, *worst)) {
        const auto place = static_cast<std::size_t>(std::ranges::find(reduced_.free, other) -
                                                    reduced_.free.begin());
        const bool is_needed = std::ranges::find(needed, other) != needed.end();
        worst = place > *worst && !is_needed ? place : *worst;
      }
    }
    return worst;
  }

  [[nodiscard]] std::vector<std::size_t> companions(const Spread& spread, std::size_t place) const {
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i < reduced_.free.size(); ++i) {
      const double correlation =
          spread.correlation(static_cast<Eigen::Index>(place), static_cast<Eigen::Index>(i));
      if (i != place && std::abs(correlation) > same_effect) {
        result.push_back(reduced_.free[i]);
      }
    }
    return result;
  }

  void judge(const Spread& spread) {
    for (std::size_t i = 0; i < reduced_.free.size(); ++i) {
      const std::size_t index = reduced_.free[i];
      FittedNumber& fitted = result_.numbers[index];
      const double value = std::abs(best_.point[index]);
      fitted.uncertainty = spread.uncertainty[static_cast<Eigen::Index>(i)] *
                           unit(number(index), best_.point[index]) /
                           std::max(value, std::numeric_limits<double>::min());
      fitted.told = fitted.uncertainty <= told_within      ? Told::told
                    : fitted.uncertainty <= roughly_within ? Told::roughly
                                                           : Told::hardly;
      if (fitted.told != Told::told) {
        fitted.together = companions(spread, i);
      }
    }
  }

  const FitProblem& problem_;
  const FitOptions& options_;
  std::mt19937_64 random_;
  std::vector<std::size_t> rows_;  ///< that count
  Reduced reduced_;
  Point initial_;
  Solution best_;
  Fit result_;
};

}  // namespace

Point Fit::point() const {
  Point point;
  for (const FittedNumber& number : numbers) {
    point.push_back(number.value);
  }
  return point;
}

std::size_t kind_of(const FitProblem& problem, std::size_t row) {
  return row < problem.kinds.size() ? problem.kinds[row] : 0;
}

std::vector<std::vector<double>> run_here(
    std::size_t count, const std::function<std::vector<double>(std::size_t)>& job) {
  std::vector<std::vector<double>> results;
  for (std::size_t i = 0; i < count; ++i) {
    results.push_back(job(i));
  }
  return results;
}

Fit fit(const FitProblem& problem, std::span<const std::size_t> rows, const FitOptions& options) {
  if (rows.empty()) {
    throw InputError("there are no measured times to fit to", "expected at least one");
  }
  Fit result = Fitter(problem, rows, options).run();
  std::vector<std::size_t> all(problem.measured.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = i;
  }
  result.predicted = problem.simulate(result.point(), all);
  return result;
}

}  // namespace gridcast::calibrate
