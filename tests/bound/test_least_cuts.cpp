// The lemmas of docs/search.md on blocks: the least that holds for a range of numbers of
// coordinates against blocks written out.

#include <algorithm>
#include <numeric>
#include <random>

#include "bound/least_cut.h"
#include "fixture.h"
#include "gridcast/mapping/blocks.h"

namespace gridcast::model::test {
namespace {

using Random = std::mt19937;
using mapping::AxisRule;

std::int64_t one_to(Random& random, std::int64_t most) {
  return 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most));
}

/// Positions of a rule that each coordinate holds, written out element by element.
std::vector<double> parts(std::int64_t n, std::int64_t multiplier, mapping::BlockRule block_rule,
                          std::int64_t coordinates, const AxisRule& rule, std::int64_t extent) {
  mapping::Boundaries boundaries;
  mapping::block_boundaries(n, coordinates, block_rule, multiplier, boundaries);
  std::vector<double> result;
  for (std::size_t q = 0; q + 1 < boundaries.size(); ++q) {
    double held = 0.0;
    for (std::int64_t i = 0; i < extent; ++i) {
      const std::int64_t element = rule.coefficient * i + rule.constant;
      held += element >= boundaries[q] && element < boundaries[q + 1] ? 1.0 : 0.0;
    }
    result.push_back(held);
  }
  return result;
}

/// The coordinate before the last that holds elements of the template.
std::size_t late_of(std::int64_t n, std::int64_t multiplier, mapping::BlockRule block_rule,
                    std::int64_t coordinates) {
  if (block_rule == mapping::BlockRule::balanced && n % (coordinates * multiplier) != 0) {
    return static_cast<std::size_t>(std::max<std::int64_t>(coordinates - 2, 0));
  }
  const std::vector<double> elements =
      parts(n, multiplier, block_rule, coordinates, {AxisRule::Kind::linear, 0, 1, 0, 0}, n);
  const auto used = std::count_if(elements.begin(), elements.end(), [](double x) { return x > 0; });
  return static_cast<std::size_t>(std::max<std::ptrdiff_t>(used - 2, 0));
}

void check_cut(const LeastCut& cut, const std::vector<double>& held, std::size_t late) {
  const std::size_t second = std::min<std::size_t>(1, held.size() - 1);
  CHECK(cut.part[0] <= held[0]);
  CHECK(cut.part[1] <= held[second]);
  CHECK(cut.part[2] <= held[late]);
  const double longest = *std::max_element(held.begin(), held.end());
  CHECK(cut.longest <= longest);
  CHECK(cut.longest_most >= longest);
  for (const double part : held) {
    CHECK((part == 0.0 || cut.shortest <= part));
  }
  const auto from = [&](std::size_t begin, std::size_t end) {
    return std::accumulate(held.begin() + static_cast<std::ptrdiff_t>(std::min(begin, held.size())),
                           held.begin() + static_cast<std::ptrdiff_t>(std::min(end, held.size())),
                           0.0);
  };
  CHECK(cut.held <= from(0, held.size()));
  CHECK(cut.beyond[1] <= from(second + 1, held.size()));
  CHECK(cut.beyond[2] <= from(0, late));
  double holders = 0.0;
  double pairs = 0.0;
  for (std::size_t q = 0; q < held.size(); ++q) {
    holders += held[q] > 0.0 ? 1.0 : 0.0;
    pairs += q > 0 && held[q] > 0.0 && held[q - 1] > 0.0 ? 1.0 : 0.0;
  }
  CHECK(cut.holders <= holders);
  CHECK(cut.pairs <= pairs);
  CHECK(cut.holders_most >= holders);
  for (std::size_t q = 0; q < held.size(); ++q) {
    CHECK((held[q] == 0.0 || static_cast<double>(q) < cut.reach));
  }
  const auto has = [&](std::size_t q, int step) {
    const auto there = static_cast<std::ptrdiff_t>(q) + step;
    return there >= 0 && there < static_cast<std::ptrdiff_t>(held.size()) &&
           held[static_cast<std::size_t>(there)] > 0.0;
  };
  const std::size_t at[] = {0, second, late};
  for (std::size_t place = 0; place < places; ++place) {
    CHECK((!cut.lower[place] || has(at[place], -1)));
    CHECK((!cut.upper[place] || has(at[place], 1)));
  }
}

}  // namespace

TEST_CASE("least parts of blocks hold for every number of coordinates in a range") {
  Random random(5);
  for (int round = 0; round < 3000; ++round) {
    const std::int64_t n = one_to(random, 60);
    const std::int64_t multiplier = random() % 5 == 0 ? one_to(random, 4) : 1;
    const auto block_rule =
        random() % 4 == 0 ? mapping::BlockRule::balanced : mapping::BlockRule::ceil;
    const std::int64_t first = one_to(random, 20);
    const std::int64_t last = first + static_cast<std::int64_t>(random() % 12);
    AxisRule rule{AxisRule::Kind::linear, 0, one_to(random, 3), 0, 0};
    const std::int64_t extent = one_to(random, n / rule.coefficient + 1);
    rule.constant = static_cast<std::int64_t>(random() % 5);
    if (random() % 3 == 0) {
      rule.constant += rule.coefficient * (extent - 1);
      rule.coefficient = -rule.coefficient;
    }
    CutRange range;
    range.assign(n, multiplier, block_rule, first, last);
    const LeastCut cut = LeastCut::of(range, rule, extent, range);
    for (std::int64_t coordinates = std::max<std::int64_t>(first, 2); coordinates <= last;
         ++coordinates) {
      CAPTURE(n, multiplier, static_cast<int>(block_rule), first, last, coordinates,
              rule.coefficient, rule.constant, extent);
      check_cut(cut, parts(n, multiplier, block_rule, coordinates, rule, extent),
                late_of(n, multiplier, block_rule, coordinates));
    }
  }
}

