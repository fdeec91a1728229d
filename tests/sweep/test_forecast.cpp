#include <array>
#include <catch2/catch.hpp>
#include <cmath>

#include "gridcast/sweep/forecast.h"

namespace {

using gridcast::machine::Grid;
using gridcast::sweep::CostModel;
using gridcast::sweep::Forecast;
using gridcast::sweep::GridCounts;
using gridcast::sweep::Task;

Task line_of(std::int64_t processors) { return {Grid(std::array<std::int64_t, 1>{processors})}; }

}  // namespace

TEST_CASE("large grids that are still to come count for what they cost") {
  // Grids of 1 to 1023 processors in this order, 1 ms per processor: 523.776 s of work.
  constexpr std::int64_t last = 1023;
  GridCounts counts{};
  for (std::int64_t n = 1; n <= last; ++n) {
    counts[CostModel::class_of(line_of(n).grid)] += 1.0;
  }
  CHECK(counts[0] == 1.0);
  CHECK(counts[9] == 512.0);
  CHECK(counts[10] == 0.0);
  Forecast forecast(counts);
  CHECK_FALSE(forecast.work_left());
  double left = 523.776;
  for (std::int64_t n = 1; n <= last; ++n) {
    const Task task = line_of(n);
    const double cost = 1e-3 * static_cast<double>(n);
    forecast.done(task.grid);
    forecast.learn(std::span(&task, 1), cost);
    left -= cost;
    if (n >= 100 && n <= 1000) {
      INFO(n << " grids done");
      // A tenth of the grids is a hundredth of the work.
      REQUIRE(*forecast.work_left() > 0.66 * left);
      REQUIRE(*forecast.work_left() < 1.5 * left);
    }
  }
  CHECK(*forecast.work_left() == 0.0);
  CHECK(forecast.work_done() == Approx(523.776));
}

TEST_CASE("how costs grow is learnt from the sizes that are done") {
  constexpr std::int64_t last = 1023;
  // Predictions by kinds of processors hardly grow, pipelines of single ones more than evenly.
  const double power = GENERATE(0.0, 0.5, 1.0, 1.5);
  const auto cost_of = [&](std::int64_t n) { return 1e-3 * std::pow(n, power); };
  GridCounts counts{};
  double left = 0.0;
  for (std::int64_t n = 1; n <= last; ++n) {
    counts[CostModel::class_of(line_of(n).grid)] += 1.0;
    left += cost_of(n);
  }
  Forecast forecast(counts);
  for (std::int64_t n = 1; n <= last; ++n) {
    const Task task = line_of(n);
    forecast.done(task.grid);
    forecast.learn(std::span(&task, 1), cost_of(n));
    left -= cost_of(n);
    if (n >= 32 && n <= 1000) {
      INFO(n << " grids done, costs grow with power " << power);
      REQUIRE(*forecast.work_left() > 0.66 * left);
      REQUIRE(*forecast.work_left() < 1.5 * left);
    }
  }
}

TEST_CASE("one slow evaluation does not change what is left tenfold") {
  GridCounts counts{};
  counts[5] = 1000.0;
  Forecast forecast(counts);
  for (int i = 0; i < 100; ++i) {
    const Task task = line_of(32 + i % 32);
    forecast.done(task.grid);
    // Every tenth takes eleven times as long: 2 ms on average.
    forecast.learn(std::span(&task, 1), i % 10 == 9 ? 11e-3 : 1e-3);
  }
  CHECK(*forecast.work_left() == Approx(900 * 2e-3));
}

TEST_CASE("grids of an earlier start are done without having cost anything") {
  GridCounts counts{};
  counts[3] = 2.0;
  Forecast forecast(counts);
  forecast.done(line_of(8).grid);
  const Task task = line_of(9);
  forecast.done(task.grid);
  CHECK(*forecast.work_left() == 0.0);
  forecast.done(line_of(10).grid);
  CHECK(*forecast.work_left() == 0.0);
  CHECK(forecast.work_done() == 0.0);
}
