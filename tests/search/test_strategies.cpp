#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <map>

#include "gridcast/base/error.h"
#include "run.h"
#include "time_model.h"

using gridcast::InputError;
using gridcast::machine::Grid;
using namespace gridcast::search;
using namespace search_test;

namespace {

SearchSpace square(std::int64_t extent, std::int64_t processors) {
  return {2, {extent, extent}, processors, Grid(), BlockRule::ceil};
}

/// Nodes of two processors, the links of [Forecasting §4.1].
const Machine two_level{"two levels", 2, {1, 1e-6, 1e-9}, {1, 7e-6, 4e-9}};
const Stencil jacobi{{10000, 10000}};

Outcome predict(const Grid& grid) { return evaluate(jacobi, two_level, grid); }

StrategyOptions with(Heuristic heuristic) {
  StrategyOptions options;
  options.heuristic = heuristic;
  return options;
}

/// A rough landscape with ties and failures; the same for a grid each time.
Outcome rough(const Grid& grid) {
  const std::size_t hash = std::hash<std::string>{}(grid.text());
  const double processors = static_cast<double>(grid.processors());
  const double time = 100.0 / processors + static_cast<double>(hash % 8) + 0.1 * processors;
  return {grid, hash % 11 == 0, std::round(time), std::min(1.0, 100.0 / (time * processors))};
}

}  // namespace

TEST_CASE("mode 0 evaluates the given grid and nothing else") {
  SearchSpace space = square(100, 16);
  space.start = Grid::parse("4x2");
  const auto strategy = make_strategy(Mode::none, space, {});
  CHECK(strategy->next(0).empty());
  CHECK(run(*strategy, predict) == std::vector<std::string>{"4x2"});
  CHECK(strategy->best().best()->grid.text() == "4x2");

  // Possible without any distribution, where there are no candidates.
  const auto bare = make_strategy(Mode::none, {0, {}, 4, Grid::parse("4"), BlockRule::ceil}, {});
  CHECK(run(*bare, predict) == std::vector<std::string>{"4"});
}

TEST_CASE("modes 2 and 3 evaluate the candidates of table 5, each once and in order") {
  for (const auto& [mode, count] : {std::pair{Mode::not_bad, 1260U}, {Mode::all, 1466U}}) {
    const auto strategy = make_strategy(mode, square(10000, 256), {});
    const auto order = run(*strategy, predict);
    CHECK(order.size() == count);
    CHECK(std::set<std::string>(order.begin(), order.end()).size() == count);
    CHECK(order.front() == "1x1");
    CHECK(strategy->handed_out() == count);
    CHECK(strategy->evaluated() == count);
    CHECK(strategy->candidates() == 1466);
    CHECK(strategy->not_bad() == 1260);
  }
}

TEST_CASE("the classic heuristic follows its rules on a line") {
  // 8 elements: 1, 2, 4, 8 processors have mark 10000, 3 has 6666, the others are bad. With time
  // 8/p: the middle of 1, 2, 4, 8 is 2; the best's lower neighbour 1 is known; the upper one, 4, is
  // better and has no neighbours left among the equals; 8 wins, and its class excludes 3.
  const SearchSpace space{1, {8}, 8, Grid(), BlockRule::ceil};
  const auto strategy = make_strategy(Mode::heuristic, space, with(Heuristic::classic));
  const auto order = run(*strategy, [](const Grid& grid) {
    return Outcome{grid, false, 8.0 / static_cast<double>(grid.processors()), 1.0};
  });
  CHECK(order == std::vector<std::string>{"1", "2", "4", "8"});
  CHECK(strategy->best().best()->grid.text() == "8");
}

TEST_CASE("the classic heuristic closes in on an optimum inside the line") {
  // 16 elements: mark 10000 have 1, 2, 4, 8, 16, then come 3 (6666) and 6 (3333). The middle, 4,
  // is best; its lower neighbour 2 excludes 1; its upper neighbour 8 excludes 16; 3 and 6 remain.
  const SearchSpace space{1, {16}, 16, Grid(), BlockRule::ceil};
  const std::map<std::string, double> times{{"1", 16.0}, {"2", 8.0}, {"3", 5.0}, {"4", 4.0},
                                            {"6", 4.5},  {"8", 6.0}, {"16", 9.0}};
  const auto strategy = make_strategy(Mode::heuristic, space, with(Heuristic::classic));
  const auto order = run(*strategy, [&](const Grid& grid) {
    return Outcome{grid, false, times.at(grid.text()), 1.0};
  });
  CHECK(order == std::vector<std::string>{"1", "4", "2", "8", "3", "6"});
}

TEST_CASE(
    "the heuristics need few evaluations on the Jacobi of the forecasting paper and come close") {
  const auto full = make_strategy(Mode::all, square(10000, 256), {});
  run(*full, predict);
  for (const Heuristic heuristic : {Heuristic::classic, Heuristic::descent}) {
    const auto strategy = make_strategy(Mode::heuristic, square(10000, 256), with(heuristic));
    run(*strategy, predict);
    CHECK(strategy->evaluated() <= 123);
    CHECK(strategy->best().best()->execution_time <= 1.005 * full->best().best()->execution_time);
  }
}

