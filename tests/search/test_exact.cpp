#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "gridcast/base/error.h"
#include "landscape.h"
#include "run.h"
#include "time_model.h"

using gridcast::RunError;
using gridcast::machine::Grid;
using gridcast::machine::GridBox;
using namespace gridcast::search;
using namespace search_test;

namespace {

void check_same(const Best& exact, const Best& full) {
  REQUIRE(exact.top().size() == full.top().size());
  for (std::size_t i = 0; i < full.top().size(); ++i) {
    CHECK(exact.top()[i].grid.text() == full.top()[i].grid.text());
    CHECK(exact.top()[i].execution_time == full.top()[i].execution_time);
  }
  REQUIRE(exact.unconstrained().has_value() == full.unconstrained().has_value());
  if (full.unconstrained()) {
    CHECK(exact.unconstrained()->grid.text() == full.unconstrained()->grid.text());
  }
}

SearchSpace space_of(int rank, std::int64_t processors) {
  return {rank, std::vector<std::int64_t>(static_cast<std::size_t>(rank), 50), processors, Grid(),
          BlockRule::ceil};
}

Outcome always_one(const Grid& grid) { return {grid, false, 1.0, 1.0}; }

}  // namespace

TEST_CASE("mode 4 finds what mode 3 finds, ties and conditions included") {
  std::uint64_t spared = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    const SearchSpace space = space_of(1 + static_cast<int>(seed % 4), 30);
    const Landscape landscape(space, seed);
    for (const bool by_time : {true, false}) {
      for (const double least : {-1.0, 0.0, 0.5, 0.95}) {
        StrategyOptions options;
        options.goal.objective = by_time ? Objective::time : Objective::efficiency;
        if (least >= 0.0) {
          options.goal.min_efficiency = least;
        }
        options.keep = 1 + seed % 3 * 4;
        CAPTURE(seed, by_time, least, options.keep);
        const auto full = make_strategy(Mode::all, space, options);
        const auto exact = make_strategy(Mode::exact, space, options);
        run(*full, landscape.evaluate());
        const auto order = run(*exact, landscape.evaluate(), landscape.bound());
        REQUIRE(std::set<std::string>(order.begin(), order.end()).size() == order.size());
        check_same(exact->best(), full->best());
        const Proof proof = exact->proof().value();
        CHECK(proof.evaluated == exact->evaluated());
        CHECK(proof.excluded == exact->candidates() - exact->evaluated());
        CHECK(proof.open == 0);
        CHECK_FALSE(proof.least.has_value());
        spared += full->evaluated() - exact->evaluated();
      }
    }
  }
  CHECK(spared > 0);
}

TEST_CASE("mode 4 evaluates the same grids whatever the order of reports") {
  const SearchSpace space = space_of(2, 100);
  const Landscape landscape(space, 7);
  const auto reference = make_strategy(Mode::exact, space, {});
  const auto order = run(*reference, landscape.evaluate(), landscape.bound());
  for (unsigned seed = 0; seed < 10; ++seed) {
    const auto strategy = make_strategy(Mode::exact, space, {});
    CHECK(run_shuffled(*strategy, landscape.evaluate(), seed, landscape.bound()) ==
          std::set<std::string>(order.begin(), order.end()));
  }
}

namespace {

/// Each candidate without a result that is better than the best so far is in one open box, which
/// promises no more than is true; open boxes hold as many grids without a result as are said to be
/// open.
template <class Evaluate>
void check_open(const Strategy& strategy, const SearchSpace& space,
                const std::set<std::string>& results, const Evaluate& evaluate) {
  const std::vector<OpenBox> boxes = strategy.open_boxes();
  const auto best = strategy.best().best();
  std::uint64_t open = 0;
  CandidateStream stream(space, Selection::all);
  while (const auto grid = stream.next()) {
    if (results.contains(grid->text())) {
      continue;
    }
    const double time = evaluate(*grid).execution_time;
    int holding = 0;
    for (const OpenBox& each : boxes) {
      if (each.box.contains(*grid)) {
        ++holding;
        CHECK_FALSE(each.bound > time);
      }
    }
    REQUIRE(holding <= 1);
    open += static_cast<std::uint64_t>(holding);
    if (!best || time < best->execution_time) {
      REQUIRE(holding == 1);
    }
  }
  CHECK(open == strategy.proof()->open);
}

}  // namespace

