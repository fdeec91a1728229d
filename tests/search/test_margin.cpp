// Mode 4 where bounds are likely, but not all of them proven.
#include <catch2/catch.hpp>

#include "landscape.h"
#include "run.h"

using gridcast::machine::Grid;
using gridcast::machine::GridBox;
using namespace gridcast::search;
using namespace search_test;

namespace {

SearchSpace margin_space(int rank, std::int64_t processors) {
  return {rank, std::vector<std::int64_t>(static_cast<std::size_t>(rank), 50), processors, Grid(),
          BlockRule::ceil};
}

/// Proven are the bounds of the landscape less a part of them, likely are these themselves.
Bound half_proven(const Landscape& land, double part) {
  return [part, bound = land.bound()](const GridBox& box) {
    BoxBounds bounds = bound(box);
    bounds.likely_time = bounds.time;
    bounds.likely_efficiency = bounds.efficiency;
    bounds.time *= part;
    return bounds;
  };
}

}  // namespace

TEST_CASE("mode 4 goes by what is likely and counts what is not proven") {
  std::size_t left = 0;
  std::size_t proven_after_all = 0;
  for (unsigned seed = 0; seed < 12; ++seed) {
    CAPTURE(seed);
    const Landscape land(margin_space(1 + static_cast<int>(seed % 3), 60), seed);
    const auto full = make_strategy(Mode::all, land.space, {});
    run(*full, land.evaluate());
    for (const double part : {1.0, 0.8, 0.0}) {
      CAPTURE(part);
      const auto proven = make_strategy(Mode::exact, land.space, {});
      const auto order = run(*proven, land.evaluate(), land.bound());
      const auto strategy = make_strategy(Mode::exact, land.space, {});
      // The same grids as if all were proven, then those of a rest of at most 100; the same best
      // one.
      const auto looked_at = run(*strategy, land.evaluate(), half_proven(land, part));
      REQUIRE(looked_at.size() >= order.size());
      CHECK(std::equal(order.begin(), order.end(), looked_at.begin()));
      CHECK(looked_at.size() <= order.size() + 100);
      const auto best = strategy->best().best();
      REQUIRE(best.has_value() == full->best().best().has_value());
      if (!best) {
        continue;
      }
      CHECK(best->grid.text() == full->best().best()->grid.text());
      // Each grid without a result whose bound is below the best result was left, in some box.
      std::uint64_t unproven = 0;
      const std::vector<OpenBox> boxes = strategy->open_boxes();
      for (const auto& [name, outcome] : land.outcomes) {
        const bool evaluated = std::ranges::find(looked_at, name) != looked_at.end();
        if (!evaluated && part * land.time_bounds.at(name) < best->execution_time) {
          ++unproven;
          CHECK(std::ranges::any_of(boxes, [&grid = outcome.grid](const OpenBox& open) {
            return open.box.contains(grid);
          }));
        }
      }
      const Proof proof = strategy->proof().value();
      left += proof.left > 0 ? 1 : 0;
      proven_after_all += looked_at.size() > order.size() ? 1 : 0;
      CHECK((proof.left == 0 || looked_at.size() == order.size()));
      CHECK(proof.open == 0);
      CHECK(proof.left >= unproven);
      CHECK(proof.evaluated + proof.excluded + proof.left == strategy->candidates());
      CHECK(proof.least.has_value() == (proof.left > 0));
      CHECK((part < 1.0 || proof.left == 0));
      if (part == 0.0) {
        CHECK(proof.left == strategy->candidates() - proof.evaluated);
        CHECK(proof.least.value_or(0.0) == 0.0);
        CHECK(proof.gap == (proof.left > 0 ? 1.0 : 0.0));
      }
    }
  }
  CHECK(left > 4);
  CHECK(proven_after_all > 4);
}

TEST_CASE("the front of mode 4 is proven where no grid that was left may change it") {
  for (unsigned seed = 0; seed < 12; ++seed) {
    CAPTURE(seed);
    const Landscape land(margin_space(2, 40), seed);
    StrategyOptions options;
    options.front = {0.0, 0.1, 0.5};
    const auto full = make_strategy(Mode::all, land.space, options);
    run(*full, land.evaluate());
    if (!full->best().best()) {
      continue;
    }
    for (const double part : {1.0, 0.9, 0.0}) {
      CAPTURE(part);
      const auto strategy = make_strategy(Mode::exact, land.space, options);
      run(*strategy, land.evaluate(), half_proven(land, part));
      const auto states = strategy->front_states();
      REQUIRE(states.size() == options.front.size());
      for (std::size_t i = 0; i < states.size(); ++i) {
        const double share = options.front[i];
        const Outcome& found = *strategy->steps().by_processors.fewest(share);
        CHECK(found.grid.text() == full->steps().by_processors.fewest(share)->grid.text());
        CHECK(states[i].at_least <= found.grid.processors());
        CHECK((part < 1.0 || states[i].proven));
        // Were a grid on no more processors left, its result might have been any.
        const bool may_change =
            part == 0.0 && std::ranges::any_of(strategy->open_boxes(), [&](const OpenBox& open) {
              return open.box.least_cores() <= found.grid.processors();
            });
        CHECK((!may_change || !states[i].proven));
      }
    }
  }
}
