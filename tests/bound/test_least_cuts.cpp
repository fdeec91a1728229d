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

void check_cut(const LeastCut& cut, const std::vector<double>& held) {
  CHECK(cut.first <= held.front());
  const double longest = *std::max_element(held.begin(), held.end());
  CHECK(cut.longest <= longest);
  CHECK(cut.longest_most >= longest);
  for (const double part : held) {
    CHECK((part == 0.0 || cut.shortest <= part));
  }
  CHECK(cut.held <= std::accumulate(held.begin(), held.end(), 0.0));
  double holders = 0.0;
  double pairs = 0.0;
  for (std::size_t q = 0; q < held.size(); ++q) {
    holders += held[q] > 0.0 ? 1.0 : 0.0;
    pairs += q > 0 && held[q] > 0.0 && held[q - 1] > 0.0 ? 1.0 : 0.0;
  }
  CHECK(cut.holders <= holders);
  CHECK(cut.pairs() <= pairs);
  for (std::size_t q = 0; q < held.size(); ++q) {
    CHECK((held[q] == 0.0 || static_cast<double>(q) < cut.reach));
  }
  // Between the first and the last that hold something all hold whole blocks.
  const auto holds = [](double part) { return part > 0.0; };
  const auto begin = std::find_if(held.begin(), held.end(), holds);
  const auto end = std::find_if(held.rbegin(), held.rend(), holds).base();
  if (end - begin > 2 && cut.full >= 1.0) {
    CHECK(cut.full <= *std::min_element(begin + 1, end - 1));
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
    const LeastCut cut = LeastCut::of(range, rule, extent);
    for (std::int64_t coordinates = std::max<std::int64_t>(first, 2); coordinates <= last;
         ++coordinates) {
      CAPTURE(n, multiplier, static_cast<int>(block_rule), first, last, coordinates,
              rule.coefficient, rule.constant, extent);
      check_cut(cut, parts(n, multiplier, block_rule, coordinates, rule, extent));
    }
  }
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
    const LeastCut cut = LeastCut::of(range, {AxisRule::Kind::linear, 0, 1, 0, 0}, n);
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
  const LeastCut cut = LeastCut::of(range, {AxisRule::Kind::linear, 0, 1, 1, 0}, 998);  // 1 ... 998
  CHECK(cut.first == 9.0);
  CHECK(cut.shortest == 9.0);
  CHECK(cut.longest == 10.0);
  CHECK(cut.full == 10.0);
  CHECK(cut.holders == 100.0);
  CHECK(cut.pairs() == 99.0);
}

}  // namespace gridcast::model::test