TEST_CASE("mode 4 asks for the close bound of a grid before it evaluates it, and of no other one") {
  SearchSpace space = space_of(2, 60);
  space.conditions.divides = 60;
  const Landscape landscape(space, 3);
  const auto far = make_strategy(Mode::exact, space, {});
  const std::vector<std::string> all = run(*far, landscape.evaluate(), landscape.bound());
  StrategyOptions options;
  options.close = true;
  const auto near = make_strategy(Mode::exact, space, options);
  std::set<std::string> asked;
  std::size_t evaluated = 0;
  while (!near->finished()) {
    for (const AskedBox& each : near->next_boxes(SIZE_MAX)) {
      const gridcast::machine::Grid grid = each.box.first_grid();
      if (each.close) {
        CHECK(each.box.single());
        CHECK(space.conditions.admits(grid));
        CHECK(asked.insert(grid.text()).second);
        const double time = landscape.evaluate()(grid).execution_time;
        near->report(each.box, {time, HUGE_VAL, time, HUGE_VAL});
      } else {
        near->report(each.box, landscape.bound()(each.box));
      }
    }
    for (const auto& grid : near->next(SIZE_MAX)) {
      ++evaluated;
      near->report(landscape.evaluate()(grid));
    }
  }
  CHECK(near->best().best()->grid.text() == far->best().best()->grid.text());
  CHECK(!asked.empty());
  CHECK(evaluated < all.size());  // exact bounds exclude all but the best
}

TEST_CASE("what mode 4 has proved is right at any time") {
  const SearchSpace space = space_of(2, 60);
  const Landscape landscape(space, 3);
  const auto full = make_strategy(Mode::all, space, {});
  run(*full, landscape.evaluate());
  const double optimum = full->best().best()->execution_time;
  const auto strategy = make_strategy(Mode::exact, space, {});
  std::set<std::string> results;
  while (!strategy->finished()) {
    for (const auto& asked : strategy->next_boxes(1)) {
      strategy->report(asked.box, landscape.bound()(asked.box));
    }
    for (const auto& grid : strategy->next(1)) {
      strategy->report(landscape.evaluate()(grid));
      results.insert(grid.text());
    }
    const Proof proof = strategy->proof().value();
    CHECK(proof.evaluated + proof.excluded + proof.open == strategy->candidates());
    check_open(*strategy, space, results, landscape.evaluate());
    const auto best = strategy->best().best();
    if (best && best->execution_time > optimum) {
      // The optimum is still open, and the gap says how far away it may be.
      CHECK(proof.open > 0);
      if (proof.least) {
        CHECK(*proof.least <= optimum);
        CHECK(proof.gap.value() >= (best->execution_time - optimum) / best->execution_time);
      }
    }
  }
  CHECK(strategy->proof()->gap == 0.0);
  CHECK(strategy->open_boxes().empty());
  CHECK(strategy->best().best()->execution_time == optimum);
}

TEST_CASE("rounds of mode 4 hold few grids that only awaited results") {
  // The times fall from grid to grid while the bounds rise.
  const auto result = [](const Grid& grid) {
    const double time = std::max(100.0 - static_cast<double>(grid.processors()) / 10.0, 60.0);
    return Outcome{grid, false, time, 1.0};
  };
  const auto strategy = make_strategy(Mode::exact, space_of(1, 2000), {});
  run(*strategy, result, [](const GridBox& box) {
    return BoxBounds{std::min(static_cast<double>(box.first(0)) * 0.18, 60.0), 1.0};
  });
  // One by one the search would end at the first grid that takes 60 seconds, number 400: the next
  // ones have an equal bound and come later. Powers of two are tried first.
  const std::uint64_t needed = 400;
  CHECK(strategy->evaluated() <= needed + needed / 4 + 4);
}