TEST_CASE("the descent never exceeds 120 evaluations for 256 processors and two dimensions") {
  for (const double start_time : {1e-7, 2e-6, 3e-5, 1e-3}) {
    for (const int channels : {1, 16}) {
      const Machine machine{"", 12, {1, 1e-6, 1e-9}, {channels, start_time, 1e-9}};
      const auto strategy = make_strategy(Mode::heuristic, square(10000, 256), {});
      run(*strategy, [&](const Grid& grid) { return evaluate(jacobi, machine, grid); });
      CHECK(strategy->evaluated() <= 120);
      CHECK(strategy->evaluated() >= 45);
    }
  }
}

TEST_CASE("order and number of reports change neither the best nor the evaluated grids") {
  const auto mode = GENERATE(Mode::heuristic, Mode::not_bad, Mode::all, Mode::comparison);
  const auto heuristic = GENERATE(Heuristic::classic, Heuristic::descent);
  const bool is_rough = GENERATE(false, true);
  const Evaluate evaluate_grid = is_rough ? rough : predict;
  StrategyOptions options = with(heuristic);
  options.keep = 5;
  options.goal.min_efficiency = 0.3;
  const SearchSpace space = square(is_rough ? 100 : 10000, 100);
  const auto reference = make_strategy(mode, space, options);
  const auto order = run(*reference, evaluate_grid);
  const std::set<std::string> expected(order.begin(), order.end());
  REQUIRE(expected.size() == order.size());
  REQUIRE(reference->best().best());
  for (unsigned seed = 0; seed < 5; ++seed) {
    const auto strategy = make_strategy(mode, space, options);
    CHECK(run_shuffled(*strategy, evaluate_grid, seed) == expected);
    CHECK(strategy->evaluated() == expected.size());
    REQUIRE(strategy->best().top().size() == reference->best().top().size());
    for (std::size_t i = 0; i < strategy->best().top().size(); ++i) {
      CHECK(strategy->best().top()[i].grid == reference->best().top()[i].grid);
    }
    CHECK(strategy->best().unconstrained()->grid == reference->best().unconstrained()->grid);
  }
}

TEST_CASE("the heuristics find an efficient grid when one is asked for") {
  // Two processors reach 0.8, more do not; one processor is excluded from the objective efficiency.
  const auto steep = [](const Grid& grid) {
    const double processors = static_cast<double>(grid.processors());
    const double time = 10.0 / processors + 0.1 * processors;
    return Outcome{grid, false, time, 1.0 / (1.0 + 0.12 * (processors - 1.0))};
  };
  for (const Heuristic heuristic : {Heuristic::classic, Heuristic::descent}) {
    StrategyOptions options = with(heuristic);
    options.goal.min_efficiency = 0.85;
    const auto limited = make_strategy(Mode::heuristic, square(64, 64), options);
    run(*limited, steep);
    CHECK(limited->best().best()->grid.text() == "1x2");
    options.goal = {Objective::efficiency, {}};
    const auto efficient = make_strategy(Mode::heuristic, square(64, 64), options);
    run(*efficient, steep);
    CHECK(efficient->best().best()->grid.text() == "1x2");
  }
}

TEST_CASE("the given grid is evaluated first and may stay the best") {
  SearchSpace space{1, {100}, 8, Grid::parse("2x2"), BlockRule::ceil};
  for (const Heuristic heuristic : {Heuristic::classic, Heuristic::descent}) {
    const auto strategy = make_strategy(Mode::heuristic, space, with(heuristic));
    const auto order = run(*strategy, [](const Grid& grid) {
      return Outcome{grid, false, grid.rank() == 2 ? 0.5 : 1.0, 0.5};
    });
    CHECK(order.front() == "2x2");
    CHECK(strategy->best().best()->grid.text() == "2x2");
  }
  space.start = Grid::parse("4x4");
  CHECK_THROWS_AS(make_strategy(Mode::heuristic, space, {}), InputError);
}

TEST_CASE("mode 5 compares modes 1 and 2 without evaluating a grid twice") {
  const SearchSpace space = square(10000, 64);
  const auto one = make_strategy(Mode::heuristic, space, with(Heuristic::classic));
  const auto two = make_strategy(Mode::not_bad, space, {});
  run(*one, predict);
  run(*two, predict);
  const auto both = make_strategy(Mode::comparison, space, with(Heuristic::classic));
  CHECK_FALSE(both->comparison());
  const auto order = run(*both, predict);
  CHECK(std::set<std::string>(order.begin(), order.end()).size() == order.size());
  CHECK(order.size() == 280);
  const auto comparison = both->comparison();
  REQUIRE(comparison);
  CHECK(comparison->heuristic_best->grid == one->best().best()->grid);
  CHECK(comparison->not_bad_best->grid == two->best().best()->grid);
  CHECK(comparison->heuristic_evaluated == one->evaluated());
  CHECK(comparison->not_bad_evaluated == 280);
  CHECK(both->best().best()->grid == two->best().best()->grid);
  CHECK_FALSE(one->comparison());
}

TEST_CASE("modes are read strictly") {
  CHECK(mode_from_number(4) == Mode::exact);
  CHECK_THROWS_AS(mode_from_number(6), InputError);
  CHECK_THROWS_AS(mode_from_number(-1), InputError);
}
