// Conditions on grids, and the choice among grids that are nearly as good: against enumerations
// that look at every grid.

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "gridcast/base/error.h"
#include "gridcast/machine/cluster.h"
#include "run.h"

using gridcast::InputError;
using gridcast::machine::Grid;
using namespace gridcast::search;
using namespace search_test;

namespace {

std::shared_ptr<const gridcast::machine::NodeList> nodes_of(std::int64_t size) {
  const auto cluster = gridcast::machine::Cluster::parse(
      "cluster = c; c = {64 x n}; n = {" + std::to_string(size) +
          " x p}; p = 1; c.CommType = ethernet; c.TStart = 1; c.TByte = 1;"
          "n.CommType = ethernet; n.TStart = 1; n.TByte = 1;",
      "nodes.par");
  return std::make_shared<gridcast::machine::NodeList>(cluster, cluster.processors());
}

/// Conditions with the same in the test's own terms.
struct Case {
  SearchSpace space;
  std::function<bool(const Grid&)> holds;
};

bool in_list(const std::vector<std::int64_t>& list, std::int64_t number) {
  return list.empty() || std::find(list.begin(), list.end(), number) != list.end();
}

Case random_case(unsigned seed) {
  std::mt19937 random(seed);
  const int rank = 1 + static_cast<int>(random() % 4);
  SearchSpace space{rank, std::vector<std::int64_t>(static_cast<std::size_t>(rank), 24), 60, Grid(),
                    BlockRule::ceil};
  std::vector<std::int64_t> numbers;
  if (random() % 2 == 0) {
    space.conditions.processors = ProcessorNumbers::parse("12,16:48:8,24,59");
    numbers = {12, 16, 24, 32, 40, 48, 59};
  }
  std::size_t fixed_dim = 4;
  if (random() % 3 == 0) {
    fixed_dim = random() % static_cast<unsigned>(rank);
    space.conditions.fixed[fixed_dim] = 2;
  }
  std::int64_t divided = 0;
  if (random() % 3 == 0) {
    divided = 720;
    space.conditions.divides = divided;
  }
  std::int64_t node = 1;
  if (random() % 3 == 0) {
    node = 4;
    space.conditions.whole_nodes = nodes_of(node);
  }
  // Blocks that are long enough: of some extents, or of grids one by one.
  std::function<bool(const Grid&)> long_enough = [](const Grid&) { return true; };
  if (random() % 2 == 0) {
    const bool lists = random() % 2 == 0;
    const auto extent_is = [](std::int64_t extent) { return extent % 3 == 1 || extent == 2; };
    long_enough = [=](const Grid& grid) {
      return lists ? extent_is(grid.extent(1)) : grid.extent(0) <= grid.extent(1) + 3;
    };
    space.conditions.min_block = BlockCondition{"3", long_enough, {}};
    if (lists) {
      auto& extents = space.conditions.min_block->extents.emplace(4);
      for (std::int64_t extent = 1; extent <= 60; ++extent) {
        if (extent_is(extent)) {
          extents[1].push_back(extent);
        }
      }
    }
  }
  double limit = 1e9;
  const auto need = [](const Grid& grid) {
    return 1000.0 / static_cast<double>(grid.processors()) + grid.extent(0);
  };
  if (random() % 3 == 0) {
    limit = 60.0;
    space.conditions.memory = MemoryLimit{limit, need, [](std::span<const std::int64_t> upper) {
                                            double all = 1.0;
                                            for (const std::int64_t extent : upper) {
                                              all *= static_cast<double>(extent);
                                            }
                                            return 1000.0 / all;
                                          }};
  }
  return {space, [=](const Grid& grid) {
            for (int dim = 0; dim < 4; ++dim) {
              if (divided != 0 && divided % grid.extent(dim) != 0) {
                return false;
              }
            }
            return in_list(numbers, grid.processors()) &&
                   (fixed_dim == 4 || grid.extent(static_cast<int>(fixed_dim)) == 2) &&
                   grid.processors() % node == 0 && need(grid) <= limit && long_enough(grid);
          }};
}

std::vector<Grid> enumerated(SearchSpace space, Selection selection) {
  std::vector<Grid> grids;
  CandidateStream stream(space, selection);
  while (const auto grid = stream.next()) {
    grids.push_back(*grid);
  }
  return grids;
}

/// Made-up figures with ties.
Outcome result(const Grid& grid) {
  const double processors = static_cast<double>(grid.processors());
  const double shape = 1.0 + 0.1 * static_cast<double>((grid.extent(0) * 7 + grid.extent(1)) % 5);
  const double time = std::floor(100.0 * shape * (1.0 + 200.0 / processors + processors / 40.0));
  return {grid, false, time, std::min(1.0, 1000.0 / time / processors * 10.0)};
}

/// Less than the least time and more than the most efficiency of the grids of a box: 1 + 200/p +
/// p/40 falls up to 89 processors, p + 200 + p^2/40 always rises.
BoxBounds bound(const gridcast::machine::GridBox& box) {
  const auto least = static_cast<double>(box.least_processors());
  const auto most = static_cast<double>(box.most_processors(200));
  const double best = std::clamp(89.0, least, most);
  return {90.0 * (1.0 + 200.0 / best + best / 40.0),
          1.1 * 10000.0 / (least * (100.0 + 20000.0 / least + 2.5 * least - 1.0))};
}

/// What is chosen by looking at all of them.
std::optional<Outcome> choose(const std::vector<Outcome>& all, const Goal& goal) {
  std::optional<Outcome> best;
  for (const Outcome& each : all) {
    if (is_eligible(goal, each) && (!best || is_better(goal, each, *best))) {
      best = each;
    }
  }
  if (!best || !goal.within) {
    return best;
  }
  const double most =
      goal.objective == Objective::efficiency ? 0.0 : (1.0 + *goal.within) * cost(goal, *best);
  const Outcome first = *best;
  for (const Outcome& each : all) {
    const bool near = goal.objective == Objective::efficiency
                          ? each.efficiency >= first.efficiency / (1.0 + *goal.within)
                          : cost(goal, each) <= most;
    if (is_eligible(goal, each) && near &&
        (each.grid.processors() < best->grid.processors() ||
         (each.grid.processors() == best->grid.processors() && is_better(goal, each, *best)))) {
      best = each;
    }
  }
  return best;
}

}  // namespace

