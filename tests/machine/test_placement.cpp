#include <catch2/catch.hpp>
#include <set>
#include <vector>

#include "gridcast/machine/placement.h"
#include "machine_text.h"

namespace gridcast::machine {
namespace {

using test::input_error;
using test::parse;

/// So many levels of clusters, each of so many parts of the next; networks cost something.
ProcessorSystem tree_of(const std::vector<int>& parts) {
  std::string text = "cluster = c0; p = 1;";
  int processors = 1;
  for (std::size_t level = 0; level < parts.size(); ++level) {
    const std::string name = "c" + std::to_string(level);
    const std::string part = level + 1 < parts.size() ? "c" + std::to_string(level + 1) : "p";
    text += name + " = {" + std::to_string(parts[level]) + " x " + part + "};" + name +
            ".CommType = ethernet;" + name + ".TStart = 1;" + name + ".TByte = 1;";
    processors *= parts[level];
  }
  return parse(text).expand(processors);
}

std::vector<std::string> placements_of(const ProcessorSystem& system, const std::string& grid) {
  const Grid on = Grid::parse(grid);
  std::vector<std::string> names;
  for (const Placement& each : placements(system, on)) {
    names.push_back(each.text(on.rank()));
  }
  return names;
}

std::vector<std::uint32_t> order(const std::string& grid, const std::string& placement) {
  return order_of(Grid::parse(grid), Placement::parse(placement));
}

using Numbers = std::vector<std::uint32_t>;
using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("numbers of the coordinates of a grid by row, by column and by blocks") {
  // Written down for (0,0), (0,1), ... (1,3).
  CHECK(order("2x4", "row") == Numbers{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(order("2x4", "column") == Numbers{0, 2, 4, 6, 1, 3, 5, 7});
  CHECK(order("2x4", "blocked:2x2") == Numbers{0, 1, 4, 5, 2, 3, 6, 7});
  CHECK(order("2x4", "blocked:1x2") == Numbers{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(order("4x2", "blocked:2x1") == Numbers{0, 2, 1, 3, 4, 6, 5, 7});
  CHECK(order("2x2x2", "column") == Numbers{0, 4, 2, 6, 1, 5, 3, 7});
  CHECK(order("2x2x2", "blocked:2x1x2") == Numbers{0, 1, 4, 5, 2, 3, 6, 7});
  CHECK(order("5", "column") == Numbers{0, 1, 2, 3, 4});
}

TEST_CASE("each processor of the machine is one of the grid, and the first stays the first") {
  const ProcessorSystem system = tree_of({3, 2, 4});
  for (const std::string grid : {"24", "2x12", "6x4", "2x3x4", "2x2x2x3"}) {
    for (const Placement& each : placements(system, Grid::parse(grid))) {
      const Numbers numbers = order_of(Grid::parse(grid), each);
      CHECK(numbers.front() == 0);
      CHECK(std::set<std::uint32_t>(numbers.begin(), numbers.end()).size() == 24);
      CHECK(*std::max_element(numbers.begin(), numbers.end()) == 23);
    }
  }
}

TEST_CASE("the placements of a grid are those that differ and fill parts of the machine") {
  // 1x4 is by row, 4x1 by column.
  CHECK(placements_of(tree_of({4, 4}), "4x4") == Names{"row", "column", "blocked:2x2"});
  // In 8x2 the last dimension fits into a node twice.
  CHECK(placements_of(tree_of({4, 4}), "8x2") == Names{"row", "column", "blocked:4x1"});
  // Nodes of two sockets of two: blocks of either size, those of a socket first.
  CHECK(placements_of(tree_of({2, 2, 2}), "4x2") == Names{"row", "column", "blocked:2x1"});
  CHECK(placements_of(tree_of({2, 2, 2}), "8x1") == Names{"row"});
  CHECK(placements_of(tree_of({2, 4, 2}), "4x4") ==
        Names{"row", "column", "blocked:2x1", "blocked:4x2"});
  // Blocks need full parts: 12 processors are a node and a half.
  CHECK(placements_of(tree_of({2, 8}), "3x4") == Names{"row", "column"});
  // One node, one network, or one dimension: the order changes nothing.
  CHECK(placements_of(tree_of({4, 4}), "2x2") == Names{"row"});
  CHECK(placements_of(tree_of({16}), "4x4") == Names{"row"});
  CHECK(placements_of(tree_of({4, 4}), "16") == Names{"row"});
}

TEST_CASE("unequal processors make placements differ on one network too") {
  const ProcessorSystem system =
      parse(
          "cluster = c; c = {2 x a, 2 x b}; a = 2; b = 1; c.CommType = ethernet; c.TStart = 1;"
          "c.TByte = 1;")
          .expand(4);
  CHECK(placements_of(system, "2x2") == Names{"row", "column"});
}

TEST_CASE("a block without extents is the most even one that fills a part") {
  const auto chosen = [](const std::vector<int>& parts, const std::string& grid) {
    const Grid on = Grid::parse(grid);
    return placement_on(tree_of(parts), on, Placement::parse("blocked")).text(on.rank());
  };
  CHECK(chosen({4, 4}, "4x4") == "blocked:2x2");
  CHECK(chosen({4, 16}, "8x8") == "blocked:4x4");
  // One cut of four is less than two of two.
  CHECK(chosen({4, 8}, "2x16") == "blocked:2x4");
  CHECK(chosen({8, 8}, "4x4x4") == "blocked:2x2x2");
  CHECK(chosen({4, 4}, "3x5") == "row");
  CHECK(placement_on(tree_of({4, 4}), Grid::parse("3x4"), Placement::parse("blocked:2x2")).text() ==
        "row");
}

TEST_CASE("a machine in another order") {
  const ProcessorSystem system = tree_of({2, 2});
  const ProcessorSystem moved = placed(system, order("2x2", "column"));
  // By column (0,0) and (1,0), numbers 0 and 2 of the grid, share a node.
  CHECK(moved.common_level(0, 2) == 1);
  CHECK(moved.common_level(1, 3) == 1);
  CHECK(moved.common_level(0, 1) == 0);
  CHECK(moved.common_level(2, 3) == 0);
  CHECK(moved.processors() == 4);
}

TEST_CASE("placements as numbers") {
  const ProcessorSystem system = tree_of({4, 3, 6});
  for (const std::string text : {"72", "12x6", "6x12", "2x6x6", "2x2x3x6"}) {
    const Grid grid = Grid::parse(text);
    for (const Placement& each : placements(system, grid)) {
      CHECK(placement_of(grid, code_of(grid, each)) == each);
    }
  }
  CHECK(code_of(Grid::parse("4x4"), {}) == 0);
}

TEST_CASE("placements as text") {
  for (const std::string text : {"row", "column", "blocked", "search", "blocked:4x2"}) {
    CHECK(Placement::parse(text).text() == text);
  }
  CHECK(Placement::parse("blocked:4x1x1").text(3) == "blocked:4x1x1");
  CHECK(Placement::parse("blocked:4x1x1") == Placement::parse("blocked:4"));
  CHECK(input_error([] { (void)Placement::parse("rows"); }).problem() == "'rows' is no placement");
  CHECK(!input_error([] { (void)Placement::parse("blocked:0x2"); }).problem().empty());
}

}  // namespace gridcast::machine
