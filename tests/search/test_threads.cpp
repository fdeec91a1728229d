// Searches over grids of processes of several numbers of threads: each number has a space of its
// own, and what is found is the best of all.

#include <catch2/catch.hpp>
#include <memory>
#include <tuple>

#include "gridcast/machine/cluster.h"
#include "gridcast/machine/threads.h"
#include "landscape.h"
#include "run.h"

using gridcast::machine::Cluster;
using gridcast::machine::NodeList;
using namespace search_test;

namespace {

constexpr std::array<std::int32_t, 3> searched_threads{1, 2, 3};
const std::vector<double> thread_shares(default_front.begin(), default_front.end());

/// 3 nodes of two sockets of `size` cores.
Cluster sockets_of(int size) {
  const auto costs = [](const std::string& name) {
    return name + ".CommType = ethernet; " + name + ".TStart = 1; " + name + ".TByte = 1;";
  };
  return Cluster::parse("cluster = c; c = {3 x node}; node = {2 x s}; s = {" +
                            std::to_string(size) + " x p}; p = 1; p.Threads = {2 (1), 3 (1)};" +
                            costs("c") + costs("node") + costs("s"),
                        "sockets.par");
}

/// Random results of the candidates of all spaces. Times are those of few values: many ties.
struct ThreadedLandscape {
  SearchSpaces spaces;
  std::vector<Landscape> parts;

  ThreadedLandscape(const Cluster& cluster, int rank, std::int64_t most, unsigned seed) {
    for (const std::int32_t threads : searched_threads) {
      SearchSpace space{rank, std::vector<std::int64_t>(static_cast<std::size_t>(rank), 50),
                        std::min(most / threads, cluster.with_threads(threads).processors()),
                        Grid(), BlockRule::ceil};
      space.threads = threads;
      spaces.push_back(space);
      parts.emplace_back(space, seed * 7 + static_cast<unsigned>(threads));
    }
  }

  [[nodiscard]] const Landscape& of(std::int32_t threads) const {
    return parts[static_cast<std::size_t>(threads - 1)];
  }
  [[nodiscard]] Evaluate evaluate() const {
    return [this](const Grid& grid) { return of(grid.threads()).evaluate()(grid); };
  }
  [[nodiscard]] Bound bound() const {
    return [this](const GridBox& box) { return of(box.threads()).bound()(box); };
  }
  [[nodiscard]] std::vector<Outcome> all() const {
    std::vector<Outcome> outcomes;
    for (const Landscape& part : parts) {
      for (const auto& [name, outcome] : part.outcomes) {
        outcomes.push_back(outcome);
      }
    }
    return outcomes;
  }
};

/// Nodes of a grid: processes fill sockets one after the other, what is left of a socket is idle.
std::int64_t nodes_by_hand(const Grid& grid, int socket) {
  const std::int64_t per_node = 2 * (socket / grid.threads());
  return (grid.processors() + per_node - 1) / per_node;
}

using TieOrder = std::tuple<std::int64_t, std::int32_t, std::vector<std::int32_t>>;
TieOrder tie_order(const Grid& grid) {
  return {grid.processors() * grid.threads(),
          grid.threads(),
          {grid.extents().begin(), grid.extents().end()}};
}

/// The first of the eligible outcomes within a share of the fastest: by processors or nodes, time,
/// ties.
const Outcome* first_within(const std::vector<Outcome>& all, double share, int socket,
                            bool by_nodes) {
  double shortest = HUGE_VAL;
  for (const Outcome& each : all) {
    shortest = each.failed ? shortest : std::min(shortest, each.execution_time);
  }
  const Outcome* found = nullptr;
  const auto key = [&](const Outcome& each) {
    return std::tuple(
        by_nodes ? nodes_by_hand(each.grid, socket) : each.grid.processors() * each.grid.threads(),
        each.execution_time, tie_order(each.grid));
  };
  for (const Outcome& each : all) {
    const bool counts = !each.failed && each.execution_time <= (1.0 + share) * shortest + 1e-9;
    if (counts && (found == nullptr || key(each) < key(*found))) {
      found = &each;
    }
  }
  return found;
}

}  // namespace

