// Reductions along trees and arrays that go to another distribution, by classes of processors,
// against the simulation of each message on ports (docs/model.md §4, §5).

#include <cstdlib>
#include <map>

#include "compared.h"

namespace gridcast::network {
namespace {

constexpr mapping::AxisRule::Kind along_axis = mapping::AxisRule::Kind::linear;

/// Something cut along dimensions of a grid: of each (-1: not at all) the dimension that is cut.
struct CutArray {
  std::vector<std::int64_t> extents;
  std::array<mapping::BlockCut, machine::max_grid_rank> blocks;
  mapping::ClassLayout layout;

  CutArray(const ProcessorClasses& classes, std::vector<std::int64_t> shape,
           const std::vector<int>& dims, mapping::BlockRule rule)
      : extents(std::move(shape)) {
    layout.begin(extents);
    for (int dim = 0; dim < classes.rank(); ++dim) {
      const auto at = static_cast<std::size_t>(dim);
      if (dims[at] >= 0 && classes.extent(dim) > 1) {
        blocks[at].assign(extents[static_cast<std::size_t>(dims[at])], classes.extent(dim), rule,
                          1);
        layout.lay_over(dim, blocks[at], {along_axis, dims[at], 1, 0, 0});
      }
    }
    layout.finish(classes);
  }
  CutArray(const CutArray&) = delete;
  CutArray& operator=(const CutArray&) = delete;