TEST_CASE("with bounds that are exact mode 4 evaluates little but the best grid") {
  const auto time = [](const Grid& grid) {
    const double processors = static_cast<double>(grid.processors());
    return 64.0 / processors + processors;
  };
  const auto result = [&](const Grid& grid) { return Outcome{grid, false, time(grid), 1.0}; };
  const SearchSpace space = space_of(2, 64);
  const auto strategy = make_strategy(Mode::exact, space, {});
  const auto order = run(*strategy, result, [&](const GridBox& box) {
    return BoxBounds{extreme(box, space, true, time), 1.0};
  });
  // 64/p + p is least for p = 8; 1x8 is the first of those. Four powers of two are tried first.
  CHECK(strategy->best().best()->grid.text() == "1x8");
  CHECK(order.size() <= 6);
}

TEST_CASE("mode 4 is exact on a model of a cluster, and tight bounds spare most evaluations") {
  const Stencil program{{2000, 3000}};
  const Machine machine{"", 16, {1, 1e-6, 1e-9}, {4, 7e-6, 4e-9}};
  const SearchSpace space{2, program.extents, 128, Grid(), BlockRule::ceil};
  const Evaluate predict = [&](const Grid& grid) { return evaluate(program, machine, grid); };
  const auto full = make_strategy(Mode::all, space, {});
  const auto exact = make_strategy(Mode::exact, space, {});
  run(*full, predict);
  run(*exact, predict, [&](const GridBox& box) {
    return BoxBounds{extreme(box, space, true,
                             [&](const Grid& grid) { return 0.95 * predict(grid).execution_time; }),
                     1.0};
  });
  check_same(exact->best(), full->best());
  CHECK(exact->evaluated() < full->evaluated() / 20);
}

TEST_CASE("bounds that are no numbers prune nothing") {
  const auto strategy = make_strategy(Mode::exact, space_of(2, 30), {});
  run(*strategy, always_one, [](const GridBox&) { return BoxBounds{std::nan(""), std::nan("")}; });
  CHECK(strategy->evaluated() == strategy->candidates());
}

TEST_CASE("equal bounds exclude larger grids of equal times, whatever their last digits") {
  const auto strategy = make_strategy(Mode::exact, space_of(2, 1000), {});
  const auto digits = [](const Grid& grid) {
    return Outcome{grid, false, grid.processors() == 1 ? 1.0 + 1e-14 : 1.0, 1.0};
  };
  run(*strategy, digits, [](const GridBox&) { return BoxBounds{1.0 - 1e-14, 1.0}; });
  CHECK(strategy->best().best()->grid.processors() == 1);
  CHECK(strategy->evaluated() <= 4);
}

TEST_CASE("a result below its own bound is an error that names the grid") {
  const auto strategy = make_strategy(Mode::exact, space_of(2, 10), {});
  const Bound wrong = [](const GridBox& box) {
    return BoxBounds{box.first(0) == 3 && box.first(1) == 2 ? 2.0 : 0.0, 1.0};
  };
  const auto result = [](const Grid& grid) {
    return Outcome{grid, false, grid.text() == "3x2" ? 1.5 : 4.0, 1.0};
  };
  CHECK_THROWS_WITH(run(*strategy, result, wrong), Catch::Contains("3x2"));
}

TEST_CASE("mode 4 over ten million processors in three dimensions") {
  const auto time = [](double processors, double sum) { return 1e6 / processors + sum; };
  const SearchSpace space{3, {500, 500, 500}, 10'000'000, Grid(), BlockRule::ceil};
  const auto strategy = make_strategy(Mode::exact, space, {});
  const auto result = [&](const Grid& grid) {
    const double sum = grid.extent(0) + grid.extent(1) + grid.extent(2);
    return Outcome{grid, false, time(static_cast<double>(grid.processors()), sum), 1.0};
  };
  run(*strategy, result, [&](const GridBox& box) {
    const auto most = static_cast<double>(box.most_processors(space.max_processors));
    const auto sum = static_cast<double>(box.first(0) + box.first(1) + box.first(2));
    return BoxBounds{time(most, sum), 1.0};
  });
  // 1e6 / p^3 + 3 p is least where 1e6 / p^4 = 1: between 31 and 32 in each dimension.
  double least = 1e9;
  for (int i = 0; i < 8; ++i) {
    const double a = 31 + i % 2, b = 31 + i / 2 % 2, c = 31 + i / 4;
    least = std::min(least, time(a * b * c, a + b + c));
  }
  CHECK(strategy->best().best()->execution_time == Approx(least).epsilon(1e-12));
  CHECK(strategy->proof()->boxes < 20'000);
}
