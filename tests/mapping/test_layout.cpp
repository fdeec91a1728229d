// Layouts against a model that looks at every element on every processor (docs/model.md §3).

#include <catch2/catch.hpp>
#include <random>

#include "gridcast/mapping/layout.h"

namespace gridcast::mapping {
namespace {

using Index = std::vector<std::int64_t>;
using Random = std::mt19937;

std::int64_t up_to(Random& random, std::int64_t most) {
  return static_cast<std::int64_t>(random() % static_cast<unsigned>(most + 1));
}

/// Calls f with every index of a box.
template <class F>
void each(const Index& extents, F&& f) {
  Index at(extents.size(), 0);
  for (const std::int64_t extent : extents) {
    if (extent == 0) {
      return;
    }
  }
  while (true) {
    f(at);
    std::size_t dim = at.size();
    while (dim > 0 && ++at[dim - 1] == extents[dim - 1]) {
      at[--dim] = 0;
    }
    if (dim == 0) {
      return;
    }
  }
}

/// A pattern array laid over a template by `rules`; something laid over the pattern by `own`.
struct Sample {
  machine::Grid grid;
  ProcessorView view;
  Index target;
  Distribution distribution;
  std::vector<AxisRule> rules;
  std::vector<AxisRule> own;  // empty: the array itself lies over the template
  Index pattern;
  Index extents;

  /// Positions along one template dimension, from the definition of the rules.
  static std::vector<std::int64_t> positions(const AxisRule& rule, const Index& element,
                                             std::int64_t extent) {
    if (rule.kind == AxisRule::Kind::linear) {
      return {rule.coefficient * element[static_cast<std::size_t>(rule.dim)] + rule.constant};
    }
    if (rule.kind == AxisRule::Kind::constant) {
      return {rule.constant};
    }
    std::vector<std::int64_t> all;
    for (std::int64_t i = 0; i < extent; ++i) {
      all.push_back(i);
    }
    return all;
  }

  [[nodiscard]] std::vector<std::int64_t> target_positions(std::size_t axis,
                                                           const Index& element) const {
    if (own.empty() || rules[axis].kind != AxisRule::Kind::linear) {
      return positions(rules[axis], element, target[axis]);
    }
    const auto dim = static_cast<std::size_t>(rules[axis].dim);
    std::vector<std::int64_t> result;
    for (const std::int64_t y : positions(own[dim], element, pattern[dim])) {
      result.push_back(rules[axis].coefficient * y + rules[axis].constant);
    }
    return result;
  }

