// What classes of processors hold, against a model that asks for every element on every processor
// (docs/model.md §3).

#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "gridcast/mapping/class_layout.h"
#include "gridcast/mapping/coordinate_kinds.h"
#include "gridcast/mapping/processor_sums.h"

namespace gridcast::mapping {
namespace {

/// A number from `least` to `most`.
std::int64_t drawn(std::mt19937& random, std::int64_t least, std::int64_t most) {
  return least + static_cast<std::int64_t>(random() % static_cast<unsigned>(most - least + 1));
}

/// One dimension of a template over each dimension of a grid, and something laid over them.
struct Laid {
  machine::Grid grid;
  std::vector<std::int64_t> elements, multipliers;
  BlockRule blocks = BlockRule::ceil;
  std::vector<AxisRule> rules;
  std::vector<std::int64_t> extents;
  std::vector<BlockCut> cuts;  // per dimension of the grid
  std::array<ProcessorClasses::Kinds, machine::max_grid_rank> kinds;
  ProcessorClasses classes;
  ClassLayout layout;

  explicit Laid(std::mt19937& random) {
    std::vector<std::int64_t> shape(1 + random() % 3);
    extents.resize(1 + random() % 3);
    const bool large = shape.size() == 1 && random() % 2 == 0;  // with steps that repeat
    for (std::int64_t& extent : extents) {
      extent = drawn(random, 1, 9);
    }
    blocks = random() % 2 == 0 ? BlockRule::ceil : BlockRule::balanced;
    std::int32_t next = 0;  // each dimension of the extents is cut once
    for (std::int64_t& count : shape) {
      count = large ? drawn(random, 8, 40) : drawn(random, 1, 6);
      elements.push_back(large ? drawn(random, count, 120) : drawn(random, 1, 14));
      multipliers.push_back(drawn(random, 1, 2));
      rules.push_back(rule(random, elements.back(), next));
    }
    grid = machine::Grid(shape);
    lay();
  }

  AxisRule rule(std::mt19937& random, std::int64_t count, std::int32_t& next) const {
    const std::int64_t step = random() % 2 == 0 ? 1 : drawn(random, 2, 5);
    const std::int64_t coefficient = step * (std::int64_t{1} - 2 * drawn(random, 0, 1));
    const std::int64_t constant = coefficient < 0 ? count - 1 : drawn(random, 0, 2);
    switch (random() % 5) {
      case 0:
        return {AxisRule::Kind::constant, -1, 0, drawn(random, 0, count - 1), 0};
      case 1:
        return {AxisRule::Kind::bounded, -1, coefficient, constant, drawn(random, 1, 4)};
      case 2:
        return {};
      default:
        return next < static_cast<std::int32_t>(extents.size())
                   ? AxisRule{AxisRule::Kind::linear, next++, coefficient, constant, 0}
                   : AxisRule{};
    }
  }

  void lay() {
    std::array<std::vector<std::int64_t>, machine::max_grid_rank> borders;
    classes.assign(grid, borders);
    cuts.resize(rules.size());
    layout.begin(extents);
    for (int dim = 0; dim < grid.rank(); ++dim) {
      const auto at = static_cast<std::size_t>(dim);
      cuts[at].assign(elements[at], grid.extent(dim), blocks, multipliers[at]);
      if (grid.extent(dim) > 1) {
        layout.lay_over(dim, cuts[at], rules[at]);
        const AxisCut& cut = layout.cuts[at];
        const AxisCut* const one[] = {&cut};
        if (cut.active() && cut.period() > 1 && !find_kinds(one, grid.extent(dim), kinds[at])) {
          kinds[at] = {};
        }
        cut.append_borders(borders[at], kinds[at].count > 1);
      }
      const std::int64_t first = layout.cuts[at].first();
      borders[at].insert(borders[at].end(), {first, first + 1});
    }
    classes.assign(grid, borders, kinds);
    layout.finish(classes);
  }

  /// The elements that a processor holds, each as a number, from the definition of the rules.
  [[nodiscard]] std::vector<std::int64_t> held(std::int64_t processor) const {
    std::vector<std::int64_t> result;
    std::int64_t all = 1;
    for (const std::int64_t extent : extents) {
      all *= extent;
    }
    for (std::int64_t element = 0; element < all; ++element) {
      bool here = true;
      for (int dim = 0; dim < grid.rank(); ++dim) {
        here = here && holds(dim, processor / classes.stride(dim) % grid.extent(dim), element);
      }
      if (here) {
        result.push_back(element);
      }
    }
    return result;
  }

