#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <vector>

#include "gridcast/base/error.h"
#include "gridcast/calibrate/fit.h"

namespace gridcast::calibrate::test {
namespace {

std::vector<std::size_t> all_rows(const FitProblem& problem) {
  std::vector<std::size_t> rows(problem.measured.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i] = i;
  }
  return rows;
}

/// A problem whose row i takes function(point, i) seconds.
template <class Function>
FitProblem problem_of(std::vector<Number> numbers, std::vector<double> measured,
                      Function function) {
  FitProblem problem;
  problem.numbers = std::move(numbers);
  problem.measured = std::move(measured);
  problem.simulate = [function](const Point& point, std::span<const std::size_t> rows) {
    std::vector<double> result;
    for (const std::size_t row : rows) {
      result.push_back(function(point, row));
    }
    return result;
  };
  return problem;
}

Fit fit_all(const FitProblem& problem, const FitOptions& options = {}) {
  return fit(problem, all_rows(problem), options);
}

/// Messages of [Forecasting §4.1], bytes.
const std::vector<double> message_bytes{500, 1500, 5000, 30000, 40000, 100000};

Fit fit_messages(std::vector<double> microseconds) {
  return fit_all(
      problem_of({{"start", 5.0, 0.0, 1e6, 5.0, false}, {"byte", 1.0, 0.0, 1e3, 1.0, false}},
                 std::move(microseconds), [](const Point& point, std::size_t row) {
                   return point[0] + point[1] * message_bytes[row];
                 }));
}

double mean_error(const Fit& fit, const std::vector<double>& measured) {
  double sum = 0.0;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    sum += std::abs(fit.predicted[i] / measured[i] - 1.0);
  }
  return sum / static_cast<double>(measured.size());
}

}  // namespace

TEST_CASE("the least squares of relative errors of the published message times") {
  const std::vector<double> inside{2, 4, 5, 30, 40, 93};
  const Fit within = fit_messages(inside);
  CHECK(within.numbers[0].value == Approx(1.643).margin(0.0005));
  CHECK(within.numbers[1].value == Approx(0.000894).margin(0.0000005));
  CHECK(mean_error(within, inside) == Approx(0.110).margin(0.0005));
  const std::vector<double> between{7, 7.5, 20.5, 122, 208, 458};
  const Fit apart = fit_messages(between);
  CHECK(apart.numbers[0].value == Approx(3.201).margin(0.0005));
  CHECK(apart.numbers[1].value == Approx(0.004024).margin(0.0000005));
  CHECK(mean_error(apart, between) == Approx(0.161).margin(0.0005));
}

TEST_CASE("exact times give exact numbers from far away") {
  const std::vector<double> sizes{1, 10, 100, 1000, 10000, 100000, 1000000};
  std::vector<double> measured;
  for (const double size : sizes) {
    measured.push_back(std::max(3.0, 0.02 * size) + 7.0 + 0.001 * size);
  }
  const FitProblem problem =
      problem_of({{"latency", 100.0, 0.0, 1e8, 100.0, false},
                  {"gap", 0.1, 0.0, 1e6, 0.1, false},
                  {"per byte", 1.0, 0.0, 1e6, 1.0, false}},
                 measured, [&sizes](const Point& point, std::size_t row) {
                   return std::max(point[1], 0.02 * sizes[row]) + point[0] + point[2] * sizes[row];
                 });
  const Fit result = fit_all(problem);
  CHECK(result.numbers[0].value + result.numbers[1].value == Approx(10.0).epsilon(1e-6));
  CHECK(result.numbers[2].value == Approx(0.001).epsilon(1e-6));
  CHECK(result.numbers[2].told == Told::told);
}

