#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "gridcast/base/error.h"
#include "gridcast/search/candidates.h"

using gridcast::machine::Grid;
using gridcast::search::BlockRule;
using gridcast::search::CandidateStream;
using gridcast::search::count_candidates;
using gridcast::search::make_plan;
using gridcast::search::SearchSpace;
using gridcast::search::Selection;

namespace {

using Extents = std::vector<std::int64_t>;

SearchSpace space_of(const Extents& extents, std::int64_t processors,
                     BlockRule rule = BlockRule::ceil) {
  return {static_cast<int>(extents.size()), extents, processors, Grid(), rule};
}

/// Elements that coordinate q of P holds, element by element from the definition (docs/model.md
/// §3).
std::vector<std::int64_t> holdings(std::int64_t extent, std::int64_t processors, BlockRule rule) {
  std::vector<std::int64_t> held(static_cast<std::size_t>(processors), 0);
  for (std::int64_t element = 0; element < extent; ++element) {
    std::int64_t owner = 0;
    if (rule == BlockRule::ceil) {
      owner = element / ((extent + processors - 1) / processors);
    } else {
      while ((owner + 1) * extent / processors <= element) {
        ++owner;
      }
    }
    ++held[static_cast<std::size_t>(owner)];
  }
  return held;
}

/// All grids with at most N processors by counting up every extent, in the order of the tables.
std::vector<Grid> every_grid(int rank, std::int64_t processors) {
  std::vector<Extents> all{{}};
  for (int dim = 0; dim < rank; ++dim) {
    std::vector<Extents> longer;
    for (const Extents& extents : all) {
      for (std::int64_t extent = 1; extent <= processors; ++extent) {
        std::int64_t product = extent;
        for (const std::int64_t other : extents) {
          product *= other;
        }
        if (product <= processors) {
          longer.push_back(extents);
          longer.back().push_back(extent);
        }
      }
    }
    all = longer;
  }
  std::vector<Grid> grids(all.begin(), all.end());
  std::sort(grids.begin(), grids.end(),
            [](const Grid& a, const Grid& b) { return compare(a, b) < 0; });
  return grids;
}

}  // namespace

TEST_CASE("evenness is the least over the most elements that a coordinate holds") {
  const auto rule = GENERATE(BlockRule::ceil, BlockRule::balanced);
  for (const std::int64_t extent : {1, 2, 7, 12, 60, 101}) {
    for (std::int64_t processors = 1; processors <= 110; ++processors) {
      const auto held = holdings(extent, processors, rule);
      const std::int64_t least = *std::min_element(held.begin(), held.end());
      const std::int64_t most = *std::max_element(held.begin(), held.end());
      CAPTURE(extent, processors);
      CHECK(gridcast::search::dimension_evenness(extent, processors, rule) ==
            static_cast<double>(least) / static_cast<double>(most));
      const Grid grid(Extents{processors});
      CHECK(mark(grid, Extents{extent}, rule) == 10000 * least / most);
      CHECK(is_not_bad(grid, Extents{extent}, rule) == (least > 0));
    }
  }
}

TEST_CASE("the evenness of a grid is that of its worst dimension") {
  const Extents extents{10, 9};
  // 4 coordinates: 3, 3, 3, 1; 3 coordinates: 3, 3, 3.
  CHECK(evenness(Grid::parse("4x3"), extents, BlockRule::ceil) == 1.0 / 3.0);
  CHECK(mark(Grid::parse("4x3"), extents, BlockRule::ceil) == 3333);
  CHECK(evenness(Grid::parse("5x3"), extents, BlockRule::ceil) == 1.0);
  // 6 coordinates of 10 elements: 2, 2, 2, 2, 2, 0.
  CHECK(evenness(Grid::parse("6x3"), extents, BlockRule::ceil) == 0.0);
  CHECK(evenness(Grid::parse("6x3"), extents, BlockRule::balanced) == 0.5);
  // Not split along the second dimension: any number of coordinates is even.
  CHECK(evenness(Grid::parse("5x7"), Extents{10, 0}, BlockRule::ceil) == 1.0);
}

TEST_CASE("counts of table 5 of the forecasting paper") {
  const std::int64_t processors[] = {8, 64, 256};
  const std::uint64_t all[2][3] = {{8, 64, 256}, {20, 280, 1466}};
  const std::uint64_t not_bad[2][3] = {{8, 64, 160}, {20, 280, 1260}};
  for (std::size_t rank = 1; rank <= 2; ++rank) {
    for (std::size_t column = 0; column < 3; ++column) {
      const auto plan = make_plan(space_of(Extents(rank, 10000), processors[column]));
      CHECK(plan.candidates == all[rank - 1][column]);
      CHECK(plan.not_bad == not_bad[rank - 1][column]);
      CHECK(plan.rank == static_cast<int>(rank));
      CHECK(plan.processors == processors[column]);
    }
  }
}

TEST_CASE("counts of large clusters") {
  // Sums of the number of divisors: 161552 (the figure for 16384), D(10^6) and D_3(10^6).
  CHECK(count_candidates(space_of({10000, 10000}, 16384), Selection::all) == 161552);
  CHECK(count_candidates(space_of({10, 10}, 1000000), Selection::all) == 13970034);
  CHECK(count_candidates(space_of({10, 10, 10}, 1000000), Selection::all) == 106030594);
  // Every grid up to the array itself: 1000 x 1000 coordinates of one element.
  CHECK(count_candidates(space_of({1000, 1000}, 1000000, BlockRule::balanced),
                         Selection::not_bad) == 1000000);
}

TEST_CASE("candidates are enumerated and counted like by brute force") {
  const auto rule = GENERATE(BlockRule::ceil, BlockRule::balanced);
  const Extents shapes[] = {{1},      {37},        {5, 100},   {60, 60},     {0, 7},
                            {17, 23}, {12, 9, 40}, {64, 0, 3}, {7, 7, 7, 7}, {100, 2, 5, 0}};
  for (const Extents& extents : shapes) {
    for (const std::int64_t processors : {1, 2, 12, 61, 90}) {
      const SearchSpace space = space_of(extents, processors, rule);
      const std::vector<Grid> all = every_grid(space.rank, processors);
      for (const Selection selection : {Selection::all, Selection::not_bad}) {
        CAPTURE(extents, processors, selection == Selection::all);
        CandidateStream stream(space, selection);
        std::uint64_t count = 0;
        for (const Grid& grid : all) {
          if (selection == Selection::not_bad && !is_not_bad(grid, extents, rule)) {
            continue;
          }
          ++count;
          const auto next = stream.next();
          REQUIRE(next);
          REQUIRE(next->text() == grid.text());
        }
        CHECK_FALSE(stream.next());
        CHECK(count_candidates(space, selection) == count);
      }
    }
  }
}

TEST_CASE("impossible spaces are refused") {
  using gridcast::InputError;
  CHECK_THROWS_AS(make_plan(space_of({}, 8)), InputError);
  CHECK_THROWS_AS(make_plan(space_of({1, 1, 1, 1, 1}, 8)), InputError);
  CHECK_THROWS_AS(make_plan(space_of({10}, 0)), InputError);
  CHECK_THROWS_AS(make_plan(space_of({10}, std::int64_t{1} << 31)), InputError);
  CHECK_THROWS_AS(make_plan(space_of({-1}, 8)), InputError);
  SearchSpace mismatch = space_of({10, 10}, 8);
  mismatch.rank = 1;
  CHECK_THROWS_AS(make_plan(mismatch), InputError);
}
