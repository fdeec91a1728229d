#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "gridcast/base/error.h"
#include "gridcast/machine/grid.h"

using namespace gridcast::machine;

TEST_CASE("Grids are read and written") {
  CHECK(Grid().text() == "1");
  CHECK(Grid().processors() == 1);
  const Grid grid = Grid::parse("4X2,3");
  CHECK(grid.text() == "4x2x3");
  CHECK(grid.rank() == 3);
  CHECK(grid.processors() == 24);
  CHECK(grid.extent(1) == 2);
  CHECK(grid.extent(3) == 1);
  CHECK(grid.extent(9) == 1);
  CHECK(Grid::parse("2147483647").processors() == 2147483647);
  CHECK(Grid::parse("4") != Grid::parse("4x1"));
}

TEST_CASE("What is no grid is refused") {
  for (const std::string text :
       {"", "x", "4x", "x4", "4xx2", "4*2", "4 x 2", "0", "4x0", "-1", "1x1x1x1x1", "2147483648",
        "65536x32768", "4x2 ", "1e2", "99999999999999999999"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(Grid::parse(text), gridcast::InputError);
  }
  CHECK_THROWS_AS(Grid(std::vector<std::int64_t>{}), gridcast::InputError);
}

TEST_CASE("Grids are ordered by processors, then extents, then rank") {
  // 4 as a grid of one dimension is compared as 4x1x1x1: after 2x2, before 4x1.
  CHECK((compare(Grid::parse("4"), Grid::parse("4x1")) < 0));
  CHECK((compare(Grid::parse("2x2"), Grid::parse("4")) < 0));
  CHECK((compare(Grid::parse("1x4"), Grid::parse("2x2")) < 0));
  CHECK((compare(Grid::parse("4x1"), Grid::parse("1x5")) < 0));
  CHECK((compare(Grid::parse("3x2"), Grid::parse("3x2")) == 0));
  CHECK((compare(Grid::parse("3x2"), Grid::parse("2x3")) > 0));
}
