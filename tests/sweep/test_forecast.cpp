#include <array>
#include <catch2/catch.hpp>

#include "forecast.h"

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