TEST_CASE("grids and threads are searched together, and the front is that of all of them") {
  std::uint64_t spared = 0;
  for (unsigned seed = 0; seed < 30; ++seed) {
    const int socket = seed % 2 == 0 ? 5 : 4;
    const Cluster cluster = sockets_of(socket);
    const std::int64_t most = seed % 3 == 0 ? 17 : cluster.processors();
    const ThreadedLandscape landscape(cluster, 1 + static_cast<int>(seed % 3), most, seed);
    const std::vector<Outcome> all = landscape.all();
    StrategyOptions options;
    options.keep = 3;
    options.front = thread_shares;
    options.nodes =
        std::make_shared<NodeList>(cluster, most_cores(landscape.spaces), searched_threads);
    std::vector<const Outcome*> order;
    for (const Outcome& each : all) {
      if (!each.failed) {
        order.push_back(&each);
      }
    }
    std::sort(order.begin(), order.end(), [](const Outcome* a, const Outcome* b) {
      return std::tuple(a->execution_time, tie_order(a->grid)) <
             std::tuple(b->execution_time, tie_order(b->grid));
    });
    const auto full = make_strategy(Mode::all, landscape.spaces, options);
    const auto exact = make_strategy(Mode::exact, landscape.spaces, options);
    CHECK(full->candidates() == all.size());
    run(*full, landscape.evaluate());
    run_shuffled(*exact, landscape.evaluate(), seed, landscape.bound());
    spared += full->evaluated() - exact->evaluated();
    for (const Strategy* each : {full.get(), exact.get()}) {
      CAPTURE(seed, socket, most, each == exact.get());
      const auto chosen = each->best().choices();
      REQUIRE(chosen.size() == 3);
      for (std::size_t i = 0; i < chosen.size(); ++i) {
        CHECK(chosen[i].grid.text() == order[i]->grid.text());
      }
      const auto front = make_front(each->steps(), thread_shares, each->front_states());
      REQUIRE(front.size() == 2 * thread_shares.size());
      for (const FrontEntry& entry : front) {
        CAPTURE(entry.within, entry.by_nodes);
        const Outcome& right = *first_within(all, entry.within, socket, entry.by_nodes);
        CHECK(entry.outcome.grid.text() == right.grid.text());
        CHECK(entry.nodes == nodes_by_hand(right.grid, socket));
        CHECK(entry.proven);
        CHECK(entry.at_least == (entry.by_nodes ? entry.nodes : right.grid.cores()));
      }
    }
    CHECK(exact->proof()->open == 0);
    CHECK(exact->open_boxes().empty());
  }
  CHECK(spared > 0);
}

TEST_CASE("of --within and of node-hours processors of the machine are counted") {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Cluster cluster = sockets_of(5);
    const ThreadedLandscape landscape(cluster, 2, 24, seed);
    StrategyOptions options;
    options.goal.within = 0.5;
    options.goal.objective = seed % 2 == 0 ? Objective::time : Objective::node_hours;
    options.goal.nodes =
        std::make_shared<NodeList>(cluster, most_cores(landscape.spaces), searched_threads);
    const auto cost_of = [&](const Outcome& each) {
      return each.execution_time *
             (seed % 2 == 0 ? 1.0 : static_cast<double>(nodes_by_hand(each.grid, 5)));
    };
    double least = HUGE_VAL;
    for (const Outcome& each : landscape.all()) {
      least = each.failed ? least : std::min(least, cost_of(each));
    }
    std::optional<std::tuple<std::int64_t, double, TieOrder, std::string>> right;
    for (const Outcome& each : landscape.all()) {
      if (!each.failed && cost_of(each) <= 1.5 * least + 1e-9) {
        const std::tuple key(each.grid.processors() * each.grid.threads(), cost_of(each),
                             tie_order(each.grid), each.grid.text());
        right = right ? std::min(*right, key) : key;
      }
    }
    for (const Mode mode : {Mode::all, Mode::exact}) {
      const auto strategy = make_strategy(mode, landscape.spaces, options);
      run(*strategy, landscape.evaluate(), landscape.bound());
      CAPTURE(seed, static_cast<int>(mode));
      CHECK(strategy->best().best()->grid.text() == std::get<3>(*right));
    }
  }
}

TEST_CASE("the heuristics search each number of threads, and mode 5 all that is not bad") {
  for (const Heuristic heuristic : {Heuristic::descent, Heuristic::classic}) {
    const Cluster cluster = sockets_of(5);
    const ThreadedLandscape landscape(cluster, 2, 30, 3);
    StrategyOptions options;
    options.heuristic = heuristic;
    const auto few = make_strategy(Mode::heuristic, landscape.spaces, options);
    std::set<std::int32_t> threads;
    for (const std::string& grid : run(*few, landscape.evaluate())) {
      threads.insert(Grid::parse_text(grid).threads());
    }
    CHECK(threads == std::set<std::int32_t>{1, 2, 3});
    const auto both = make_strategy(Mode::comparison, landscape.spaces, options);
    run(*both, landscape.evaluate());
    CHECK(both->comparison()->not_bad_evaluated == both->not_bad());
    const auto not_bad = make_strategy(Mode::not_bad, landscape.spaces, options);
    run(*not_bad, landscape.evaluate());
    CHECK(both->comparison()->not_bad_best->grid == not_bad->best().best()->grid);
  }
  const SearchSpaces given{
      {1, {50}, 8, Grid::parse("4"), BlockRule::ceil, {}, 1},
      {1, {50}, 4, Grid::parse("4"), BlockRule::ceil, {}, 2},
  };
  const auto one = make_strategy(Mode::none, given, {});
  CHECK(run(*one, [](const Grid& grid) {
          return Outcome{grid, false, 1.0, 1.0};
        }) == std::vector<std::string>{"4", "4 with 2 threads"});
  // Equal times: four processors rather than eight.
  CHECK(one->best().best()->grid.threads() == 1);
}

TEST_CASE("numbers of processors are asked for per process") {
  for (const std::string text : {"6:40:4", "5:40:5,12,13", "7", "1:30"}) {
    const auto numbers = ProcessorNumbers::parse(text);
    for (const std::int32_t threads : {1, 2, 3, 4, 6}) {
      const auto per = numbers.per_process(threads);
      CHECK(per.text() == text);
      for (std::int64_t processes = 1; processes <= 40; ++processes) {
        CAPTURE(text, threads, processes);
        CHECK((per.next(processes) == processes) ==
              (numbers.next(processes * threads) == processes * threads));
      }
    }
  }
}
