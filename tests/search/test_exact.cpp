#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "gridcast/base/error.h"
#include "run.h"
#include "time_model.h"

using gridcast::InputError;
using gridcast::machine::Grid;
using namespace gridcast::search;
using namespace search_test;

namespace {

/// Random results of all candidates with many ties, some failed, and bounds that are exact for
/// some.
struct Landscape {
  std::map<std::string, Outcome> outcomes;
  std::map<std::string, double> time_bounds;
  std::map<std::string, double> efficiency_bounds;
  std::map<std::string, Grid> faster;  ///< a grid with fewer processors that is no slower

  Landscape(const SearchSpace& space, unsigned seed) {
    std::mt19937 random(seed);
    CandidateStream stream(space, Selection::all);
    while (const auto grid = stream.next()) {
      const double time = 1.0 + static_cast<double>(random() % 40);
      const double efficiency = static_cast<double>(random() % 21) / 20.0;
      outcomes[grid->text()] = {*grid, random() % 10 == 0, time, efficiency};
      time_bounds[grid->text()] = time - static_cast<double>(random() % 5);
      efficiency_bounds[grid->text()] = efficiency + static_cast<double>(random() % 3) / 20.0;
      if (random() % 3 == 0) {
        const auto other =
            std::next(outcomes.begin(), static_cast<std::ptrdiff_t>(random() % outcomes.size()));
        if (other->second.execution_time <= time &&
            other->second.grid.processors() < grid->processors()) {
          faster.emplace(grid->text(), other->second.grid);
        }
      }
    }
  }

  Evaluate evaluate() const {
    return [this](const Grid& grid) { return outcomes.at(grid.text()); };
  }

  StrategyOptions options(bool with_efficiency_bound) const {
    StrategyOptions options;
    options.time_bound = [this](const Grid& grid) { return time_bounds.at(grid.text()); };
    if (with_efficiency_bound) {
      options.efficiency_bound = [this](const Grid& grid) {
        return efficiency_bounds.at(grid.text());
      };
    }
    return options;
  }

  /// With second bounds that are exact for half of the grids, and what is known of faster grids.
  StrategyOptions closer_options() const {
    StrategyOptions result = options(true);
    const auto exact = [](const Grid& grid) { return grid.processors() % 2 == 0; };
    result.second_time_bound = [this, exact](const Grid& grid) {
      const auto& outcome = outcomes.at(grid.text());
      return exact(grid) ? outcome.execution_time : 0.0;
    };
    result.second_efficiency_bound = [this, exact](const Grid& grid) {
      const auto& outcome = outcomes.at(grid.text());
      return exact(grid) ? outcome.efficiency : 2.0;
    };
    result.no_slower = [this](const Grid& grid) -> std::optional<Grid> {
      const auto known = faster.find(grid.text());
      return known == faster.end() ? std::nullopt : std::optional(known->second);
    };
    return result;
  }
};

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

}  // namespace

TEST_CASE("mode 4 finds what mode 3 finds, ties and conditions included") {
  std::uint64_t spared = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    const SearchSpace space = space_of(1 + static_cast<int>(seed % 4), 40);
    const Landscape landscape(space, seed);
    for (const bool by_time : {true, false}) {
      for (const double least : {-1.0, 0.0, 0.5, 0.95}) {
        for (const bool bound_efficiency : {true, false}) {
          StrategyOptions options = landscape.options(bound_efficiency || !by_time);
          options.goal.objective = by_time ? Objective::time : Objective::efficiency;
          if (least >= 0.0) {
            options.goal.min_efficiency = least;
          }
          options.keep = 1 + seed % 3 * 4;
          CAPTURE(seed, by_time, least, bound_efficiency, options.keep);
          const auto full = make_strategy(Mode::all, space, options);
          const auto exact = make_strategy(Mode::exact, space, options);
          run(*full, landscape.evaluate());
          const auto order = run(*exact, landscape.evaluate());
          REQUIRE(std::set<std::string>(order.begin(), order.end()).size() == order.size());
          check_same(exact->best(), full->best());
          spared += full->evaluated() - exact->evaluated();
        }
      }
    }
  }
  CHECK(spared > 0);
}

TEST_CASE("mode 4 evaluates the same grids whatever the order of reports") {
  const SearchSpace space = space_of(2, 200);
  const Landscape landscape(space, 7);
  const StrategyOptions options = landscape.options(false);
  const auto reference = make_strategy(Mode::exact, space, options);
  const auto order = run(*reference, landscape.evaluate());
  for (unsigned seed = 0; seed < 10; ++seed) {
    const auto strategy = make_strategy(Mode::exact, space, options);
    CHECK(run_shuffled(*strategy, landscape.evaluate(), seed) ==
          std::set<std::string>(order.begin(), order.end()));
  }
}

TEST_CASE("second bounds and faster grids spare evaluations, never results") {
  std::uint64_t with = 0;
  std::uint64_t without = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    const SearchSpace space = space_of(1 + static_cast<int>(seed % 3), 40);
    const Landscape landscape(space, seed);
    for (const bool by_time : {true, false}) {
      for (const double least : {-1.0, 0.3, 0.9}) {
        StrategyOptions plain = landscape.options(true);
        StrategyOptions closer = landscape.closer_options();
        for (StrategyOptions* options : {&plain, &closer}) {
          options->goal.objective = by_time ? Objective::time : Objective::efficiency;
          if (least >= 0.0) {
            options->goal.min_efficiency = least;
          }
          options->keep = 1 + seed % 3 * 4;
        }
        CAPTURE(seed, by_time, least, closer.keep);
        const auto full = make_strategy(Mode::all, space, plain);
        const auto first = make_strategy(Mode::exact, space, plain);
        const auto second = make_strategy(Mode::exact, space, closer);
        run(*full, landscape.evaluate());
        run(*first, landscape.evaluate());
        const auto order = run(*second, landscape.evaluate());
        REQUIRE(std::set<std::string>(order.begin(), order.end()).size() == order.size());
        check_same(second->best(), full->best());
        const auto shuffled = make_strategy(Mode::exact, space, closer);
        CHECK(run_shuffled(*shuffled, landscape.evaluate(), seed) ==
              std::set<std::string>(order.begin(), order.end()));
        with += second->evaluated();
        without += first->evaluated();
      }
    }
  }
  CHECK(with < without);
}

