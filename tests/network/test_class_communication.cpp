// Ends of communications by classes of processors against the simulation of each message
// (docs/model.md §4): single processors, least, most and sum of each class.

#include <catch2/catch.hpp>
#include <random>

#include "compared.h"

namespace gridcast::network {
namespace {

/// One network each of every type, then trees.
const std::vector<std::string> flat_machines{
    "c.CommType = ethernet; c.TStart = 7; c.TByte = 0.004;",
    "c.CommType = myrinet (3); c.TStart = 7; c.TByte = 0.004;",
    "c.CommType = transputer; c.TStart = 7; c.TByte = 0.004;",
    "c.CommType = loggp; c.L = 5; c.o_s = 1; c.o_r = 2; c.g = 0.5; c.G = 0.004;"};
const std::vector<std::string> tree_machines{
    "n.CommType = ethernet; n.TStart = 1; n.TByte = 0.001; "
    "c.CommType = myrinet (3); c.TStart = 7; c.TByte = 0.004;",
    "n.CommType = loggp; n.L = 0.6; n.o_s = 0.3; n.o_r = 0.2; n.g = 0.1; n.G = 0.0004; "
    "c.CommType = loggp; c.L = 5; c.o_s = 1; c.o_r = 2; c.g = 0.5; c.G = 0.004;"};

template <class F>
void for_machines(F&& check) {
  for (const std::string& network : flat_machines) {
    CAPTURE(network);
    Compared compared("cluster = c; c = {128 x p}; p = 1; " + network);
    check(compared);
  }
  for (const std::string& network : tree_machines) {
    CAPTURE(network);
    Compared compared("cluster = c; c = {32 x n}; n = {4 x p}; p = 1; " + network);
    check(compared);
  }
}

machine::Grid random_grid(std::mt19937& random) {
  std::vector<std::int64_t> shape(1 + random() % 3);
  for (std::int64_t& extent : shape) {
    extent = 2 + random() % (shape.size() == 1 ? 100U : shape.size() == 2 ? 9U : 4U);
  }
  return machine::Grid(shape);
}

}  // namespace

TEST_CASE("exchanges by classes end as their messages do, one by one") {
  for_machines([](Compared& compared) {
    std::mt19937 random(11);
    ClassCommunication communication(compared.networks);
    for (int round = 0; round < 60; ++round) {
      const machine::Grid grid = random_grid(random);
      CAPTURE(round, grid.text());
      const ProcessorClasses classes = classes_of(grid);
      const Edges edges(random);
      const ClassExchange exchange = edges.by_classes(classes);
      compared.networks.reset(grid.processors());
      compared.check(grid, classes, communication.exchange(classes, exchange),
                     edges.one_by_one(grid));
    }
  });
}

TEST_CASE("exchanges over trees of large nodes end as their messages do, one by one") {
  std::mt19937 random(16);
  for (const std::string machine :
       {"c = {80 x n}; n = {16 x p}; c.CommType = myrinet (4); n.CommType = myrinet (3);",
        "c = {20 x n}; n = {64 x p}; c.CommType = myrinet (70); n.CommType = myrinet (5);",
        "c = {160 x n}; n = {8 x p}; c.CommType = ethernet; n.CommType = myrinet (20);",
        "c = {430 x n}; n = {3 x p}; c.CommType = ethernet; n.CommType = ethernet;",
        "c = {430 x n}; n = {3 x p}; c.CommType = myrinet (5); n.CommType = myrinet (2);",
        "c = {54 x m}; m = {3 x n}; n = {8 x p}; c.CommType = myrinet (2); "
        "m.CommType = myrinet (2); m.TStart = 3; m.TByte = 0.002; n.CommType = ethernet;"}) {
    CAPTURE(machine);
    Compared compared(
        "cluster = c; p = 1; c.TStart = 7; c.TByte = 0.004; n.TStart = 1; "
        "n.TByte = 0.001; " +
        machine);
    ClassCommunication communication(compared.networks);
    for (int round = 0; round < 40; ++round) {
      const auto wide = static_cast<std::int64_t>(3 + random() % 90);
      const auto narrow = static_cast<std::int64_t>(2 + random() % 12);
      std::vector<std::int64_t> shape{wide, narrow};
      if (round % 3 == 1) {
        shape = {narrow, wide};
      } else if (round % 3 == 2) {
        shape = {2 + narrow % 5, 4 + wide % 5, 8 + wide % 13};
      }
      const machine::Grid grid(shape);
      Edges edges(random);
      edges.holders = round % 4 == 0 ? 2 + narrow / 3 : INT64_MAX;
      CAPTURE(round, grid.text(), edges.holders);
      const ProcessorClasses classes =
          classes_of(grid, {edges.holders - 2, edges.holders - 1, edges.holders});
      const ClassExchange exchange = edges.by_classes(classes);
      compared.networks.reset(grid.processors());
      compared.check(grid, classes, communication.exchange(classes, exchange),
                     edges.one_by_one(grid));
    }
  }
}

TEST_CASE("fans by classes end as their messages do, one by one") {
  for_machines([](Compared& compared) {
    std::mt19937 random(12);
    ClassCommunication communication(compared.networks);
    for (int round = 0; round < 60; ++round) {
      const machine::Grid grid = random_grid(random);
      CAPTURE(round, grid.text());
      const ProcessorClasses classes = classes_of(grid);
      compared.networks.reset(grid.processors());
      Fan fan;
      fan.bytes = 8.0 * static_cast<double>(1 + random() % 9);
      Communication all;
      for (std::int64_t p = 1; p < grid.processors(); ++p) {
        all.transfers.push_back({0, static_cast<std::uint32_t>(p), fan.bytes});
      }
      compared.check(grid, classes, communication.broadcast(classes, fan), all);
    }
  });
}

TEST_CASE("reductions by classes end as their messages do, one by one") {
  for_machines([](Compared& compared) {
    std::mt19937 random(14);
    ClassCommunication communication(compared.networks);
    for (int round = 0; round < 60; ++round) {
      const machine::Grid grid = random_grid(random);
      CAPTURE(round, grid.text());
      const ProcessorClasses classes = classes_of(grid);
      // Iterations along the last dimension only: the first of those beside it speaks for all.
      const int last = grid.rank() - 1;
      const std::int64_t extent = 3 * grid.extent(last);
      mapping::BlockCut blocks;
      blocks.assign(extent, grid.extent(last), mapping::BlockRule::ceil, 1);
      mapping::ClassLayout loop;
      loop.begin({&extent, 1});
      loop.lay_over(last, blocks, {mapping::AxisRule::Kind::linear, 0, 1, 0, 0});
      loop.finish(classes);
      compared.networks.reset(grid.processors());
      if (compared.networks.links()) {
        continue;  // has a closed form of its own (docs/model.md §5)
      }
      Communication all;
      for (std::int64_t p = 1; p < grid.extent(last); ++p) {
        all.transfers.push_back({static_cast<std::uint32_t>(p), 0, 16.0});
      }
      all.later_phases.push_back(all.transfers.size());
      for (std::int64_t p = 1; p < grid.processors(); ++p) {
        all.transfers.push_back({0, static_cast<std::uint32_t>(p), 16.0});
      }
      compared.check(grid, classes, communication.reduction(classes, loop, 16.0), all);
    }
  });
}

TEST_CASE("who sends or receives something takes part") {
  const machine::Grid grid = machine::Grid::parse("6");
  const ProcessorClasses classes = classes_of(grid);  // 0, 1, 2-3, 4, 5
  ClassExchange exchange;
  exchange.begin(false);
  for (std::size_t which = 0; which < classes.size(); ++which) {
    if (which == 3) {
      exchange.add({{1, 0, 0, 0}, 1, 8.0, 0.0});
    }
    exchange.end_class();
  }
  REQUIRE(classes.size() == 5);
  CHECK(participants(classes, exchange) == std::vector<std::uint8_t>{0, 0, 0, 1, 1});
}

TEST_CASE("sections by classes reach all as their messages do, one by one") {
  for_machines([](Compared& compared) {
    std::mt19937 random(13);
    ClassCommunication communication(compared.networks);
    for (int round = 0; round < 60; ++round) {
      const machine::Grid grid = random_grid(random);
      Spread spread;
      spread.reads = spread.sends = true;
      spread.bytes = 100.0 * static_cast<double>(1 + random() % 9);
      std::vector<std::int64_t> borders;
      std::int64_t sender = 0;
      for (int dim = 0; dim < grid.rank(); ++dim) {
        const auto at = static_cast<std::size_t>(dim);
        spread.fixed[at] = true;
        spread.at[at] =
            static_cast<std::int64_t>(random() % static_cast<unsigned>(grid.extent(dim)));
        spread.hi[at] = grid.extent(dim);
        borders.insert(borders.end(), {spread.at[at], spread.at[at] + 1});
        sender = sender * grid.extent(dim) + spread.at[at];
      }
      for (std::int64_t x = 0; x < grid.processors(); x += 4) {
        borders.push_back(x);  // where nodes begin
      }
      CAPTURE(round, grid.text(), sender);
      const ProcessorClasses classes = classes_of(grid, borders);
      compared.networks.reset(grid.processors());
      Communication all;
      for (std::int64_t p = 0; p < grid.processors(); ++p) {
        if (p != sender) {
          all.transfers.push_back(
              {static_cast<std::uint32_t>(sender), static_cast<std::uint32_t>(p), spread.bytes});
        }
      }
      compared.check(grid, classes, communication.spread(classes, spread), all);
    }
  });
}

TEST_CASE("ends that were put away are made anew when somebody asks") {
  std::mt19937 random(15);
  const machine::Grid grid = machine::Grid::parse("3x4400");
  const ProcessorClasses classes = classes_of(grid);
  const Edges edges(random);
  const ClassExchange exchange = edges.by_classes(classes);
  for (const std::string& network : tree_machines) {
    CAPTURE(network);
    Compared compared("cluster = c; c = {4000 x n}; n = {4 x p}; p = 1; " + network);
    compared.networks.reset(grid.processors());
    ClassCommunication communication(compared.networks);
    if (compared.networks.ports()) {
      continue;  // of those few numbers are kept
    }
    ClassEnds* const ends = communication.exchange(classes, exchange);
    REQUIRE(ends != nullptr);
    REQUIRE(ends->kept() > 0);
    int made = 0;
    ends->put_away([&] {
      ++made;
      CHECK(communication.exchange(classes, exchange) == ends);
    });
    CHECK(ends->kept() == 0);
    compared.check(grid, classes, ends, edges.one_by_one(grid));
    CHECK(made == 1);
    ends->put_away(nullptr);
    CHECK(ends->kept() == 0);
  }
}

}  // namespace gridcast::network