TEST_CASE("numbers that only have a common effect are named") {
  const FitProblem problem = problem_of({{"a", 1.0, 0.0, 1e6, 1.0, false},
                                         {"b", 1.0, 0.0, 1e6, 1.0, false},
                                         {"slope", 1.0, 0.0, 1e6, 1.0, false},
                                         {"idle", 4.0, 0.0, 1e6, 4.0, false},
                                         {"none", 0.0, 0.0, 1e6, 1.0, false}},
                                        {12, 14, 18, 26}, [](const Point& point, std::size_t row) {
                                          return point[0] + point[1] + point[2] * (1U << row);
                                        });
  const Fit result = fit_all(problem);
  CHECK(result.numbers[0].value == Approx(9.0).epsilon(1e-5));
  CHECK(result.numbers[0].told == Told::told);
  CHECK(result.numbers[1].value == 1.0);  // kept
  CHECK(result.numbers[1].told == Told::untold);
  CHECK(result.numbers[1].together == std::vector<std::size_t>{0});
  CHECK(result.numbers[2].value == Approx(2.0).epsilon(1e-5));
  CHECK(result.numbers[3].value == 4.0);  // of no effect at all
  CHECK(result.numbers[3].told == Told::untold);
  CHECK(result.numbers[3].together.empty());
  CHECK(result.numbers[4].value == 0.0);  // at its bound, but that means nothing
  CHECK(result.numbers[4].told == Told::untold);
}

TEST_CASE("a number at the end of its range is said to be there") {
  const FitProblem problem = problem_of(
      {{"start", 1.0, 0.0, 1e6, 1.0, false}, {"slope", 1.0, 0.0, 1.5, 1.0, false}},
      {0.9, 1.8, 3.8, 7.9},
      [](const Point& point, std::size_t row) { return point[0] + point[1] * (1U << row); });
  const Fit result =
      fit_all(problem);  // measured: less than a line through 0 in front, so start = 0
  CHECK(result.numbers[0].value == 0.0);
  CHECK(result.numbers[0].told == Told::at_bound);
  CHECK(result.numbers[1].value == Approx(0.945).epsilon(0.02));
  const FitProblem steep =
      problem_of({{"slope", 1.0, 0.0, 1.5, 1.0, false}}, {2, 4, 8, 16},
                 [](const Point& point, std::size_t row) { return point[0] * (1U << row); });
  CHECK(fit_all(steep).numbers[0].value == 1.5);
  CHECK(fit_all(steep).numbers[0].told == Told::at_bound);
}

TEST_CASE("integers are found exactly under noise, and the numbers beside them") {
  // Waves of messages: ceil(messages / channels) rounds of start + byte * size.
  std::mt19937_64 random(7);
  std::normal_distribution<double> noise(0.0, 0.05);
  struct Row {
    double messages;
    double size;
  };
  std::vector<Row> cases;
  std::vector<double> measured;
  for (const double messages : {1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 12.0, 16.0}) {
    for (const double size : {10.0, 100.0, 1000.0, 10000.0, 100000.0, 1000000.0}) {
      cases.push_back({messages, size});
      measured.push_back(std::ceil(messages / 5.0) * (20.0 + 0.01 * size) * (1.0 + noise(random)));
    }
  }
  const FitProblem problem = problem_of({{"start", 1.0, 0.0, 1e6, 1.0, false},
                                         {"byte", 1.0, 0.0, 1e6, 1.0, false},
                                         {"channels", 2.0, 1.0, 64.0, 2.0, true}},
                                        measured, [&cases](const Point& point, std::size_t row) {
                                          return std::ceil(cases[row].messages / point[2]) *
                                                 (point[0] + point[1] * cases[row].size);
                                        });
  const Fit result = fit_all(problem);
  CHECK(result.numbers[0].value == Approx(20.0).epsilon(0.05));
  CHECK(result.numbers[1].value == Approx(0.01).epsilon(0.05));
  CHECK(result.numbers[2].value == 5.0);
  CHECK(result.numbers[2].told == Told::told);
  CHECK(result.numbers[0].told == Told::told);
}

TEST_CASE("an integer beyond what the times need is not told") {
  const FitProblem problem =
      problem_of({{"start", 1.0, 0.0, 1e6, 1.0, false}, {"channels", 9.0, 1.0, 64.0, 9.0, true}},
                 {3, 3, 3}, [](const Point& point, std::size_t row) {
                   return std::ceil(static_cast<double>(row + 1) / point[1]) * point[0];
                 });
  const Fit result = fit_all(problem);
  CHECK(result.numbers[1].told == Told::untold);
  CHECK(result.numbers[1].value == 9.0);
  CHECK(result.numbers[1].low == 3.0);
  CHECK(result.numbers[1].high == 64.0);
  CHECK(result.numbers[0].value == Approx(3.0));
}