TEST_CASE("a grid that is known to be no faster is not evaluated in a tie") {
  // Everything takes the same time, which no bound can tell from less.
  StrategyOptions options;
  options.time_bound = [](const Grid&) { return 1.0 - 1e-9; };
  const auto result = [](const Grid& grid) { return Outcome{grid, false, 1.0, 1.0}; };
  const auto all = make_strategy(Mode::exact, space_of(1, 32), options);
  run(*all, result);
  CHECK(all->evaluated() == 32);
  options.no_slower = [](const Grid& grid) {
    return grid.processors() > 3 ? std::optional(Grid::parse("3")) : std::nullopt;
  };
  const auto spared = make_strategy(Mode::exact, space_of(1, 32), options);
  CHECK(run(*spared, result) == std::vector<std::string>{"1", "2", "3"});
  // Without its result nothing is known.
  const auto failing = [](const Grid& grid) {
    return Outcome{grid, grid.processors() == 3, 1.0, 1.0};
  };
  const auto failed = make_strategy(Mode::exact, space_of(1, 32), options);
  run(*failed, failing);
  CHECK(failed->evaluated() == 32);
}

TEST_CASE("batches of mode 4 hold few grids that only awaited results") {
  // The times fall from grid to grid while the bounds rise: the best has the last bound below it.
  const auto result = [](const Grid& grid) {
    const double time = std::max(100.0 - static_cast<double>(grid.processors()) / 10.0, 60.0);
    return Outcome{grid, false, time, 1.0};
  };
  StrategyOptions options;
  options.time_bound = [](const Grid& grid) {
    return static_cast<double>(grid.processors()) * 0.18;
  };
  const auto strategy = make_strategy(Mode::exact, space_of(1, 2000), options);
  run(*strategy, result);
  // One by one the search would end where the bound of the next grid passes the time of the last:
  // 100 - p/10 = 0.18 p, 358 grids.
  const std::uint64_t needed = 358;
  CHECK(strategy->evaluated() <= needed + needed / 4);
}

TEST_CASE("with bounds that are exact mode 4 evaluates the best grid only") {
  const auto result = [](const Grid& grid) {
    const double processors = static_cast<double>(grid.processors());
    return Outcome{grid, false, 64.0 / processors + processors, 1.0};
  };
  StrategyOptions options;
  options.time_bound = [&](const Grid& grid) { return result(grid).execution_time; };
  const auto strategy = make_strategy(Mode::exact, space_of(2, 64), options);
  // 64/p + p is least for p = 8; 1x8 is the first of those.
  CHECK(run(*strategy, result) == std::vector<std::string>{"1x8"});
}

TEST_CASE("mode 4 is exact on a model of a cluster, and tight bounds spare most evaluations") {
  const Stencil program{{2000, 3000}};
  const Machine machine{"", 16, {1, 1e-6, 1e-9}, {4, 7e-6, 4e-9}};
  const SearchSpace space{2, program.extents, 256, Grid(), BlockRule::ceil};
  const Evaluate predict = [&](const Grid& grid) { return evaluate(program, machine, grid); };
  StrategyOptions loose;
  loose.time_bound = [&](const Grid& grid) { return reduction_bound(program, machine, grid); };
  StrategyOptions tight;
  tight.time_bound = [&](const Grid& grid) { return 0.95 * predict(grid).execution_time; };
  const auto full = make_strategy(Mode::all, space, {});
  const auto with_loose = make_strategy(Mode::exact, space, loose);
  const auto with_tight = make_strategy(Mode::exact, space, tight);
  run(*full, predict);
  run(*with_loose, predict);
  run(*with_tight, predict);
  check_same(with_loose->best(), full->best());
  check_same(with_tight->best(), full->best());
  CHECK(with_loose->evaluated() < full->evaluated());
  CHECK(with_tight->evaluated() < full->evaluated() / 50);
}

TEST_CASE("bounds that are no numbers prune nothing") {
  StrategyOptions options;
  options.time_bound = [](const Grid&) { return std::nan(""); };
  const auto strategy = make_strategy(Mode::exact, space_of(2, 30), options);
  run(*strategy, [](const Grid& grid) { return Outcome{grid, false, 1.0, 1.0}; });
  CHECK(strategy->evaluated() == strategy->candidates());
}

TEST_CASE("mode 4 refuses what it cannot do") {
  CHECK_THROWS_AS(make_strategy(Mode::exact, space_of(2, 8), {}), InputError);
  StrategyOptions options;
  options.time_bound = [](const Grid&) { return 0.0; };
  options.goal.objective = Objective::efficiency;
  CHECK_THROWS_AS(make_strategy(Mode::exact, space_of(2, 8), options), InputError);
  options.goal.objective = Objective::time;
  CHECK_THROWS_AS(make_strategy(Mode::exact, space_of(3, 1 << 21), options), InputError);
  CHECK_THROWS_AS(make_strategy(Mode::exact, space_of(4, 1 << 16), options), InputError);
}
