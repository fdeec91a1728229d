#include <catch2/catch.hpp>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "../../src/search/classes.h"

using gridcast::machine::Grid;
using gridcast::search::class_of;
using gridcast::search::Classes;
using gridcast::search::Range;

namespace {

/// The range of P1 for P2 = 3 after grids P1x3 with these costs, best cost of the search 10.
std::optional<std::pair<int, int>> range_after(
    const std::vector<std::pair<std::int64_t, double>>& members) {
  Classes classes;
  for (const auto& [extent, cost] : members) {
    classes.file(Grid(std::vector<std::int64_t>{extent, 3}), cost);
  }
  const auto narrowed = classes.narrowed(10.0);
  const auto found = narrowed.find(class_of(Grid::parse("1x3"), 0));
  if (found == narrowed.end()) {
    return std::nullopt;
  }
  return std::pair(found->second.first, found->second.last);
}

constexpr int open = std::numeric_limits<std::int32_t>::max();

}  // namespace

// Expected values by hand from docs/model.md §7, step 2.
TEST_CASE("a class keeps the extents between the neighbours of its best") {
  CHECK(range_after({{2, 20.0}, {4, 10.0}, {8, 15.0}}) == std::pair(2, 8));
  CHECK(range_after({{2, 20.0}, {3, 12.0}, {4, 10.0}, {6, 13.0}, {8, 15.0}}) == std::pair(3, 6));
  CHECK(range_after({{4, 10.0}, {8, 15.0}}) == std::pair(1, 8));
  CHECK(range_after({{2, 20.0}, {4, 10.0}}) == std::pair(2, open));
}

TEST_CASE("a neighbour within 0.25 % of the best does not close the range") {
  // 3 and 6 cost 10.02: the ends 2 and 8 stay. 10.03 is more than 0.25 % worse.
  CHECK(range_after({{2, 20.0}, {3, 10.02}, {4, 10.0}, {6, 10.02}, {8, 15.0}}) == std::pair(2, 8));
  CHECK(range_after({{2, 20.0}, {3, 10.03}, {4, 10.0}, {6, 10.03}, {8, 15.0}}) == std::pair(3, 6));
}

TEST_CASE("one member, or no eligible one, excludes nothing") {
  constexpr double never = std::numeric_limits<double>::infinity();
  CHECK_FALSE(range_after({{4, 10.0}}));
  CHECK_FALSE(range_after({{4, never}, {8, never}}));
  CHECK(range_after({{4, 10.0}, {8, never}}) == std::pair(1, 8));
}

TEST_CASE("a range is told once, and again when it narrows") {
  Classes classes;
  classes.file(Grid::parse("4x3"), 10.0);
  classes.file(Grid::parse("8x3"), 15.0);
  CHECK(classes.narrowed(10.0).size() == 1);
  CHECK(classes.narrowed(10.0).empty());
  classes.file(Grid::parse("6x3"), 12.0);
  const auto narrowed = classes.narrowed(10.0);
  REQUIRE(narrowed.size() == 1);
  CHECK(narrowed.begin()->second.contains(6));
  CHECK_FALSE(narrowed.begin()->second.contains(7));
}