TEST_CASE("outliers pull a fit by no more than the width of the loss") {
  std::vector<double> measured;
  for (int i = 1; i <= 20; ++i) {
    measured.push_back(2.0 * i);
  }
  measured[19] = 20.0;  // the others make it 40
  const FitProblem problem = problem_of(
      {{"slope", 1.0, 0.0, 1e6, 1.0, false}}, measured,
      [](const Point& point, std::size_t row) { return point[0] * static_cast<double>(row + 1); });
  FitOptions plain;
  plain.loss_width = 1e9;
  // Σ (s·x/y − 1)²: s = Σ(x/y) / Σ(x/y)², x/y = 1/2 but 1 for the outlier.
  CHECK(fit_all(problem, plain).numbers[0].value == Approx((19 * 0.5 + 1.0) / (19 * 0.25 + 1.0)));
  // Σ over the nineteen of (s/2 − 1)/2 + 0.3 = 0.
  plain.loss_width = 0.3;
  CHECK(fit_all(problem, plain).numbers[0].value == Approx(2.0 * (1.0 - 0.3 / 9.5)).epsilon(1e-6));
  // By itself the fit sees that nineteen agree, and is pulled by 0.02 only.
  CHECK(fit_all(problem).numbers[0].value == Approx(2.0 * (1.0 - 0.02 / 9.5)).epsilon(1e-6));
}

TEST_CASE("with few times the width of the loss does not depend on them") {
  // Σ (s·x/y − 1)²: s = Σ(x/y) / Σ(x/y)²; an error of 0.25 counts as the others do.
  const std::vector<double> measured{2.0, 4.0, 6.0, 6.4};
  const FitProblem problem = problem_of(
      {{"slope", 1.0, 0.0, 1e6, 1.0, false}}, measured,
      [](const Point& point, std::size_t row) { return point[0] * static_cast<double>(row + 1); });
  const double last = 4.0 / 6.4;
  CHECK(fit_all(problem).numbers[0].value ==
        Approx((3 * 0.5 + last) / (3 * 0.25 + last * last)).epsilon(1e-6));
}

TEST_CASE("times that no numbers explain do not count where they may be let go") {
  std::vector<double> measured;
  for (int i = 1; i <= 20; ++i) {
    measured.push_back(2.0 * i * (i % 2 == 0 ? 1.01 : 0.99));
  }
  const auto line = [](const Point& point, std::size_t row) {
    return point[0] * static_cast<double>(row + 1);
  };
  const std::vector<Number> slope{{"slope", 1.0, 0.0, 1e6, 1.0, false}};
  FitOptions options;
  options.let_go = true;
  CHECK(fit_all(problem_of(slope, measured, line), options).let_go.empty());
  measured[19] = 30.0;  // the others make it 40
  const Fit fitted = fit_all(problem_of(slope, measured, line), options);
  CHECK(fitted.let_go == std::vector<std::size_t>{19});
  // Σ (s·x/y − 1)² without it: s = Σ(x/y) / Σ(x/y)², x/y = 1/1.98 ten times and 1/2.02 nine times.
  const double low = 1.0 / 1.98;
  const double high = 1.0 / 2.02;
  CHECK(fitted.numbers[0].value ==
        Approx((10 * low + 9 * high) / (10 * low * low + 9 * high * high)).epsilon(1e-6));
  CHECK(fitted.predicted.size() == 20);
  // Rows of another kind count whatever they are.
  FitProblem messages = problem_of(slope, measured, line);
  messages.kinds.assign(20, 1);
  CHECK(fit_all(messages, options).let_go.empty());
  // No more than one in five goes.
  for (const std::size_t wrong : {0U, 8U}) {
    measured[wrong] *= 0.6;
  }
  for (const std::size_t wrong : {4U, 12U, 16U}) {
    measured[wrong] *= 1.6;
  }
  CHECK(fit_all(problem_of(slope, measured, line), options).let_go.size() == 4);
  // Of few times nobody knows which one is wrong.
  const std::vector<double> few(measured.begin() + 12, measured.end());
  CHECK(fit_all(problem_of(slope, few, line), options).let_go.empty());
}

