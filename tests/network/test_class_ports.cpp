// Communications over trees of ports by classes of processors against the simulation of each
// message (docs/model.md §4), on grids whose rows fit the nodes or do not.

#include "compared.h"

namespace gridcast::network {
namespace {

/// Nodes of 16, of 3 and of 3 sockets of 8, and no nodes; overheads that differ from level to level
/// and gaps above and below the time of the bytes.
const std::vector<std::string> port_trees{
    "c = {80 x n}; n = {16 x p}; c.TSend = 0.25; n.TSend = 0.25; c.TGap = 0.005;",
    "c = {430 x n}; n = {3 x p};",
    "c = {54 x m}; m = {3 x n}; n = {8 x p}; m.CommType = ports; m.TStart = 3; m.TByte = 0.002; "
    "m.TSend = 0.5; n.TRecv = 0.75; c.TGap = 2; n.TGap = 0.5;",
    "c = {1300 x p}; c.TSend = 1.5; c.TRecv = 0.5; c.TGap = 0.5;"};

template <class F>
void for_port_trees(F&& check) {
  for (const std::string& tree : port_trees) {
    const bool flat = tree.find("{1300") != std::string::npos;
    CAPTURE(tree);
    Compared compared(
        "cluster = c; p = 1; c.CommType = ports; c.TStart = 7; c.TByte = 0.004; " +
        (flat ? std::string() : "n.CommType = ports; n.TStart = 1; n.TByte = 0.001; ") + tree);
    check(compared);
  }
}

machine::Grid long_grid(std::mt19937& random, int round) {
  const auto wide = static_cast<std::int64_t>(3 + random() % 90);
  const auto narrow = static_cast<std::int64_t>(2 + random() % 12);
  std::vector<std::int64_t> shape{wide, narrow};
  if (round % 3 == 1) {
    shape = {narrow, wide};
  } else if (round % 3 == 2) {
    shape = {2 + narrow % 5, 4 + wide % 5, 8 + wide % 13};
  }
  return machine::Grid(shape);
}

/// Edges on a grid.
struct EdgesOn {
  std::mt19937& random;
  int round;
  machine::Grid grid;
  ProcessorClasses classes = classes_of(grid, {}, round % 2 != 0);
  Edges edges{random};
  ClassExchange exchange = edges.by_classes(classes);
};

/// Edges on random grids of the networks.
template <class F>
void for_edges(Compared& compared, unsigned seed, F&& check) {
  std::mt19937 random(seed);
  for (int round = 0; round < 40; ++round) {
    EdgesOn on{random, round, long_grid(random, round)};
    CAPTURE(round, on.grid.text());
    compared.networks.reset(on.grid.processors());
    check(on);
  }
}

}  // namespace

TEST_CASE("exchanges over trees of ports end as their messages do, and classes settle") {
  for_port_trees([](Compared& compared) {
    ClassCommunication communication(compared.networks);
    for_edges(compared, 21, [&](EdgesOn& on) {
      const Communication messages = on.edges.one_by_one(on.grid);
      const ClassEnds* const ends = communication.exchange(on.classes, on.exchange);
      compared.check(on.grid, on.classes, ends, messages);
      std::vector<double> overheads;
      compared.simulated.overheads(messages, overheads);
      overheads.resize(static_cast<std::size_t>(on.grid.processors()));
      const double clock = 0.437 * ends->last();
      for (std::size_t which = 0; which < on.classes.size(); ++which) {
        Settled expected;
        expected.least = HUGE_VAL;
        on.classes.for_each_member(which, [&](const auto& at, std::int64_t number) {
          const double own = overheads[static_cast<std::size_t>(number)];
          REQUIRE(ends->overhead_of(which, number) == Approx(own).epsilon(1e-12));
          const double end = ends->end_of(which, at, number);
          if (end < clock + own) {
            expected.count += 1.0;
            expected.sum += end;
            expected.paid += own;
          }
          expected.least = std::min(expected.least, std::max(end, clock + own));
          expected.most = std::max(expected.most, std::max(end, clock + own));
        });
        REQUIRE(ends->settles(which));
        const Settled got = ends->settle(which, clock);
        REQUIRE(got.count == expected.count);
        REQUIRE(got.sum == Approx(expected.sum).epsilon(1e-12));
        REQUIRE(got.paid == Approx(expected.paid).epsilon(1e-12));
        REQUIRE(got.least == Approx(expected.least).epsilon(1e-12));
        REQUIRE(got.most == Approx(expected.most).epsilon(1e-12));
      }
    });
  });
}

TEST_CASE("the latest of clocks that pay for an exchange over a tree of ports") {
  int looked_at = 0;
  for_port_trees([&](Compared& compared) {
    ClassCommunication communication(compared.networks);
    for_edges(compared, 23, [&](EdgesOn& on) {
      const ClassEnds* const ends = communication.exchange(on.classes, on.exchange);
      const std::span<const NetworkLevel> levels = compared.networks.port_levels();
      const std::int64_t size = levels.size() > 1 ? levels[levels.size() - 2].size : 1;
      const std::int64_t root = on.round % 2 == 0 ? 0 : on.grid.processors() * (on.round % 5) / 5;
      const double step = 1e-8 * static_cast<double>(1 + on.random() % 100);
      // They ascend, but for those of the root's node.
      const auto clock = [&](std::int64_t number) {
        const std::int64_t first = root / size * size;
        const std::int64_t place =
            number / size == root / size ? first + (number * 7 + 3) % size : number;
        return static_cast<double>(place) * step;
      };
      for (std::size_t which = 0; which < on.classes.size(); ++which) {
        double most = -HUGE_VAL;
        double paid = 0.0;
        on.classes.for_each_member(which, [&](const auto& /*at*/, std::int64_t number) {
          most = std::max(most, clock(number) + ends->overhead_of(which, number));
          paid += ends->overhead_of(which, number);
        });
        CHECK(ends->paid_by(which) == Approx(paid).epsilon(1e-12));
        if (ends->overheads_listed(which)) {
          CHECK(ends->most_paid(which, root, clock) == Approx(most).epsilon(1e-12));
          ++looked_at;
        }
      }
    });
  });
  CHECK(looked_at > 100);
}

TEST_CASE("reductions while edges pass the same ports") {
  for_port_trees([](Compared& compared) {
    ClassCommunication edges_over(compared.networks);
    ClassCommunication sums_over(compared.networks);
    int known = 0;
    for_edges(compared, 22, [&](EdgesOn& on) {
      const ClassEnds* const before = edges_over.exchange(on.classes, on.exchange);
      const std::int64_t extent = 3 * on.grid.extent(0);
      mapping::BlockCut blocks;
      blocks.assign(extent, on.grid.extent(0), mapping::BlockRule::ceil, 1);
      mapping::ClassLayout loop;
      loop.begin({&extent, 1});
      loop.lay_over(0, blocks, {mapping::AxisRule::Kind::linear, 0, 1, 0, 0});
      loop.finish(on.classes);
      const double later = before->busy() * 0.125 * static_cast<double>(1 + on.random() % 7);
      const ClassEnds* const ends =
          sums_over.reduction_behind(on.classes, loop, 16.0, *before, later);
      if (ends == nullptr) {
        return;  // the edges meet what is handed out, too
      }
      ++known;
      Communication sum;
      for (std::int64_t p = 1; p < on.grid.extent(0); ++p) {
        sum.transfers.push_back({static_cast<std::uint32_t>(p * on.classes.stride(0)), 0, 16.0});
      }
      sum.later_phases.push_back(sum.transfers.size());
      for (std::int64_t p = 1; p < on.grid.processors(); ++p) {
        sum.transfers.push_back({0, static_cast<std::uint32_t>(p), 16.0});
      }
      std::vector<double> expected(static_cast<std::size_t>(on.grid.processors()));
      compared.simulated.reset(on.grid);
      compared.simulated.run(on.edges.one_by_one(on.grid), 0.0, expected);
      compared.simulated.run(sum, later, expected);
      for (std::size_t which = 0; which < on.classes.size(); ++which) {
        on.classes.for_each_member(which, [&](const auto& at, std::int64_t number) {
          REQUIRE(ends->end_of(which, at, number) + later ==
                  Approx(expected[static_cast<std::size_t>(number)]).epsilon(1e-12));
        });
      }
    });
    CHECK(known > 0);
  });
}

}  // namespace gridcast::network
