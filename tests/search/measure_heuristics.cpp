// The measurements of docs/search.md: `test_search "[.measure]"` prints them. Hidden, because a
// measurement has nothing to assert.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <map>

#include "run.h"
#include "time_model.h"

using gridcast::machine::Grid;
using namespace gridcast::search;
using namespace search_test;

namespace {

struct Sum {
  int searches = 0;
  int found = 0;
  int close = 0;  ///< within 0.5 %
  double regret = 0.0;
  double worst = 0.0;
  double evaluated = 0.0;
  double share = 0.0;
  std::uint64_t most = 0;

  void add(const Strategy& strategy, const Outcome& optimum) {
    const Outcome best = *strategy.best().best();
    const double loss = best.execution_time / optimum.execution_time - 1.0;
    ++searches;
    found += best.grid == optimum.grid ? 1 : 0;
    close += loss <= 0.005 ? 1 : 0;
    regret += loss;
    worst = std::max(worst, loss);
    evaluated += static_cast<double>(strategy.evaluated());
    share += static_cast<double>(strategy.evaluated()) / static_cast<double>(strategy.candidates());
    most = std::max(most, strategy.evaluated());
  }
};

std::vector<Machine> machines() {
  std::vector<Machine> result;
  const std::pair<double, double> costs[] = {{3e-6, 5e-10}, {12e-6, 3e-9}, {50e-6, 5e-8}};
  for (const auto& [start, byte] : costs) {
    for (const int channels : {1, 2, 8}) {
      for (const std::int64_t node_size : {1, 4, 24, 32}) {
        result.push_back({"", node_size, {1, 1e-6, 1e-9}, {channels, start, byte}});
      }
    }
  }
  return result;
}

}  // namespace

TEST_CASE("measure the heuristics and the exact search against full enumeration", "[.measure]") {
  const std::vector<std::vector<std::int64_t>> sizes = {
      {30000}, {12000, 8000}, {2000, 2000}, {5001, 3333}, {640, 24000}, {160, 240, 120}};
  std::map<std::string, std::map<std::string, Sum>> table;
  for (const auto& extents : sizes) {
    for (const std::int64_t processors : {96, 256, 768}) {
      if (extents.size() == 3 && processors > 256) {
        continue;
      }
      for (const Machine& machine : machines()) {
        const Stencil program{extents};
        const SearchSpace space{static_cast<int>(extents.size()), extents, processors, Grid(),
                                BlockRule::ceil};
        std::map<std::string, Outcome> outcomes;
        const Evaluate predict = [&](const Grid& grid) {
          const auto [place, fresh] = outcomes.try_emplace(grid.text());
          if (fresh) {
            place->second = evaluate(program, machine, grid);
          }
          return place->second;
        };
        const auto full = make_strategy(Mode::all, space, {});
        run(*full, predict);
        const Outcome optimum = *full->best().best();
        const std::string shape =
            std::to_string(extents.size()) + "-D, " + std::to_string(processors);
        const auto measure = [&](const std::string& name, Mode mode, StrategyOptions options) {
          const auto strategy = make_strategy(mode, space, options);
          run(*strategy, predict);
          table[name][shape].add(*strategy, optimum);
          table[name]["all"].add(*strategy, optimum);
        };
        StrategyOptions options;
        options.heuristic = Heuristic::classic;
        measure("1 classic", Mode::heuristic, options);
        options.heuristic = Heuristic::descent;
        measure("1 descent", Mode::heuristic, options);
        // Single grids only: boxes of several are always split.
        using Least = std::function<double(const Grid&)>;
        const auto measure_exact = [&](const std::string& name, const Least& least) {
          const auto strategy = make_strategy(Mode::exact, space, {});
          run(*strategy, predict, [&](const gridcast::machine::GridBox& box) {
            return BoxBounds{box.single() ? least(box.first_grid()) : 0.0, 2.0};
          });
          table[name][shape].add(*strategy, optimum);
          table[name]["all"].add(*strategy, optimum);
        };
        measure_exact("4, bound: computation + reduction",
                      [&](const Grid& grid) { return reduction_bound(program, machine, grid); });
        for (const double tightness : {0.8, 0.9, 0.99}) {
          measure_exact("4, bound: " + std::to_string(tightness).substr(0, 4) + " of the time",
                        [&](const Grid& grid) { return tightness * predict(grid).execution_time; });
        }
      }
    }
  }
  std::printf(
      "| search | grids of | searches | optimum found | within 0.5 %% | mean regret | worst "
      "regret | mean evaluations | most | mean share "
      "|\n|---|---|---|---|---|---|---|---|---|---|\n");
  for (const auto& [name, shapes] : table) {
    for (const auto& [shape, sum] : shapes) {
      std::printf(
          "| %s | %s | %d | %.1f %% | %.1f %% | %.3f %% | %.1f %% | %.1f | %llu | %.1f %% |\n",
          name.c_str(), shape.c_str(), sum.searches, 100.0 * sum.found / sum.searches,
          100.0 * sum.close / sum.searches, 100.0 * sum.regret / sum.searches, 100.0 * sum.worst,
          sum.evaluated / sum.searches, static_cast<unsigned long long>(sum.most),
          100.0 * sum.share / sum.searches);
    }
  }
}
