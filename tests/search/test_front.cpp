// The front against a look at all candidates.

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <optional>
#include <tuple>

#include "gridcast/machine/cluster.h"
#include "gridcast/search/front.h"
#include "landscape.h"
#include "run.h"

using gridcast::machine::Cluster;
using gridcast::machine::Grid;
using gridcast::machine::NodeList;
using namespace gridcast::search;
using namespace search_test;

namespace {

const std::vector<double> shares(default_front.begin(), default_front.end());

/// Nodes of so many processors each.
std::shared_ptr<const NodeList> front_nodes(std::int64_t size, std::int64_t processors = 512) {
  const auto cluster = Cluster::parse(
      fmt::format("cluster = c; c = {{{} x n}}; n = {{{} x p}}; p = 1; c.CommType = ethernet; "
                  "c.TStart = 1; c.TByte = 1; n.CommType = ethernet; n.TStart = 1; n.TByte = 1;",
                  processors / size, size),
      "nodes.par");
  return std::make_shared<NodeList>(cluster, cluster.processors());
}

/// 11 significant digits, by way of text.
double rounded(double number) { return std::stod(fmt::format("{:.10e}", number)); }

struct Expected {
  std::string grid;
  std::int64_t processors = 0;
};

/// By a look at all of them: `size` processors are a node; 0: processors count, not nodes.
std::optional<Expected> expected(const std::vector<Outcome>& all, std::optional<double> efficiency,
                                 double share, std::int64_t size) {
  using Key = std::tuple<std::int64_t, double, std::int64_t, std::vector<int>>;
  double shortest = HUGE_VAL;
  const auto counts = [&](const Outcome& each) {
    return !each.failed && (!efficiency || each.efficiency >= *efficiency);
  };
  for (const Outcome& each : all) {
    shortest = counts(each) ? std::min(shortest, rounded(each.execution_time)) : shortest;
  }
  std::optional<Key> least;
  std::optional<Expected> result;
  for (const Outcome& each : all) {
    if (!counts(each) || rounded(each.execution_time) > rounded((1.0 + share) * shortest)) {
      continue;
    }
    const std::int64_t processors = each.grid.processors();
    const auto extents = each.grid.extents();
    const Key key{size == 0 ? processors : (processors + size - 1) / size,
                  rounded(each.execution_time),
                  processors,
                  {extents.begin(), extents.end()}};
    if (!least || key < *least) {
      least = key;
      result = Expected{each.grid.text(), processors};
    }
  }
  return result;
}

std::vector<FrontEntry> front_of(const Strategy& strategy) {
  return make_front(strategy.steps(), shares, strategy.front_states());
}

SearchSpace front_space(int rank, std::int64_t processors) {
  return {rank, std::vector<std::int64_t>(static_cast<std::size_t>(rank), 50), processors, Grid(),
          BlockRule::ceil};
}

std::vector<Outcome> all_of(const Landscape& landscape) {
  std::vector<Outcome> all;
  for (const auto& [name, outcome] : landscape.outcomes) {
    all.push_back(outcome);
  }
  return all;
}

void check_front(const std::vector<FrontEntry>& front, const std::vector<Outcome>& all,
                 std::optional<double> efficiency, std::int64_t size) {
  const auto any = expected(all, efficiency, 0.0, 0);
  REQUIRE(front.size() == (any ? 2 * shares.size() : 0));
  for (const FrontEntry& entry : front) {
    CAPTURE(entry.within, entry.by_nodes);
    const Expected right = *expected(all, efficiency, entry.within, entry.by_nodes ? size : 0);
    CHECK(entry.outcome.grid.text() == right.grid);
    CHECK(entry.nodes == (right.processors + size - 1) / size);
    CHECK(entry.proven);
    CHECK(entry.at_least == (entry.by_nodes ? entry.nodes : right.processors));
  }
}

StrategyOptions options_of(Objective objective, const std::shared_ptr<const NodeList>& nodes) {
  StrategyOptions options;
  options.goal.objective = objective;
  options.goal.nodes = nodes;
  options.front = shares;
  options.nodes = nodes;
  return options;
}

}  // namespace

TEST_CASE("the front of modes 3 and 4 is that of all candidates, whatever the objective") {
  std::uint64_t spared = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    const SearchSpace space = front_space(1 + static_cast<int>(seed % 4), 30);
    const Landscape landscape(space, seed);
    const std::int64_t size = seed % 2 == 0 ? 4 : 1;
    const auto nodes = front_nodes(size);
    for (const Objective objective :
         {Objective::time, Objective::efficiency, Objective::node_hours}) {
      for (const double least : {-1.0, 0.5, 0.95}) {
        StrategyOptions options = options_of(objective, nodes);
        if (least >= 0.0) {
          options.goal.min_efficiency = least;
        }
        if (seed % 3 == 0) {
          options.goal.within = 0.3;
        }
        options.keep = 1 + seed % 4;
        CAPTURE(seed, static_cast<int>(objective), least);
        const auto full = make_strategy(Mode::all, space, options);
        const auto exact = make_strategy(Mode::exact, space, options);
        run(*full, landscape.evaluate());
        const auto order = run(*exact, landscape.evaluate(), landscape.bound());
        CHECK(std::set<std::string>(order.begin(), order.end()).size() == order.size());
        for (const Strategy* each : {full.get(), exact.get()}) {
          check_front(front_of(*each), all_of(landscape), options.goal.min_efficiency, size);
        }
        const auto chosen = exact->best().choices();
        const auto right = full->best().choices();
        REQUIRE(chosen.size() == right.size());
        for (std::size_t i = 0; i < right.size(); ++i) {
          CHECK(chosen[i].grid == right[i].grid);
        }
        CHECK(exact->proof()->open == 0);
        spared += full->evaluated() - exact->evaluated();
      }
    }
  }
  CHECK(spared > 0);
}

