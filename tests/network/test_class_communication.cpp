// Ends of communications by classes of processors against the simulation of each message
// (docs/model.md §4): single processors, least, most and sum of each class.

#include <catch2/catch.hpp>
#include <random>

#include "gridcast/network/class_networks.h"
#include "gridcast/network/networks.h"

namespace gridcast::network {
namespace {

/// A grid cut so that the processors of a class send alike and have neighbours alike.
ProcessorClasses classes_of(const machine::Grid& grid, std::vector<std::int64_t> more = {}) {
  std::array<std::vector<std::int64_t>, machine::max_grid_rank> borders;
  for (int dim = 0; dim < grid.rank(); ++dim) {
    borders[static_cast<std::size_t>(dim)] = {1, 2, grid.extent(dim) - 2, grid.extent(dim) - 1};
    std::vector<std::int64_t>& own = borders[static_cast<std::size_t>(dim)];
    own.insert(own.end(), more.begin(), more.end());
  }
  ProcessorClasses classes;
  classes.assign(grid, borders);
  return classes;
}

/// Coordinates of a processor.
std::vector<std::int64_t> place_of(const machine::Grid& grid, std::int64_t processor) {
  std::vector<std::int64_t> at(static_cast<std::size_t>(grid.rank()));
  for (std::size_t dim = at.size(); dim-- > 0;) {
    at[dim] = processor % grid.extent(static_cast<int>(dim));
    processor /= grid.extent(static_cast<int>(dim));
  }
  return at;
}

/// To each neighbour along a dimension so many bytes, other ones up than down. Processors from the
/// coordinate `holders` of any dimension on neither send nor receive.
struct Edges {
  std::array<double, machine::max_grid_rank> down{}, up{};
  std::int64_t holders = INT64_MAX;

  explicit Edges(std::mt19937& random) {
    for (std::size_t dim = 0; dim < down.size(); ++dim) {
      down[dim] = 100.0 * static_cast<double>(1 + random() % 9);
      up[dim] = random() % 2 == 0 ? down[dim] : 100.0 * static_cast<double>(1 + random() % 9);
    }
  }

  [[nodiscard]] bool holds(const ProcessorClasses& classes, std::size_t which) const {
    for (int dim = 0; dim < classes.rank(); ++dim) {
      if (classes.starts(dim)[classes.run(which, dim)] >= holders) {
        return false;
      }
    }
    return true;
  }

  [[nodiscard]] ClassExchange by_classes(const ProcessorClasses& classes) const {
    ClassExchange exchange;
    exchange.begin(false);
    for (std::size_t which = 0; which < classes.size(); ++which) {
      for (int dim = 0; dim < classes.rank(); ++dim) {
        const auto at = static_cast<std::size_t>(dim);
        const std::int64_t x = classes.starts(dim)[classes.run(which, dim)];
        ClassMessage message;
        if (!holds(classes, which)) {
          continue;
        }
        if (x > 0) {
          message.shift[at] = -1;
          message.offset = -classes.stride(dim);
          message.bytes = down[at];
          exchange.add(message);
        }
        if (x + 1 < std::min(classes.extent(dim), holders)) {
          message.shift[at] = 1;
          message.offset = classes.stride(dim);
          message.bytes = up[at];
          exchange.add(message);
        }
      }
      exchange.end_class();
    }
    return exchange;
  }

  [[nodiscard]] Communication one_by_one(const machine::Grid& grid) const {
    Communication result;
    for (std::int64_t p = 0; p < grid.processors(); ++p) {
      const std::vector<std::int64_t> at = place_of(grid, p);
      std::int64_t stride = grid.processors();
      if (*std::max_element(at.begin(), at.end()) >= holders) {
        continue;
      }
      for (std::size_t dim = 0; dim < at.size(); ++dim) {
        const std::int64_t extent = grid.extent(static_cast<int>(dim));
        stride /= extent;
        const auto from = static_cast<std::uint32_t>(p);
        const auto step = static_cast<std::uint32_t>(stride);
        if (at[dim] > 0) {
          result.transfers.push_back({from, from - step, down[dim]});
        }
        if (at[dim] + 1 < std::min(extent, holders)) {
          result.transfers.push_back({from, from + step, up[dim]});
        }
      }
    }
    normalize(result.transfers);
    return result;
  }
};

/// The networks of a machine and what happens on them, in both ways.
struct Compared {
  machine::Cluster cluster;
  machine::ProcessorSystem system;
  ClassNetworks networks;
  Networks simulated;