TEST_CASE("a known number stays where the end of its range fits hardly better") {
  // A line through 0 but for 2 % to either side: the best start is below 0.
  std::vector<double> measured;
  for (int i = 1; i <= 16; ++i) {
    measured.push_back(static_cast<double>(i) * (i % 3 == 1 ? 0.98 : 1.02));
  }
  const auto start_of = [&measured](double initial, bool stated) {
    return fit_all(problem_of({{"start", initial, 0.0, 1e6, 1.0, false, stated},
                               {"slope", 1.0, 0.0, 1e6, 1.0, false, true}},
                              measured,
                              [](const Point& point, std::size_t row) {
                                return point[0] + point[1] * static_cast<double>(row + 1);
                              }))
        .numbers[0];
  };
  CHECK(start_of(0.005, false).value == 0.0);
  CHECK(start_of(0.005, false).told == Told::at_bound);
  CHECK(start_of(0.005, true).value == 0.005);
  CHECK(start_of(0.005, true).told == Told::untold);
  // 0.5 is more than half of the first time: no slope makes up for it.
  CHECK(start_of(0.5, true).value == 0.0);
  CHECK(start_of(0.5, true).told == Told::at_bound);
}

TEST_CASE("rows of each kind tell as much as their own kind is sure of") {
  // Eight times of one number, 1 % to either side, and eight of another, 10 %.
  std::vector<double> measured;
  for (int i = 0; i < 8; ++i) {
    measured.push_back(i % 2 == 0 ? 1.0 / 1.01 : 1.0 / 0.99);
  }
  for (int i = 0; i < 8; ++i) {
    measured.push_back(i % 2 == 0 ? 1.0 / 1.1 : 1.0 / 0.9);
  }
  FitProblem problem =
      problem_of({{"a", 1.0, 0.0, 1e6, 1.0, false}, {"b", 1.0, 0.0, 1e6, 1.0, false}}, measured,
                 [](const Point& point, std::size_t row) { return row < 8 ? point[0] : point[1]; });
  FitOptions plain;
  plain.loss_width = 1e9;
  // Variance over all 16 - 2 degrees of freedom: (8·0.01² + 8·0.1²)/14; t of 14 is 2.1448.
  const double together = 2.1448 * std::sqrt(0.0808 / 14.0) / std::sqrt(8.0);
  const Fit same = fit_all(problem, plain);
  CHECK(same.numbers[0].uncertainty == Approx(together).epsilon(0.02));
  CHECK(same.numbers[1].uncertainty == Approx(together).epsilon(0.02));
  // Each kind by itself: 2·8·0.01²/14 and 2·8·0.1²/14.
  problem.kinds.assign(8, 0);
  problem.kinds.resize(16, 1);
  const Fit apart = fit_all(problem, plain);
  CHECK(apart.numbers[0].uncertainty ==
        Approx(2.1448 * std::sqrt(0.0016 / 14.0) / std::sqrt(8.0)).epsilon(0.02));
  CHECK(apart.numbers[1].uncertainty ==
        Approx(2.1448 * std::sqrt(0.16 / 14.0) / std::sqrt(8.0)).epsilon(0.02));
}

TEST_CASE("rows count by their weights") {
  // Σ w²·(s/y − 1)²: s = Σ(w²/y) / Σ(w²/y²).
  FitProblem problem = problem_of({{"value", 1.0, 0.0, 1e6, 1.0, false}}, {2.0, 4.0},
                                  [](const Point& point, std::size_t) { return point[0]; });
  problem.weights = {1.0, 0.25};
  const double w = 0.0625;
  FitOptions plain;
  plain.loss_width = 1e9;
  CHECK(fit_all(problem, plain).numbers[0].value ==
        Approx((0.5 + w / 4.0) / (0.25 + w / 16.0)).epsilon(1e-6));
}

TEST_CASE("a fit without measured times is refused") {
  const FitProblem problem = problem_of({{"a", 1.0, 0.0, 2.0, 1.0, false}}, {},
                                        [](const Point&, std::size_t) { return 1.0; });
  CHECK_THROWS_AS(fit_all(problem), InputError);
}

}  // namespace gridcast::calibrate::test