TEST_CASE("what is said of the front before it is settled holds, whatever the order of reports") {
  const SearchSpace space = front_space(2, 60);
  const auto nodes = front_nodes(4);
  const StrategyOptions options = options_of(Objective::time, nodes);
  const Landscape landscape(space, 5);
  const std::vector<Outcome> all = all_of(landscape);
  const auto strategy = make_strategy(Mode::exact, space, options);
  std::set<std::string> evaluated;
  std::size_t open = 0;
  while (!strategy->finished()) {
    for (const auto& asked : strategy->next_boxes(1)) {
      strategy->report(asked.box, landscape.bound()(asked.box));
    }
    for (const auto& grid : strategy->next(1)) {
      evaluated.insert(grid.text());
      strategy->report(landscape.evaluate()(grid));
    }
    for (const FrontEntry& entry : front_of(*strategy)) {
      const Expected right = *expected(all, {}, entry.within, entry.by_nodes ? 4 : 0);
      const std::int64_t number = entry.by_nodes ? (right.processors + 3) / 4 : right.processors;
      CHECK(entry.at_least <= number);
      if (entry.proven) {
        CHECK(entry.outcome.grid.text() == right.grid);
      } else {
        ++open;
      }
    }
  }
  check_front(front_of(*strategy), all, {}, 4);
  CHECK(open > 0);
  for (unsigned seed = 0; seed < 10; ++seed) {
    const auto other = make_strategy(Mode::exact, space, options);
    CHECK(run_shuffled(*other, landscape.evaluate(), seed, landscape.bound()) == evaluated);
  }
}

TEST_CASE("the front of a heuristic, and of a search that is not over, is not proven") {
  const SearchSpace space = front_space(2, 60);
  const Landscape landscape(space, 2);
  const auto nodes = front_nodes(1);
  const StrategyOptions options = options_of(Objective::time, nodes);
  const auto heuristic = make_strategy(Mode::heuristic, space, options);
  run(*heuristic, landscape.evaluate());
  const auto all = make_strategy(Mode::all, space, options);
  for (const Grid& grid : all->next(100)) {
    all->report(landscape.evaluate()(grid));
  }
  for (const Strategy* strategy : {heuristic.get(), all.get()}) {
    REQUIRE(front_of(*strategy).size() == 2 * shares.size());
    for (const FrontEntry& entry : front_of(*strategy)) {
      CHECK_FALSE(entry.proven);
      CHECK(entry.at_least == 1);
    }
  }
}

TEST_CASE("times within a share are compared after rounding") {
  Staircase steps(Goal{});
  steps.add({Grid::parse("8"), false, 0.7, 0.5});
  steps.add({Grid::parse("4"), false, 0.77 + 1e-15, 0.5});
  steps.add({Grid::parse("2"), false, 0.7701, 0.5});
  REQUIRE(steps.fewest(0.1) != nullptr);
  CHECK(steps.fewest(0.1)->grid.text() == "4");
}

TEST_CASE("the front costs mode 4 few evaluations where bounds are good") {
  const auto time = [](double processors, double sum) { return 1e6 / processors + sum; };
  const SearchSpace space{2, {50'000, 50'000}, 65'536, Grid(), BlockRule::ceil};
  const Evaluate result = [&](const Grid& grid) {
    const double sum = grid.extent(0) + grid.extent(1);
    return Outcome{grid, false, time(static_cast<double>(grid.processors()), sum), 1.0};
  };
  const Bound bound = [&](const GridBox& box) {
    const auto most = static_cast<double>(box.most_processors(space.max_processors));
    return BoxBounds{0.97 * time(most, static_cast<double>(box.first(0) + box.first(1))), 1.0};
  };
  const auto nodes = front_nodes(1, space.max_processors);
  const auto alone = make_strategy(Mode::exact, space, {});
  run(*alone, result, bound);
  const auto exact = make_strategy(Mode::exact, space, options_of(Objective::time, nodes));
  run(*exact, result, bound);
  CAPTURE(alone->evaluated(), exact->evaluated(), exact->candidates());
  CHECK(exact->evaluated() < exact->candidates() / 50);
  for (const FrontEntry& entry : front_of(*exact)) {
    // The fewest processors of a near-square grid with that time, by a loop.
    std::int64_t fewest = space.max_processors;
    const double limit = rounded((1.0 + entry.within) * exact->best().best()->execution_time);
    for (std::int64_t p = 1; p <= 700; ++p) {
      for (std::int64_t q = p; q <= 700 && p * q <= fewest; ++q) {
        if (rounded(time(static_cast<double>(p * q), static_cast<double>(p + q))) <= limit) {
          fewest = p * q;
        }
      }
    }
    CHECK(entry.outcome.grid.processors() == fewest);
    CHECK(entry.proven);
  }
}