  [[nodiscard]] bool holds(const std::vector<std::int64_t>& at,
                           const std::vector<std::int64_t>& element) const {
    bool here = true;
    for (std::size_t dim = 0; dim < at.size(); ++dim) {
      const mapping::AxisCut& cut = layout.cuts[dim];
      if (cut.active()) {
        const mapping::IndexRange range = cut.range(at[dim]);
        const std::int64_t index = element[static_cast<std::size_t>(cut.dim())];
        here = here && range.lo <= index && index < range.hi;
      }
    }
    return here;
  }
};

ProcessorClasses cut_by(const machine::Grid& grid, const std::vector<const CutArray*>& arrays,
                        std::vector<std::int64_t> more = {}) {
  std::array<std::vector<std::int64_t>, machine::max_grid_rank> borders;
  for (std::size_t dim = 0; dim < borders.size(); ++dim) {
    borders[dim] = more;
    for (const CutArray* const array : arrays) {
      array->layout.cuts[dim].append_borders(borders[dim]);
    }
  }
  ProcessorClasses classes;
  classes.assign(grid, borders);
  return classes;
}

/// As docs/model.md §5 has it: rounds that ascend to the lowest number, rounds that descend, the
/// processors counted from it.
Communication binomial(const std::vector<std::uint32_t>& speakers, std::uint32_t processors) {
  Communication result;
  result.one_by_one = true;
  for (std::size_t step = 1; step < speakers.size(); step *= 2) {
    for (std::size_t i = 0; i < speakers.size(); ++i) {
      if (i % (2 * step) == step) {
        result.transfers.push_back({speakers[i], speakers[i - step], 24.0});
      }
    }
  }
  std::uint32_t step = 1;
  while (step < processors) {
    step *= 2;
  }
  for (step /= 2; step > 0; step /= 2) {
    for (std::uint32_t i = 0; i < processors; ++i) {
      if (i % (2 * step) == step) {
        const std::uint32_t root = speakers.front();
        result.transfers.push_back({(root + i - step) % processors, (root + i) % processors, 24.0});
      }
    }
  }
  return result;
}

const std::string one_network = "cluster = c; p = 1; c = {700 x p}; c.CommType = ports; ";
const std::vector<std::string> move_machines{
    one_network + "c.TStart = 7; c.TByte = 0.004;",
    one_network + "c.TStart = 7; c.TByte = 0.004; c.TSend = 1.2; c.TRecv = 1.1; c.TGap = 0.5;",
    one_network + "c.TStart = 2; c.TByte = 0.001; c.TSend = 0.1; c.TGap = 1.5; c.TRecv = 0.25;"};

/// Nodes of two sockets of so many processors.
std::string nodes_of(int processors) {
  return "cluster = c; p = 1; c = {90 x m}; m = {2 x n}; n = {" + std::to_string(processors) +
         " x p}; c.CommType = ports; c.TStart = 3; c.TByte = 0.002; c.TSend = 0.25; c.TRecv = 0.5; "
         "m.CommType = ports; m.TStart = 2; m.TByte = 0.004; m.TSend = 0.125; n.CommType = ports; "
         "n.TStart = 1; n.TByte = 0.001; ";
}

}  // namespace

TEST_CASE("reductions along trees end as their messages do, one by one") {
  std::vector<std::string> texts = move_machines;
  texts.push_back(nodes_of(8));
  texts.push_back(nodes_of(8) + "n.TGap = 0.75; n.TRecv = 0.25; m.TGap = 1;");
  for (const std::string& text : texts) {
    const bool tree = text.find("{8 x p}") != std::string::npos;
    CAPTURE(text);
    Compared compared(text);
    std::mt19937 random(51);
    ClassCommunication communication(compared.networks);
    for (int round = 0; round < 40; ++round) {
      const auto wide = static_cast<std::int64_t>(1 + random() % 26);
      const auto high = static_cast<std::int64_t>(2 + random() % 25);
      const machine::Grid grid(std::vector<std::int64_t>{wide, high});
      CAPTURE(round, grid.text());
      ProcessorClasses all;
      std::array<std::vector<std::int64_t>, machine::max_grid_rank> nowhere;
      all.assign(grid, nowhere);
      // Iterations behind the first ones, and not enough for all: the root is somewhere inside.
      const std::int64_t some = tree ? 0 : static_cast<std::int64_t>(random() % 3);
      const std::int64_t extent = tree || round % 2 == 0 ? 2 * high : high - high / 3;
      mapping::BlockCut blocks;
      blocks.assign(extent + some, high, mapping::BlockRule::ceil, 1);
      const int cut = tree || round % 4 != 3 ? 2 : 1;
      mapping::BlockCut others;
      others.assign(3 * wide, wide, mapping::BlockRule::ceil, 1);
      const std::vector<std::int64_t> extents{extent, 3 * wide};
      mapping::ClassLayout loop;
      loop.begin(extents);
      loop.lay_over(1, blocks, {along_axis, 0, 1, some, 0});
      if (cut == 2 && wide > 1) {
        loop.lay_over(0, others, {along_axis, 1, 1, 0, 0});
      }
      loop.finish(all);
      const std::int64_t first = loop.cuts[1].first();
      const ProcessorClasses classes = classes_of(grid, {first, first + 1, loop.cuts[1].end()});
      std::vector<std::uint32_t> speakers;
      for (std::int64_t p = 0; p < grid.processors(); ++p) {
        const std::vector<std::int64_t> at = place_of(grid, p);
        if (!loop.cuts[1].range(at[1]).empty() && (cut == 2 || at[0] == 0)) {
          speakers.push_back(static_cast<std::uint32_t>(p));
        }
      }
      compared.networks.reset(grid.processors());
      const Communication messages =
          binomial(speakers, static_cast<std::uint32_t>(grid.processors()));
      const ClassEnds* const ends = communication.tree_reduction(classes, loop, 24.0);
      compared.check(grid, classes, ends, messages);
      std::vector<double> overheads;
      compared.simulated.overheads(messages, overheads);
      overheads.resize(static_cast<std::size_t>(grid.processors()));
      for (std::size_t which = 0; which < classes.size(); ++which) {
        classes.for_each_member(which, [&](const auto& at, std::int64_t number) {
          const double own = overheads[static_cast<std::size_t>(number)];
          const double end = ends->end_of(which, at, number);
          REQUIRE(ends->overhead_of(which, number) == Approx(own).epsilon(1e-12));
          REQUIRE(own <= ends->overhead(which) + 1e-15);
          REQUIRE(end - own >= ends->waits_until(which) - 1e-15);
          REQUIRE(end - own <= ends->passes_from(which) + 1e-15);
        });
      }
    }
  }
}

TEST_CASE("reductions along trees over a million processors are sums of bits") {
  const machine::Cluster cluster = machine::Cluster::parse(
      "cluster = c; p = 1; c = {1048576 x p}; c.CommType = ports; c.TStart = 7; c.TByte = 0.5; ",
      "c.par");
  ClassNetworks networks(cluster, []() -> const machine::ProcessorSystem& { std::abort(); });
  networks.reset(1048576);
  ClassCommunication communication(networks);
  const machine::Grid grid(std::vector<std::int64_t>{1024, 1024});
  const ProcessorClasses classes = classes_of(grid);
  const CutArray loop(classes, {4096, 4096}, {0, 1}, mapping::BlockRule::ceil);
  const ClassEnds* const ends = communication.tree_reduction(classes, loop.layout, 8.0);
  REQUIRE(ends != nullptr);
  // 20 rounds of 11 µs there; back each of the bits takes 4 µs, 7 more where it is set.
  CHECK(ends->last() == Approx(20 * 11e-6 + 20 * 11e-6));
  CHECK(ends->total() == Approx(1048576.0 * (20 * 11e-6 + 20 * 4e-6 + 10 * 7e-6)));
  CHECK(ends->least(0) == Approx(20 * 11e-6 + 20 * 4e-6));
}

TEST_CASE("arrays that go to another distribution arrive as their messages do, one by one") {
  std::vector<std::string> texts = move_machines;
  for (const int processors : {1, 3, 4}) {
    texts.push_back(nodes_of(processors) + "n.TRecv = 0.0625; m.TGap = 1;");
  }
  for (const std::string& text : texts) {
    for (const double copy : {0.0, 0.003}) {
      CAPTURE(text, copy);
      Compared compared(text + " c.TCopy = " + std::to_string(copy) + ";");
      std::mt19937 random(52);
      ClassCommunication communication(compared.networks);
      for (int round = 0; round < 30; ++round) {
        const auto draw = [&](std::int64_t from, std::int64_t to) {
          return from + static_cast<std::int64_t>(random() % static_cast<unsigned>(to - from + 1));
        };
        // What is cut changes along one dimension of the grid; along a third one nothing is cut.
        const std::size_t third = static_cast<std::size_t>(round % 3);
        const bool last = round / 2 % 2 == 1;
        const auto in_grid = [&](auto along, auto other, auto none) {
          std::vector<decltype(along)> dims{last ? other : along, last ? along : other};
          dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(third), none);
          return dims;
        };
        const std::int64_t wide = draw(2, 9);
        const machine::Grid grid(
            in_grid(wide, draw(1, 6), round % 4 == 1 ? draw(2, 4) : std::int64_t{1}));
        const std::vector<std::int64_t> shape{draw(3, 17), draw(3, 17), draw(2, 9)};
        const mapping::BlockRule rule =
            round % 3 == 0 ? mapping::BlockRule::balanced : mapping::BlockRule::ceil;
        CAPTURE(round, grid.text(), shape[0], shape[1], shape[2]);
        // Or nothing is cut any more.
        const int beside = round % 4 == 3 ? -1 : 2;
        const int beside_then = round % 4 == 2 ? -1 : beside;
        const std::vector<int> before = in_grid(0, beside, -1);
        const std::vector<int> after = in_grid(round % 5 == 4 ? -1 : 1, beside_then, -1);
        ProcessorClasses all;
        std::array<std::vector<std::int64_t>, machine::max_grid_rank> nowhere;
        all.assign(grid, nowhere);
        const CutArray from(all, shape, before, rule);
        const CutArray to(all, shape, after, rule);
        const ProcessorClasses classes = cut_by(grid, {&from, &to});
        Transposition transposition;
        const std::size_t along = last ? (third < 2 ? 2U : 1U) : (third == 0 ? 1U : 0U);
        const int other = last ? (third == 0 ? 1 : 0) : (third < 2 ? 2 : 1);
        const bool two = beside >= 0 && beside_then < 0 && grid.extent(other) > 1;
        REQUIRE(transposition.add(classes, from.layout, to.layout, 8.0) == !two);
        if (two) {
          continue;  // messages go along two dimensions
        }
        // Another array that goes the same way, and one that stays.
        REQUIRE(transposition.add(classes, from.layout, to.layout, 4.0));
        REQUIRE(transposition.add(classes, to.layout, to.layout, 8.0));
        std::map<std::pair<std::uint32_t, std::uint32_t>, double> bytes;
        std::vector<std::int64_t> at(3);
        for (at[0] = 0; at[0] < shape[0]; ++at[0]) {
          for (at[1] = 0; at[1] < shape[1]; ++at[1]) {
            for (at[2] = 0; at[2] < shape[2]; ++at[2]) {
              for (std::int64_t q = 0; q < grid.processors(); ++q) {
                const std::vector<std::int64_t> here = place_of(grid, q);
                for (std::int64_t p = 0; to.holds(here, at) && p < grid.processors(); ++p) {
                  // Of several holders the nearest one is in the same line.
                  std::vector<std::int64_t> there = place_of(grid, p);
                  const bool held = from.holds(there, at);
                  there[along] = here[along];
                  if (held && there == here) {
                    bytes[{static_cast<std::uint32_t>(p), static_cast<std::uint32_t>(q)}] += 12.0;
                  }
                }
              }
            }
          }
        }
        Communication messages;
        const auto processors = static_cast<std::size_t>(grid.processors());
        messages.packing.assign(processors, 0.0);
        messages.unpacking.assign(processors, 0.0);
        for (const auto& [pair, size] : bytes) {
          if (pair.first != pair.second) {
            messages.transfers.push_back({pair.first, pair.second, size});
            messages.packing[pair.first] += size * copy * 1e-6;
            messages.unpacking[pair.second] += size * copy * 1e-6;
          }
        }
        compared.networks.reset(grid.processors());
        const ClassEnds* const ends = communication.transposition(classes, transposition);
        REQUIRE(ends != nullptr);
        REQUIRE(ends->silent() == messages.transfers.empty());
        if (ends->silent()) {
          continue;
        }
        compared.check(grid, classes, ends, messages);
        std::vector<double> overheads;
        compared.simulated.overheads(messages, overheads);
        overheads.resize(processors);
        for (std::size_t which = 0; which < classes.size(); ++which) {
          classes.for_each_member(which, [&](const auto&, std::int64_t number) {
            REQUIRE(ends->overhead_of(which, number) ==
                    Approx(overheads[static_cast<std::size_t>(number)]).epsilon(1e-12));
          });
        }
      }
    }
  }
}

