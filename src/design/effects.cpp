#include "gridcast/design/effects.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "gridcast/base/error.h"

namespace gridcast::design {
namespace {

/// Each case keeps (factors + 1)^2 / 2 sums; more are no screening.
constexpr std::size_t most_cases = 10'000;

/// Values of a factor: their ends, and whether there are only these two.
struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  double third = std::numeric_limits<double>::quiet_NaN();  ///< a value between, if there is one
  double first = 0.0;
  std::int64_t rows = 0;
  std::int64_t equal_to_first = 0;
  bool numbers_rows = true;  ///< each value is one more than that of the row before

  void add(double value) {
    first = rows == 0 ? value : first;
    numbers_rows = numbers_rows && value == first + static_cast<double>(rows);
    equal_to_first += value == first ? 1 : 0;
    ++rows;
    for (const double end : {low, high}) {
      if (std::isfinite(end) && value != end && end > std::min(low, value) &&
          end < std::max(high, value)) {
        third = end;
      }
    }
    if (std::isfinite(low) && value > low && value < high) {
      third = value;
    }
    low = std::min(low, value);
    high = std::max(high, value);
  }
  [[nodiscard]] bool two_levels() const { return std::isnan(third); }
  [[nodiscard]] bool is_number() const { return numbers_rows && rows >= 4; }
  /// Half of the rows at each of two values.
  [[nodiscard]] bool is_balanced() const {
    return low < high && two_levels() && 2 * equal_to_first == rows;
  }
  /// -1 at the low, +1 at the high end.
  [[nodiscard]] double scaled(double value) const {
    return value == high ? 1.0 : 2.0 * (value - low) / (high - low) - 1.0;
  }
};

std::vector<Range> ranges_of(const Table& table, const std::vector<std::string>& factors) {
  std::vector<Range> ranges(factors.size());
  table.read(table.columns_of(factors), [&](std::span<const double> row) {
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      ranges[i].add(row[i]);
    }
  });
  return ranges;
}

/// Sums of a least-squares fit of one case. The response is counted from the first one, which
/// keeps its digits.
class Fit {
public:
  explicit Fit(std::size_t factors) : size_(factors + 1), products_(size_ * size_), right_(size_) {}

  /// `x` has a 1 in front of the scaled factors.
  void add(std::span<const double> x, double y) {
    if (runs_++ == 0) {
      origin_ = y;
    }
    const double value = y - origin_;
    for (std::size_t i = 0; i < size_; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        products_[i * size_ + j] += x[i] * x[j];
      }
      right_[i] += x[i] * value;
    }
    squares_ += value * value;
  }

  [[nodiscard]] std::int64_t runs() const noexcept { return runs_; }
  [[nodiscard]] double mean() const { return origin_ + right_[0] / static_cast<double>(runs_); }
  /// Sum of the squared deviations from the mean.
  [[nodiscard]] double variation() const {
    return std::max(0.0, squares_ - right_[0] * right_[0] / static_cast<double>(runs_));
  }

  /// Whether every two columns are uncorrelated.
  [[nodiscard]] bool is_balanced() const {
    for (std::size_t i = 0; i < size_; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (std::abs(products_[i * size_ + j]) > 1e-9 * static_cast<double>(runs_)) {
          return false;
        }
      }
    }
    return true;
  }

  /// Constant and coefficients; empty if the factors cannot be told apart.
  [[nodiscard]] std::vector<double> coefficients() const {
    const auto n = static_cast<Eigen::Index>(size_);
    Eigen::MatrixXd matrix(n, n);
    Eigen::VectorXd right(n);
    for (std::size_t i = 0; i < size_; ++i) {
      for (std::size_t j = 0; j < size_; ++j) {
        matrix(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
            products_[std::max(i, j) * size_ + std::min(i, j)];
      }
      right(static_cast<Eigen::Index>(i)) = right_[i];
    }
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> solver(matrix);
    solver.setThreshold(1e-10);
    if (solver.rank() < n) {
      return {};
    }
    const Eigen::VectorXd solution = solver.solve(right);
    return {solution.data(), solution.data() + n};
  }

  /// The part of the variation that the coefficients explain.
  [[nodiscard]] double explained(const std::vector<double>& coefficients) const {
    double sum = -right_[0] * right_[0] / static_cast<double>(runs_);
    for (std::size_t i = 0; i < size_; ++i) {
      sum += coefficients[i] * right_[i];
    }
    return std::clamp(sum, 0.0, variation());
  }

private:
  std::size_t size_;
  std::vector<double> products_;
  std::vector<double> right_;
  double squares_ = 0.0;
  double origin_ = 0.0;
  std::int64_t runs_ = 0;
};