TEST_CASE("numbers of processors are lists and ranges") {
  const auto members = [](const std::string& text) {
    const ProcessorNumbers numbers = ProcessorNumbers::parse(text);
    std::vector<std::int64_t> result;
    for (auto next = numbers.next(1); next; next = numbers.next(*next + 1)) {
      result.push_back(*next);
    }
    CHECK(numbers.last() == result.back());
    return result;
  };
  using List = std::vector<std::int64_t>;
  CHECK(members("64") == List{64});
  CHECK(members("64,60") == List{60, 64});
  CHECK(members("2:10:3") == List{2, 5, 8});
  CHECK(members("3:6,5:9:2") == List{3, 4, 5, 6, 7, 9});
  for (const std::string text :
       {"", ",", "4,", ",4", "0", "-3", "4:2", "1:2:0", "1:2:3:4", "x", "4 ", "2147483648", "1:"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(ProcessorNumbers::parse(text), InputError);
  }
}

TEST_CASE("candidates under conditions are those of all that meet them") {
  std::size_t left = 0;
  std::size_t excluded = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    const Case one = random_case(seed);
    CAPTURE(seed, one.space.rank, one.space.conditions.text());
    SearchSpace free = one.space;
    free.conditions = {};
    for (const Selection selection : {Selection::all, Selection::not_bad}) {
      std::vector<std::string> expected;
      for (const Grid& grid : enumerated(free, selection)) {
        CHECK(one.space.conditions.admits(grid) == one.holds(grid));
        if (one.holds(grid)) {
          expected.push_back(grid.text());
        }
      }
      std::vector<std::string> found;
      for (const Grid& grid : enumerated(one.space, selection)) {
        found.push_back(grid.text());
      }
      CHECK(found == expected);
      CHECK(count_candidates(one.space, selection) == expected.size());
      left += expected.size();
    }
    // A box is excluded only if it has no grid that meets the conditions.
    std::mt19937 random(seed);
    for (int round = 0; round < 20; ++round) {
      std::vector<std::int64_t> lower;
      std::vector<std::int64_t> upper;
      for (int dim = 0; dim < one.space.rank; ++dim) {
        lower.push_back(1 + random() % 8);
        upper.push_back(lower.back() + static_cast<std::int64_t>(random() % 6));
      }
      if (one.space.conditions.excludes(lower, upper)) {
        ++excluded;
        for (const Grid& grid : enumerated(free, Selection::all)) {
          bool inside = true;
          for (int dim = 0; dim < one.space.rank; ++dim) {
            const auto at = static_cast<std::size_t>(dim);
            inside = inside && lower[at] <= grid.extent(dim) && grid.extent(dim) <= upper[at];
          }
          CHECK_FALSE((inside && one.holds(grid)));
        }
      }
    }
  }
  CHECK(left > 1000);
  CHECK(excluded > 100);
}