TEST_CASE("all to all of equal messages in each column: each port serves all of them") {
  // 8 to 8: 7 messages of 1000 bytes.
  Compared compared(
      "cluster = c; p = 1; c = {700 x p}; c.CommType = ports; c.TStart = 7; c.TByte = 0.004;");
  const machine::Grid grid(std::vector<std::int64_t>{8, 3});
  ProcessorClasses classes = classes_of(grid);
  const CutArray from(classes, {8, 8, 375}, {0, 2}, mapping::BlockRule::ceil);
  const CutArray to(classes, {8, 8, 375}, {1, 2}, mapping::BlockRule::ceil);
  Transposition transposition;
  REQUIRE(transposition.add(classes, from.layout, to.layout, 8.0));
  compared.networks.reset(grid.processors());
  ClassCommunication communication(compared.networks);
  const ClassEnds* const ends = communication.transposition(classes, transposition);
  CHECK(ends->last() == Approx(7e-6 + 7 * 4e-6));
  CHECK(ends->total() == Approx(24 * (7e-6 + 7 * 4e-6)));
}

TEST_CASE("all to all over nodes: a node's port serves all that leave the node") {
  const machine::Cluster cluster = machine::Cluster::parse(
      "cluster = c; p = 1; c = {16384 x n}; n = {64 x p}; c.CommType = ports; c.TStart = 7; "
      "c.TByte = 0.004; n.CommType = ports; n.TStart = 1; n.TByte = 0.001; ",
      "c.par");
  ClassNetworks networks(cluster, []() -> const machine::ProcessorSystem& { std::abort(); });
  const machine::Grid grid(std::vector<std::int64_t>{1024, 1024});
  networks.reset(grid.processors());
  ClassCommunication communication(networks);
  const ProcessorClasses classes = classes_of(grid);
  for (const bool columns : {true, false}) {
    CAPTURE(columns);
    const auto cut = [columns](int dim) {
      return columns ? std::vector{dim, 2} : std::vector{2, dim};
    };
    const CutArray from(classes, {1024, 1024, 1024}, cut(0), mapping::BlockRule::ceil);
    const CutArray to(classes, {1024, 1024, 1024}, cut(1), mapping::BlockRule::ceil);
    Transposition transposition;
    REQUIRE(transposition.add(classes, from.layout, to.layout, 8.0));
    const ClassEnds* const ends = communication.transposition(classes, transposition);
    REQUIRE(ends != nullptr);
    // Columns lie across nodes: each of 64 processors sends 1,023 messages. A row fills 16 nodes:
    // each sends 960.
    const double end = 7e-6 + 64 * (columns ? 1023 : 960) * 8 * 0.004e-6;
    CHECK(ends->last() == Approx(end));
    CHECK(ends->total() == Approx(1048576 * end));
  }
}

}  // namespace gridcast::network