using Fits = std::map<std::vector<double>, Fit>;

Fits fit_cases(const Table& table, const Question& question, const std::vector<Range>& ranges,
               std::int64_t& failed) {
  std::vector<std::size_t> columns = table.columns_of(question.cases);
  const std::size_t first = columns.size();
  for (const std::string& factor : question.factors) {
    columns.push_back(table.column(factor));
  }
  columns.push_back(table.column(question.response));
  Fits fits;
  std::vector<double> x(ranges.size() + 1, 1.0);
  std::vector<double> key(first);
  failed = static_cast<std::int64_t>(table.read(columns, [&](std::span<const double> row) {
    std::copy_n(row.begin(), first, key.begin());
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      x[i + 1] = ranges[i].scaled(row[first + i]);
    }
    fits.try_emplace(key, ranges.size()).first->second.add(x, row.back());
    if (fits.size() > most_cases) {
      throw InputError(table.origin(), 0, "has more than " + std::to_string(most_cases) + " cases",
                       "choose rows with --where, or columns that tell cases apart with --cases");
    }
  }));
  return fits;
}

std::string case_text(const Question& question, const std::vector<double>& values) {
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::string number = std::to_string(values[i]);
    number.erase(number.find_last_not_of('0') + 1);
    number.erase(number.find_last_not_of('.') + 1);
    text += (i == 0 ? " (" : ", ") + question.cases[i] + "=" + number;
  }
  return text + (values.empty() ? "" : ")");
}

/// Shares of the absolute effects in their sum; equal ones if nothing has an effect.
std::vector<double> shares(const std::vector<double>& effects) {
  double sum = 0.0;
  for (const double effect : effects) {
    sum += std::abs(effect);
  }
  std::vector<double> result;
  result.reserve(effects.size());
  for (const double effect : effects) {
    result.push_back(sum > 0.0 ? std::abs(effect) / sum
                               : 1.0 / static_cast<double>(effects.size()));
  }
  return result;
}

/// Positions by falling value; equal ones keep their order.
std::vector<std::size_t> falling(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order,
                           [&](std::size_t a, std::size_t b) { return values[a] > values[b]; });
  return order;
}

void solve_cases(const Table& table, const Fits& fits, Effects& result) {
  double variation = 0.0;
  double explained = 0.0;
  result.balanced = true;
  for (const auto& [values, fit] : fits) {
    const std::vector<double> coefficients = fit.coefficients();
    if (coefficients.empty()) {
      throw InputError(table.origin(), 0,
                       "its " + std::to_string(fit.runs()) + " runs" +
                           case_text(result.question, values) + " do not tell the " +
                           std::to_string(result.question.factors.size()) + " factors apart",
                       "expected more runs, fewer factors (--factors) or other cases (--cases)");
    }
    CaseEffects one{values, fit.runs(), fit.mean(), {}};
    for (std::size_t i = 1; i < coefficients.size(); ++i) {
      one.effects.push_back(2.0 * coefficients[i]);
    }
    result.cases.push_back(std::move(one));
    result.runs += fit.runs();
    result.balanced = result.balanced && fit.is_balanced();
    variation += fit.variation();
    explained += fit.explained(coefficients);
  }
  result.determination = variation > 0.0 ? explained / variation : 1.0;
}