TEST_CASE("coordinates of two elements are as far apart as the longest block allows") {
  Random random(8);
  std::int64_t apart_at_all = 0;
  for (int round = 0; round < 3000; ++round) {
    const std::int64_t n = one_to(random, 60);
    const std::int64_t multiplier = random() % 5 == 0 ? one_to(random, 4) : 1;
    const auto rule = random() % 3 == 0 ? mapping::BlockRule::balanced : mapping::BlockRule::ceil;
    const std::int64_t first = one_to(random, 20);
    const std::int64_t last = first + static_cast<std::int64_t>(random() % 12);
    const std::int64_t a = one_to(random, n) - 1;
    const std::int64_t b = one_to(random, n) - 1;
    const bool weighted = random() % 3 == 0;
    CutRange range;
    if (weighted) {
      range.assign_weighted(n, multiplier, 3.0, first, last);
    } else {
      range.assign(n, multiplier, rule, first, last);
    }
    apart_at_all += range.apart(a, b);
    for (std::int64_t coordinates = first; coordinates <= last; ++coordinates) {
      CAPTURE(n, multiplier, static_cast<int>(rule), first, last, coordinates, a, b, weighted);
      mapping::Boundaries boundaries;
      if (weighted) {
        std::vector<double> weights(static_cast<std::size_t>(coordinates));
        for (double& weight : weights) {
          weight = random() % 2 == 0 ? 1.0 : 3.0;
        }
        mapping::weighted_boundaries(n, weights, multiplier, boundaries);
      } else {
        mapping::block_boundaries(n, coordinates, rule, multiplier, boundaries);
      }
      const auto coordinate_of = [&](std::int64_t element) {
        return std::upper_bound(boundaries.begin(), boundaries.end(), element) - boundaries.begin();
      };
      CHECK(range.apart(a, b) <= std::abs(coordinate_of(a) - coordinate_of(b)));
      if (!weighted && first == last) {
        CHECK(range.apart(a, b) == std::abs(coordinate_of(a) - coordinate_of(b)));
      }
    }
  }
  CHECK(apart_at_all > 3000);
}

TEST_CASE("blocks of weighted coordinates are not longer than the heaviest allows") {
  Random random(6);
  for (int round = 0; round < 3000; ++round) {
    const std::int64_t n = one_to(random, 90);
    const std::int64_t multiplier = random() % 5 == 0 ? one_to(random, 4) : 1;
    const std::int64_t first = one_to(random, 20);
    const std::int64_t last = first + static_cast<std::int64_t>(random() % 12);
    const double spread = 1.0 + 0.5 * static_cast<double>(random() % 8);
    CutRange range;
    range.assign_weighted(n, multiplier, spread, first, last);
    const LeastCut cut = LeastCut::of(range, {AxisRule::Kind::linear, 0, 1, 0, 0}, n, range);
    for (std::int64_t coordinates = std::max<std::int64_t>(first, 2); coordinates <= last;
         ++coordinates) {
      std::vector<double> weights(static_cast<std::size_t>(coordinates));
      for (double& weight : weights) {
        weight = random() % 2 == 0 ? 1.0 : spread;
      }
      mapping::Boundaries boundaries;
      mapping::weighted_boundaries(n, weights, multiplier, boundaries);
      double holders = 0.0;
      double longest = 0.0;
      for (std::size_t q = 0; q + 1 < boundaries.size(); ++q) {
        const auto held = static_cast<double>(boundaries[q + 1] - boundaries[q]);
        holders += held > 0.0 ? 1.0 : 0.0;
        longest = std::max(longest, held);
      }
      CAPTURE(n, multiplier, spread, first, last, coordinates);
      CHECK(cut.longest_most >= longest);
      CHECK(cut.holders_most >= holders);
      const auto window = static_cast<std::size_t>(one_to(random, coordinates));
      for (std::size_t q = 0; q + window < boundaries.size(); ++q) {
        const auto together = static_cast<double>(boundaries[q + window] - boundaries[q]);
        CHECK(range.most_of(static_cast<double>(window)) >= together);
      }
      CHECK(cut.holders <= holders);
      CHECK(cut.longest <= longest);
    }
  }
}

TEST_CASE("least parts are exact where all blocks are the same") {
  CutRange range;
  range.assign(1000, 1, mapping::BlockRule::ceil, 100, 111);  // blocks of 10
  const LeastCut cut =
      LeastCut::of(range, {AxisRule::Kind::linear, 0, 1, 1, 0}, 998, range);  // 1 ... 998
  CHECK(cut.part == std::array<double, places>{9.0, 10.0, 10.0});
  CHECK(cut.longest == 10.0);
  CHECK(cut.holders == 100.0);
  CHECK(cut.pairs == 99.0);
  CHECK(cut.beyond[2] == 979.0);  // 9 and 97 blocks of 10
}

}  // namespace gridcast::model::test
