#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <optional>
#include <random>
#include <vector>

#include "gridcast/base/error.h"
#include "gridcast/calibrate/comparison.h"
#include "gridcast/calibrate/experiments.h"

namespace gridcast::calibrate::test {
namespace {

machine::Grid grid(const char* text) { return machine::Grid::parse(text); }

/// Kendall's tau-b by its definition.
std::optional<double> naive_tau(const std::vector<double>& a, const std::vector<double>& b) {
  double agreeing = 0.0;
  double of_a = 0.0;
  double of_b = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const int by_a = (a[i] > a[j] ? 1 : 0) - (a[i] < a[j] ? 1 : 0);
      const int by_b = (b[i] > b[j] ? 1 : 0) - (b[i] < b[j] ? 1 : 0);
      agreeing += by_a * by_b;
      of_a += by_a * by_a;
      of_b += by_b * by_b;
    }
  }
  return of_a == 0.0 || of_b == 0.0 ? std::nullopt
                                    : std::optional(agreeing / std::sqrt(of_a * of_b));
}

/// The order error by its definition: every pair.
double naive_order_error(const std::vector<double>& predicted,
                         const std::vector<double>& measured) {
  double worst = 0.0;
  const double p = *std::min_element(predicted.begin(), predicted.end());
  const double m = *std::min_element(measured.begin(), measured.end());
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    for (std::size_t j = 0; j < predicted.size(); ++j) {
      if (predicted[i] < predicted[j] && measured[i] > measured[j]) {
        worst =
            std::max(worst, (predicted[j] - predicted[i]) / p + (measured[i] - measured[j]) / m);
      }
    }
  }
  return worst;
}

}  // namespace

TEST_CASE("errors are relative to what was measured") {
  const std::vector<double> predicted{1.1, 0.8, 3.0, 2.0};
  const std::vector<double> measured{1.0, 1.0, 2.0, 2.0};
  const Errors errors = errors_of(predicted, measured);
  CHECK(errors.count == 4);
  CHECK(errors.mean == Approx(0.2));     // (0.1 + 0.2 + 0.5 + 0) / 4
  CHECK(errors.median == Approx(0.15));  // (0.1 + 0.2) / 2
  CHECK(errors.worst == Approx(0.5));
  CHECK(errors.bias == Approx(0.1));  // (0.1 - 0.2 + 0.5) / 4
  CHECK(errors_of({}, {}).count == 0);
}

TEST_CASE("Kendall's tau counts pairs in the same order") {
  const std::vector<double> a{1, 2, 3, 4};
  CHECK(kendall_tau(a, std::vector<double>{10, 20, 30, 40}).value() == 1.0);
  CHECK(kendall_tau(a, std::vector<double>{4, 3, 2, 1}).value() == -1.0);
  // One of six pairs is the other way round: (5 - 1) / 6.
  CHECK(kendall_tau(a, std::vector<double>{2, 1, 3, 4}).value() == Approx(4.0 / 6.0));
  // Tau-b with a tie in one: (5 - 0) / sqrt(6 * 5).
  CHECK(kendall_tau(a, std::vector<double>{1, 1, 3, 4}).value() == Approx(0.912870929175277));
  CHECK_FALSE(kendall_tau(a, std::vector<double>{7, 7, 7, 7}));
  CHECK_FALSE(kendall_tau({}, {}));
}

TEST_CASE("the regret is that of the grid which is predicted to be the fastest") {
  const std::vector<double> measured{2.0, 1.0, 1.5};
  CHECK(regret_of(std::vector<double>{5, 4, 6}, measured) == 0.0);
  CHECK(regret_of(std::vector<double>{5, 6, 4}, measured) == Approx(0.5));
  // Two grids that look the same: the worse one counts.
  CHECK(regret_of(std::vector<double>{4, 4, 6}, measured) == Approx(1.0));
}

TEST_CASE("grids are compared per program and number of processors") {
  const Comparison comparison = compare_times({{"b", grid("4x1"), 2.0, 2.0},
                                               {"a", grid("2x2"), 1.0, 1.0},
                                               {"a", grid("4x1"), 0.9, 1.2},
                                               {"a", grid("1x1"), 3.0, 4.0},
                                               {"a", grid("4x1"), 0.9, 1.0},
                                               {"a", grid("4x1"), 0.9, 9.0}});
  REQUIRE(comparison.rows.size() == 4);
  CHECK(comparison.rows[0].grid == grid("1x1"));
  CHECK(comparison.rows[2].grid == grid("4x1"));
  CHECK(comparison.rows[2].measured == 1.2);  // the median of three
  REQUIRE(comparison.groups.size() == 3);     // a: all, a: 4 processors, b: all
  CHECK(comparison.groups[0].processors == 0);
  CHECK(comparison.groups[0].errors.count == 3);
  CHECK(comparison.groups[1].processors == 4);
  CHECK(comparison.groups[1].tau.value() == -1.0);
  CHECK(comparison.groups[1].regret == Approx(0.2));
  CHECK(comparison.groups[1].chosen == "4x1");
  CHECK(comparison.groups[1].fastest == "2x2");
  // 4x1 was to take 0.9 instead of 1.0 and takes 1.2 instead of 1.0.
  CHECK(comparison.groups[1].order_error == Approx(0.1 / 0.9 + 0.2));
  CHECK(comparison.groups[1].promised == "4x1");
  CHECK(comparison.groups[1].better == "2x2");
  CHECK(comparison.groups[2].program == "b");
  CHECK_FALSE(comparison.groups[2].tau);
  CHECK(comparison.errors.mean == Approx((0.25 + 0.0 + 0.25 + 0.0) / 4.0));
  CHECK_THROWS_AS(compare_times({}), InputError);
}