/// Effects of all cases together, by rank.
void rank_effects(const std::vector<Range>& ranges, Effects& result) {
  const std::size_t size = ranges.size();
  const auto cases = static_cast<double>(result.cases.size());
  std::vector<Effect> all(size);
  std::vector<double> influences(size, 0.0);
  for (const CaseEffects& one : result.cases) {
    const std::vector<double> parts = shares(one.effects);
    const std::vector<std::size_t> order = falling(parts);
    for (std::size_t i = 0; i < size; ++i) {
      all[i].effect += one.effects[i] / cases;
      influences[i] += parts[i] / cases;
      all[order[i]].rank_sum += static_cast<std::int64_t>(i) + 1;
    }
  }
  double cumulative = 0.0;
  const double mean = 1.0 / static_cast<double>(size);
  for (const std::size_t i : falling(influences)) {
    Effect effect = all[i];
    effect.factor = result.question.factors[i];
    effect.low = ranges[i].low;
    effect.high = ranges[i].high;
    effect.influence = influences[i];
    cumulative += influences[i];
    effect.cumulative = std::min(1.0, cumulative);
    effect.rank = static_cast<std::int64_t>(result.effects.size()) + 1;
    effect.key = influences[i] >= mean * (1.0 - 1e-12);
    result.effects.push_back(std::move(effect));
  }
}

void add_components(const Table& table, Effects& result) {
  const std::vector<std::string> keys = result.key_factors();
  result.components = principal_components(table, keys);
  constexpr std::size_t least_cases = 3;
  if (result.cases.size() < least_cases) {
    return;
  }
  Moments moments(keys.size());
  std::vector<double> values(keys.size());
  for (const CaseEffects& one : result.cases) {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const auto at = std::ranges::find(result.question.factors, keys[i]);
      values[i] = one.effects[static_cast<std::size_t>(at - result.question.factors.begin())];
    }
    moments.add(values);
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (!(moments.covariance(i, i) > 0.0)) {
      return;  // the same effect in all cases: nothing that could go together with others
    }
  }
  result.case_components = principal_components(moments, keys);
}

}  // namespace

std::vector<std::string> Effects::key_factors() const {
  std::vector<std::string> keys;
  for (const Effect& effect : effects) {
    if (effect.key) {
      keys.push_back(effect.factor);
    }
  }
  return keys;
}

Question complete_question(const Table& table, Question asked) {
  const Roles& roles = table.roles();
  if (asked.response.empty()) {
    asked.response = roles.response;
  }
  if (asked.response.empty()) {
    throw InputError(table.origin(), 0, "does not say which column is the response",
                     "expected --response NAME");
  }
  static_cast<void>(table.column(asked.response));
  if (asked.run.empty()) {
    asked.run = roles.run;
  }
  asked.design = roles.design;
  const bool given = !asked.factors.empty();
  if (!given) {
    asked.factors = roles.factors;
  }
  if (asked.factors.empty()) {
    for (const std::string& name : table.columns()) {
      const bool is_case = std::ranges::find(asked.cases, name) != asked.cases.end();
      if (name != asked.response && name != asked.run && !is_case && roles.response.empty()) {
        asked.factors.push_back(name);
      }
    }
  }
  const std::vector<Range> ranges = ranges_of(table, asked.factors);
  std::vector<std::string> varied;
  const bool guessed = !given && roles.factors.empty();
  const bool designed = std::ranges::count_if(ranges, &Range::is_balanced) > 1;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (guessed && (ranges[i].is_number() || (designed && !ranges[i].two_levels()))) {
      asked.left_out.push_back(asked.factors[i]);
    } else if (ranges[i].low < ranges[i].high) {
      varied.push_back(asked.factors[i]);
    } else if (given) {
      throw InputError(table.origin(), 0, "the factor '" + asked.factors[i] + "' does not vary",
                       "expected factors with at least two values");
    }
  }
  if (varied.empty()) {
    throw InputError(table.origin(), 0, "has no factor that varies",
                     "expected a data set, or --factors with names of columns");
  }
  asked.factors = std::move(varied);
  return asked;
}

Effects main_effects(const Table& table, const Question& question) {
  const std::vector<Range> ranges = ranges_of(table, question.factors);
  Effects result;
  result.question = question;
  result.two_levels = std::ranges::all_of(ranges, &Range::two_levels);
  const Fits fits = fit_cases(table, question, ranges, result.failed);
  solve_cases(table, fits, result);
  rank_effects(ranges, result);
  add_components(table, result);
  return result;
}

}  // namespace gridcast::design