  explicit Compared(const std::string& text)
      : cluster(machine::Cluster::parse(text, "drawn.par")),
        system(cluster.expand(cluster.processors())),
        networks(cluster, [this]() -> const machine::ProcessorSystem& { return system; }),
        simulated(system) {}

  void check(const machine::Grid& grid, const ProcessorClasses& classes, const ClassEnds* ends,
             const Communication& communication) {
    REQUIRE(ends != nullptr);
    std::vector<double> expected(static_cast<std::size_t>(grid.processors()));
    simulated.reset(grid);
    simulated.run(communication, 0.0, expected);
    double total = 0.0;
    for (std::size_t which = 0; which < classes.size(); ++which) {
      double least = HUGE_VAL;
      double most = 0.0;
      double sum = 0.0;
      EndsBelow below;
      const double limit = 0.6 * *std::max_element(expected.begin(), expected.end()) + 1e-9;
      classes.for_each_member(which, [&](const ProcessorClasses::Indices& at, std::int64_t number) {
        const double end = expected[static_cast<std::size_t>(number)];
        REQUIRE(ends->end_of(which, at, number) == Approx(end).epsilon(1e-12));
        least = std::min(least, end);
        most = std::max(most, end);
        sum += end;
        below.count += end < limit ? 1.0 : 0.0;
        below.sum += end < limit ? end : 0.0;
      });
      REQUIRE(ends->least(which) == Approx(least).epsilon(1e-12));
      REQUIRE(ends->most(which) == Approx(most).epsilon(1e-12));
      REQUIRE(ends->sum(which) == Approx(sum).epsilon(1e-12));
      REQUIRE(ends->below(which, limit).count == below.count);
      REQUIRE(ends->below(which, limit).sum == Approx(below.sum).epsilon(1e-12));
      total += sum;
    }
    CHECK(ends->total() == Approx(total).epsilon(1e-12));
    const double last = *std::max_element(expected.begin(), expected.end());
    CHECK(ends->last() == Approx(last).epsilon(1e-12));
  }
};

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
      fan.any = true;
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
  Spread spread;
  spread.reads = spread.sends = true;
  spread.bytes = 100.0;
  spread.fixed[0] = true;
  spread.at[0] = 1;
  spread.hi[0] = 3;
  spread.hi[1] = 4400;
  Communication sections;
  for (std::uint32_t p = 4400; p < 8800; ++p) {
    sections.transfers.push_back({p, p - 4400, spread.bytes});
    sections.transfers.push_back({p, p + 4400, spread.bytes});
  }
  const Edges edges(random);
  const ClassExchange exchange = edges.by_classes(classes);
  for (const std::string& network : tree_machines) {
    CAPTURE(network);
    Compared compared("cluster = c; c = {4000 x n}; n = {4 x p}; p = 1; " + network);
    compared.networks.reset(grid.processors());
    ClassCommunication communication(compared.networks);
    const auto check = [&](const Communication& messages, auto&& make) {
      ClassEnds* const ends = make();
      REQUIRE(ends != nullptr);
      REQUIRE(ends->kept() > 0);
      int made = 0;
      ends->put_away([&] {
        ++made;
        CHECK(make() == ends);
      });
      CHECK(ends->kept() == 0);
      compared.check(grid, classes, ends, messages);
      CHECK(made == 1);
      ends->put_away(nullptr);
      CHECK(ends->kept() == 0);
    };
    if (!compared.networks.ports()) {  // of those few numbers are kept
      check(edges.one_by_one(grid), [&] { return communication.exchange(classes, exchange); });
      check(sections, [&] { return communication.spread(classes, spread); });
    }
  }
}

}  // namespace gridcast::network