TEST_CASE("every mode keeps to the conditions, and modes 3 and 4 answer every question") {
  for (unsigned seed = 0; seed < 40; ++seed) {
    const Case one = random_case(seed);
    SearchSpace free = one.space;
    free.conditions = {};
    std::vector<Outcome> all;
    for (const Grid& grid : enumerated(free, Selection::all)) {
      if (one.holds(grid)) {
        all.push_back(result(grid));
      }
    }
    for (const Objective objective :
         {Objective::time, Objective::efficiency, Objective::node_hours}) {
      for (const double within : {-1.0, 0.0, 0.05, 0.3}) {
        StrategyOptions options;
        options.goal.objective = objective;
        options.goal.nodes = nodes_of(4);
        if (within >= 0.0) {
          options.goal.within = within;
        }
        if (seed % 5 == 0) {
          options.goal.min_efficiency = 0.2;
        }
        options.keep = 1 + seed % 3;
        CAPTURE(seed, one.space.conditions.text(), within, options.keep,
                static_cast<int>(objective));
        const auto expected = choose(all, options.goal);
        for (const Mode mode :
             {Mode::all, Mode::exact, Mode::not_bad, Mode::heuristic, Mode::comparison}) {
          options.heuristic = seed % 2 == 0 ? Heuristic::classic : Heuristic::descent;
          const auto strategy = make_strategy(mode, one.space, options);
          for (const std::string& grid : run(*strategy, result, bound)) {
            REQUIRE(one.holds(Grid::parse(grid)));
          }
          if (mode == Mode::all || mode == Mode::exact) {
            REQUIRE(strategy->best().best().has_value() == expected.has_value());
            if (expected) {
              CHECK(strategy->best().best()->grid.text() == expected->grid.text());
              CHECK(strategy->best().choices().front().grid.text() == expected->grid.text());
            }
          }
        }
      }
    }
  }
}

TEST_CASE("mode 4 lists the same choices as mode 3 whatever the order of reports") {
  const SearchSpace space{2, {50, 50}, 200, Grid(), BlockRule::ceil};
  for (const double within : {0.02, 0.1, 0.5}) {
    StrategyOptions options;
    options.goal.within = within;
    options.keep = 7;
    const auto full = make_strategy(Mode::all, space, options);
    run(*full, result);
    for (unsigned seed = 0; seed < 5; ++seed) {
      const auto exact = make_strategy(Mode::exact, space, options);
      run_shuffled(*exact, result, seed, bound);
      REQUIRE(exact->best().choices().size() == full->best().choices().size());
      for (std::size_t i = 0; i < full->best().choices().size(); ++i) {
        CHECK(exact->best().choices()[i].grid == full->best().choices()[i].grid);
      }
      CHECK(exact->evaluated() < full->evaluated());
    }
  }
}

TEST_CASE("the heuristic finds grids where no power of two is allowed") {
  SearchSpace space{2, {50, 50}, 400, Grid(), BlockRule::ceil};
  space.conditions.processors = ProcessorNumbers::parse("60,90,105");
  for (const Heuristic heuristic : {Heuristic::classic, Heuristic::descent}) {
    StrategyOptions options;
    options.heuristic = heuristic;
    const auto strategy = make_strategy(Mode::heuristic, space, options);
    run(*strategy, result);
    REQUIRE(strategy->best().best());
    CHECK(in_list({60, 90, 105}, strategy->best().best()->grid.processors()));
  }
  // 17 has no grid that leaves no processor empty on 4 x 4 elements; both take one that does.
  space.reference_extents = {4, 4};
  space.conditions.processors = ProcessorNumbers::parse("17");
  for (const Heuristic heuristic : {Heuristic::classic, Heuristic::descent}) {
    StrategyOptions options;
    options.heuristic = heuristic;
    const auto strategy = make_strategy(Mode::heuristic, space, options);
    run(*strategy, result);
    REQUIRE(strategy->best().best());
    CHECK(strategy->best().best()->grid.processors() == 17);
  }
}

TEST_CASE("conditions that no grid can meet are refused") {
  SearchSpace space{2, {50, 50}, 40, Grid(), BlockRule::ceil};
  space.conditions.processors = ProcessorNumbers::parse("64");
  CHECK_THROWS_AS(validate(space), InputError);
  space.conditions = {};
  space.conditions.fixed[2] = 4;
  CHECK_THROWS_AS(validate(space), InputError);
  space.conditions = {};
  space.conditions.whole_nodes = nodes_of(48);
  CHECK_THROWS_AS(validate(space), InputError);
  space.conditions = {};
  space.conditions.divides = 7;
  space.start = Grid::parse("2x2");
  CHECK_THROWS_AS(make_strategy(Mode::none, space, {}), InputError);
  StrategyOptions options;
  options.goal.within = -0.1;
  CHECK_THROWS_AS(make_strategy(Mode::all, space, options), InputError);
}