  [[nodiscard]] bool holds(int dim, std::int64_t coordinate, std::int64_t element) const {
    const auto at = static_cast<std::size_t>(dim);
    const AxisRule& rule = rules[at];
    if (grid.extent(dim) == 1) {
      return true;
    }
    Boundaries boundaries;
    block_boundaries(elements[at], grid.extent(dim), blocks, multipliers[at], boundaries);
    const auto q = static_cast<std::size_t>(coordinate);
    const auto in_block = [&](std::int64_t index) {
      return boundaries[q] <= index && index < boundaries[q + 1];
    };
    bool some = false;
    switch (rule.kind) {
      case AxisRule::Kind::linear: {
        std::int64_t index = element;
        for (std::size_t behind = extents.size() - 1; behind > static_cast<std::size_t>(rule.dim);
             --behind) {
          index /= extents[behind];
        }
        index %= extents[static_cast<std::size_t>(rule.dim)];
        return in_block(rule.coefficient * index + rule.constant);
      }
      case AxisRule::Kind::constant:
        return in_block(rule.constant);
      case AxisRule::Kind::bounded:
        for (std::int64_t j = 0; j < rule.bound; ++j) {
          some = some || in_block(rule.coefficient * j + rule.constant);
        }
        return some;
      case AxisRule::Kind::replicated:
        return boundaries[q] < boundaries[q + 1];
    }
    return false;
  }
};

}  // namespace

TEST_CASE("classes hold what their processors hold, element by element") {
  std::mt19937 random(5);
  int several = 0;  // processors of a class
  for (int round = 0; round < 3000; ++round) {
    const Laid laid(random);
    CAPTURE(round, laid.grid.text());
    std::vector<double> counts;
    laid.layout.counts(laid.classes, counts);
    std::vector<std::uint8_t> speakers;
    laid.layout.speakers(laid.classes, speakers);
    REQUIRE(counts.size() == laid.classes.size());
    std::map<std::vector<std::int64_t>, std::int64_t> first_with;  // the same elements
    std::int64_t speaking = 0;
    bool any = false;
    for (std::int64_t p = 0; p < laid.grid.processors(); ++p) {
      const std::vector<std::int64_t> held = laid.held(p);
      const std::size_t which = laid.classes.class_of(p);
      REQUIRE(counts[which] == static_cast<double>(held.size()));
      std::vector<std::int64_t> sizes(laid.extents.size());
      REQUIRE(laid.layout.block(laid.classes, which, sizes) == !held.empty());
      several += laid.classes.members()[which] > 1.0 ? 1 : 0;
      if (!held.empty()) {
        any = true;
        const bool first = first_with.try_emplace(held, p).second;
        REQUIRE((speakers[which] != 0) == first);
        REQUIRE(laid.layout.speakers_below(laid.classes, p) == speaking);
        speaking += first ? 1 : 0;
      }
    }
    if (any) {
      REQUIRE(laid.layout.speakers_below(laid.classes, laid.grid.processors()) == speaking);
    }
    double all = 1.0;
    for (const std::int64_t extent : laid.extents) {
      all *= static_cast<double>(extent);
    }
    REQUIRE(laid.layout.elements() == all);
  }
  CHECK(several > 1000);
}

TEST_CASE("classes cover the grid, each processor once") {
  ProcessorClasses classes;
  std::array<std::vector<std::int64_t>, machine::max_grid_rank> borders;
  borders[0] = {4, 1, 9, 1};
  borders[1] = {-1, 0, 2};
  classes.assign(machine::Grid::parse("5x3"), borders);
  // Rows 0, 1-3 and 4, columns 0-1 and 2.
  REQUIRE(classes.size() == 6);
  CHECK(std::vector<double>(classes.members().begin(), classes.members().end()) ==
        std::vector<double>{2, 1, 6, 3, 2, 1});
  std::vector<std::size_t> found(15, 99);
  for (std::size_t which = 0; which < classes.size(); ++which) {
    classes.for_each_member(which,
                            [&](const ProcessorClasses::Indices& at, std::int64_t processor) {
                              CHECK(processor == 3 * at[0] + at[1]);
                              found[static_cast<std::size_t>(processor)] = which;
                            });
  }
  CHECK(found == std::vector<std::size_t>{0, 0, 1, 2, 2, 3, 2, 2, 3, 2, 2, 3, 4, 4, 5});
  CHECK(classes.class_of(13) == 4);
}

TEST_CASE("between borders coordinates are alike that are a period apart") {
  ProcessorClasses classes;
  std::array<std::vector<std::int64_t>, machine::max_grid_rank> borders;
  borders[0] = {1};
  const std::array<ProcessorClasses::Kinds, 2> kinds{{{{0, 1, 2}, 3}, {}}};
  classes.assign(machine::Grid::parse("8x2"), borders, kinds);
  // Rows 0; 1, 4 and 7; 2 and 5; 3 and 6.
  CHECK(std::vector<double>(classes.members().begin(), classes.members().end()) ==
        std::vector<double>{2, 6, 4, 4});
  std::vector<std::int64_t> second;
  classes.for_each_member(1, [&](const auto& /*at*/, std::int64_t p) { second.push_back(p); });
  CHECK(second == std::vector<std::int64_t>{2, 3, 8, 9, 14, 15});
  CHECK(classes.first_of(3) == 6);
  for (const auto& [row, run] : std::vector<std::pair<std::int64_t, std::size_t>>{
           {0, 0}, {1, 1}, {2, 2}, {3, 3}, {4, 1}, {5, 2}, {6, 3}, {7, 1}}) {
    CHECK(classes.run_of(0, row) == run);
    CHECK(classes.class_of(2 * row + 1) == run);
    CHECK(classes.run_end(0, row, 8) == row + 1);
  }
  CHECK(classes.run_end(1, 0, 5) == 2);
}

TEST_CASE("what classes have adds up per processor, whatever the classes were") {
  ProcessorClasses halves;
  ProcessorClasses corner;
  std::array<std::vector<std::int64_t>, machine::max_grid_rank> borders;
  borders[0] = {1};
  halves.assign(machine::Grid::parse("2x3"), borders);
  borders[1] = {2};
  corner.assign(machine::Grid::parse("2x3"), borders);
  ProcessorSums sums;
  sums.reset(halves);
  sums.add(halves, std::vector<double>{1.0, 10.0});
  sums.add(corner, std::vector<double>{0.0, 0.0, 0.0, 100.0});
  std::vector<double> each{0.5, 0.0, 0.0, 0.0, 0.0, 0.0};
  sums.list(each);
  CHECK(each == std::vector<double>{1.5, 1.0, 1.0, 10.0, 10.0, 110.0});
}

}  // namespace gridcast::mapping