TEST_CASE("the published order error of variant 5 comes out") {
  // [Forecasting, table 3], 64 processors: predicted and measured seconds of the six variants.
  const std::vector<double> predicted{61.56, 65.61, 65.80, 76.90, 65.78, 79.17};
  const std::vector<double> measured{87.13, 99.39, 99.51, 102.97, 121.56, 204.06};
  const OrderError error = order_error(predicted, measured);
  CHECK(error.first == 4);
  CHECK(error.second == 3);
  CHECK(error.gain == Approx(0.181).margin(5e-4));
  CHECK(error.loss == Approx(0.213).margin(5e-4));
  CHECK(error.size() == Approx(0.394).margin(5e-4));
  // 8 processors: the last is predicted 0.02 % faster than the fourth, which is no order.
  const OrderError few =
      order_error(std::vector<double>{478.62, 481.79, 481.79, 499.84, 481.79, 499.74},
                  std::vector<double>{484.92, 491.37, 494.34, 509.41, 575.08, 823.33});
  CHECK(few.first == 4);
  CHECK(few.second == 3);
  CHECK(few.size() == Approx((499.84 - 481.79) / 478.62 + (575.08 - 509.41) / 484.92));
  CHECK(order_error(std::vector<double>{1.0, 2.0}, std::vector<double>{5.0, 6.0}).size() == 0.0);
  CHECK(order_error({}, {}).size() == 0.0);
}

TEST_CASE("tau and order error of many values are those of all pairs, ties and all") {
  std::mt19937 random(20);
  for (int round = 0; round < 300; ++round) {
    const std::size_t count = 1 + random() % 40;
    const auto values = 1 + random() % 30;  // few values: many ties
    std::vector<double> predicted(count);
    std::vector<double> measured(count);
    for (std::size_t i = 0; i < count; ++i) {
      predicted[i] = 1.0 + static_cast<double>(random() % values);
      measured[i] = 1.0 + static_cast<double>(random() % values);
    }
    const auto tau = kendall_tau(predicted, measured);
    const auto expected = naive_tau(predicted, measured);
    REQUIRE(tau.has_value() == expected.has_value());
    if (tau) {
      CHECK(*tau == Approx(*expected).margin(1e-12));
    }
    const OrderError error = order_error(predicted, measured);
    CHECK(error.size() == Approx(naive_order_error(predicted, measured)).margin(1e-12));
    if (error.size() > 0.0) {
      CHECK(predicted[error.first] < predicted[error.second]);
      CHECK(measured[error.first] > measured[error.second]);
    }
  }
}

TEST_CASE("a million grids are compared without comparing every pair") {
  // Sorted in two ways that differ in one place.
  std::vector<double> predicted(1'000'000);
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    predicted[i] = 1.0 + static_cast<double>(i);
  }
  std::vector<double> measured = predicted;
  std::swap(measured[10], measured[11]);
  const double pairs = 0.5 * 1e6 * (1e6 - 1.0);
  CHECK(kendall_tau(predicted, measured).value() == Approx(1.0 - 2.0 / pairs).epsilon(1e-14));
  const OrderError error = order_error(predicted, measured);
  CHECK(error.first == 10);
  CHECK(error.size() == Approx(2.0));
}

TEST_CASE("variants are compared with each other on each number of processors") {
  const Comparison comparison = compare_times({{"rows", grid("4"), 2.0, 2.0},
                                               {"blocks", grid("2x2"), 1.0, 3.0},
                                               {"rows", grid("1"), 8.0, 8.0},
                                               {"blocks", grid("1x1"), 8.0, 8.0},
                                               {"rows", grid("16"), 1.0, 1.0}},
                                              Subject::variants);
  REQUIRE(comparison.groups.size() == 2);  // 16 processors have one only
  CHECK(comparison.groups[0].processors == 1);
  CHECK_FALSE(comparison.groups[0].tau);
  CHECK(comparison.groups[0].promised.empty());
  CHECK(comparison.groups[1].chosen == "blocks 2x2");
  CHECK(comparison.groups[1].fastest == "rows 4");
  CHECK(comparison.groups[1].order_error == Approx(1.0 + 0.5));
  CHECK(comparison.groups[1].regret == Approx(0.5));
}

TEST_CASE("the shortest event lines are those around the lower quartile") {
  trace::Program program;
  const auto with = [&](double call_time, double ret_time) {
    trace::Record record;
    record.call_time = call_time;
    record.ret_time = ret_time;
    program.records.push_back(record);
  };
  CHECK(shortest_event_line(program) == 0.0);
  // Sorted: 0.05, 0.9, 1.0 (the quartile), 1.1, 1.4, 2, 50, 60, 70, 80 µs; 0 is no time.
  with(1.0e-6, 50e-6);
  with(0.9e-6, 60e-6);
  with(1.1e-6, 70e-6);
  with(1.4e-6, 80e-6);
  with(0.05e-6, 2e-6);
  with(0.0, 0.0);
  CHECK(shortest_event_line(program) == Approx((0.9 + 1.0 + 1.1 + 1.4) / 4 * 1e-6));
  for (trace::Record& record : program.records) {
    record.call_time *= 100.0;
    record.ret_time *= 100.0;
  }
  CHECK(shortest_event_line(program) == 0.0);
}

}  // namespace gridcast::calibrate::test