  [[nodiscard]] bool holds(const Index& coordinates, const Index& element) const {
    for (std::size_t j = 0; j < coordinates.size(); ++j) {
      const auto& cut = distribution.dimensions[j];
      if (view.extent(static_cast<int>(j)) == 1 || cut.axis < 0) {
        continue;
      }
      const auto axis = static_cast<std::size_t>(cut.axis);
      bool here = false;
      for (const std::int64_t at : target_positions(axis, element)) {
        const auto q = static_cast<std::size_t>(coordinates[j]);
        here = here || (cut.boundaries[q] <= at && at < cut.boundaries[q + 1]);
      }
      if (!here) {
        return false;
      }
    }
    return true;
  }
};

std::vector<AxisRule> random_rules(Random& random, std::size_t count, const Index& over,
                                   const Index& extents) {
  std::vector<AxisRule> rules(count);
  std::vector<int> free_dims;
  for (int d = 0; d < static_cast<int>(extents.size()); ++d) {
    free_dims.push_back(d);
  }
  for (std::size_t i = 0; i < count; ++i) {
    switch (random() % 5) {
      case 0:
        rules[i] = {AxisRule::Kind::constant, -1, 0, up_to(random, over[i] + 1) - 1, 0};
        break;
      case 1:
        rules[i] = {};
        break;
      default:
        if (!free_dims.empty()) {
          const auto pick = static_cast<std::ptrdiff_t>(random() % free_dims.size());
          const int dim = free_dims[static_cast<std::size_t>(pick)];
          free_dims.erase(free_dims.begin() + pick);
          const std::int64_t factors[] = {1, 1, 2, 3, -1, -2};
          const std::int64_t a = factors[random() % 6];
          const std::int64_t b = a < 0 ? over[i] - 1 - up_to(random, 2) : up_to(random, 3) - 1;
          rules[i] = {AxisRule::Kind::linear, dim, a, b, 0};
        }
    }
  }
  return rules;
}

Index random_extents(Random& random, std::size_t rank, std::int64_t most) {
  Index extents(rank);
  for (auto& extent : extents) {
    extent = 1 + up_to(random, most - 1);
  }
  return extents;
}

Sample random_sample(Random& random) {
  Sample sample;
  const Index shape = random_extents(random, 1 + random() % 3, 4);
  sample.grid = machine::Grid(shape);
  sample.view = ProcessorView::root(sample.grid);
  sample.target = random_extents(random, 1 + random() % 3, 9);
  std::vector<int> axes;
  for (int a = 0; a < static_cast<int>(sample.target.size()); ++a) {
    axes.push_back(a);
  }
  std::shuffle(axes.begin(), axes.end(), random);
  for (std::size_t j = 0; j < shape.size(); ++j) {
    Distribution::Dimension cut;
    if (j < axes.size() && random() % 5 != 0) {
      cut.axis = axes[j];
      const std::int64_t n = sample.target[static_cast<std::size_t>(cut.axis)];
      switch (random() % 4) {
        case 0:
          block_boundaries(n, shape[j], BlockRule::balanced, 1, cut.boundaries);
          break;
        case 1: {
          std::vector<double> weights(static_cast<std::size_t>(shape[j]));
          for (double& weight : weights) {
            weight = static_cast<double>(random() % 3);
          }
          weights[0] += 1.0;
          weighted_boundaries(n, weights, 1, cut.boundaries);
          break;
        }
        default:
          block_boundaries(n, shape[j], BlockRule::ceil,
                           1 + static_cast<std::int64_t>(random() % 2), cut.boundaries);
      }
    }
    sample.distribution.dimensions.push_back(cut);
  }
  sample.extents = random_extents(random, 1 + random() % 3, 7);
  if (random() % 2 == 0) {
    sample.rules = random_rules(random, sample.target.size(), sample.target, sample.extents);
  } else {
    sample.pattern = random_extents(random, 1 + random() % 3, 7);
    sample.rules = random_rules(random, sample.target.size(), sample.target, sample.pattern);
    sample.own = random_rules(random, sample.pattern.size(), sample.pattern, sample.extents);
  }
  return sample;
}

Layout layout_of(const Sample& sample) {
  Layout layout;
  const std::vector<AxisRule> rules =
      sample.own.empty() ? sample.rules : compose(sample.own, sample.rules, sample.pattern);
  layout.assign(sample.view, sample.distribution, rules, sample.extents);
  return layout;
}

}  // namespace

TEST_CASE("every processor holds exactly the elements that the rules give it") {
  Random random(7);
  for (int round = 0; round < 4000; ++round) {
    const Sample sample = random_sample(random);
    const Layout layout = layout_of(sample);
    CAPTURE(round, sample.grid.text());
    std::vector<double> counts;
    layout.counts(counts);
    REQUIRE(counts.size() == sample.view.size());
    bool all_or_nothing = true;  // where somebody has no part of the template
    std::size_t wrong = 0;
    for (std::size_t local = 0; local < sample.view.size(); ++local) {
      Index at(static_cast<std::size_t>(sample.view.rank()));
      layout.coordinates(local, at);
      std::vector<IndexRange> block(sample.extents.size());
      const bool any = layout.block(at, block);
      double held = 0.0;
      each(sample.extents, [&](const Index& element) {
        bool in_block = any;
        for (std::size_t dim = 0; dim < element.size(); ++dim) {
          in_block = in_block && block[dim].lo <= element[dim] && element[dim] < block[dim].hi;
        }
        const bool expected = sample.holds(at, element);
        held += expected ? 1.0 : 0.0;
        wrong += in_block != expected ? 1U : 0U;
      });
      CHECK(counts[local] == held);
      all_or_nothing = all_or_nothing && (held == 0.0 || held == layout.elements());
    }
    CHECK(wrong == 0);
    CHECK((all_or_nothing || !layout.fully_replicated()));
    // Every element that is held at all is held by copies() processors: a partition or replicas.
    each(sample.extents, [&](const Index& element) {
      double holders = 0.0;
      for (std::size_t local = 0; local < sample.view.size(); ++local) {
        Index at(static_cast<std::size_t>(sample.view.rank()));
        layout.coordinates(local, at);
        holders += sample.holds(at, element) ? 1.0 : 0.0;
      }
      if (holders > 0.0) {
        REQUIRE(holders == layout.copies());
      }
    });
  }
}

TEST_CASE("coordinates whose part overlaps a range") {
  Random random(8);
  for (int round = 0; round < 2000; ++round) {
    const Sample sample = random_sample(random);
    const Layout layout = layout_of(sample);
    for (int j = 0; j < sample.view.rank(); ++j) {
      const int dim = layout.split_dimension(j);
      if (dim < 0) {
        continue;
      }
      CHECK(layout.view_dimension(dim) >= 0);
      const std::int64_t extent = layout.extent(dim);
      const std::int64_t lo = up_to(random, extent - 1);
      const IndexRange wanted{lo, lo + 1 + up_to(random, extent - lo - 1)};
      const IndexRange found = layout.coordinates_overlapping(j, wanted);
      for (std::int64_t q = 0; q < sample.view.extent(j); ++q) {
        const IndexRange part = layout.range(j, q);
        const bool inside = found.lo <= q && q < found.hi;
        if (!part.empty()) {
          CHECK(inside == !intersect(part, wanted).empty());
        }
      }
    }
  }
}

TEST_CASE("a processor dimension of size 1 neither splits nor empties") {
  const ProcessorView view = ProcessorView::root(machine::Grid::parse("1x3"));
  Distribution distribution;
  distribution.dimensions = {{0, {0, 5}}, {1, {0, 2, 4, 6}}};
  // Constant 9 lies outside the template: on one processor it would be nowhere.
  const std::vector<AxisRule> rules{{AxisRule::Kind::constant, -1, 0, 9, 0},
                                    {AxisRule::Kind::linear, 0, 1, 0, 0}};
  Layout layout;
  layout.assign(view, distribution, rules, Index{6});
  std::vector<double> counts;
  layout.counts(counts);
  CHECK(counts == std::vector<double>{2, 2, 2});
  CHECK(layout.split_dimension(0) == -1);
}

TEST_CASE("the nearest coordinate that holds a constant position") {
  const ProcessorView view = ProcessorView::root(machine::Grid::parse("5"));
  Distribution distribution;
  distribution.dimensions = {{0, {0, 2, 4, 6, 8, 10}}};
  // A pattern of 4 elements at 6, 5, 4, 3: coordinates 1, 2, 3 hold some of it.
  const std::vector<AxisRule> rules{{AxisRule::Kind::bounded, -1, -1, 6, 4}};
  Layout layout;
  layout.assign(view, distribution, rules, Index{3});
  CHECK(layout.decides_presence(0));
  CHECK(layout.copies() == 3.0);
  CHECK(layout.nearest_present(0, 0) == 1);
  CHECK(layout.nearest_present(0, 2) == 2);
  CHECK(layout.nearest_present(0, 4) == 3);
  CHECK_FALSE(layout.fully_replicated());
}

}  // namespace gridcast::mapping
