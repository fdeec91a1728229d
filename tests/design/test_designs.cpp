#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "gridcast/base/error.h"
#include "gridcast/design/design.h"
#include "gridcast/design/plackett_burman.h"
#include "gridcast/design/random.h"
#include "gridcast/design/sobol.h"

using namespace gridcast::design;
using gridcast::InputError;

namespace {

Factor unit(const std::string& name) { return {name, RealRange{0.0, 1.0, false, {}}}; }

std::vector<Factor> units(std::size_t count) {
  std::vector<Factor> factors;
  for (std::size_t i = 0; i < count; ++i) {
    factors.push_back(unit("x" + std::to_string(i)));
  }
  return factors;
}

DesignOptions options(DesignKind kind, std::int64_t runs, std::uint64_t seed = 1) {
  return {kind, runs, seed, false};
}

std::vector<std::vector<double>> points(const Design& design) {
  std::vector<std::vector<double>> result;
  for (std::int64_t run = 0; run < design.runs(); ++run) {
    result.push_back(design.run(run));
  }
  return result;
}

/// The centred L2 discrepancy of points in the unit cube, squared (Hickernell 1998).
double centred_discrepancy(const std::vector<std::vector<double>>& points) {
  const auto n = static_cast<double>(points.size());
  const std::size_t dimensions = points.front().size();
  double single = 0.0;
  double pairs = 0.0;
  for (const auto& x : points) {
    double product = 1.0;
    for (std::size_t k = 0; k < dimensions; ++k) {
      const double a = std::abs(x[k] - 0.5);
      product *= 1.0 + 0.5 * a - 0.5 * a * a;
    }
    single += product;
    for (const auto& y : points) {
      product = 1.0;
      for (std::size_t k = 0; k < dimensions; ++k) {
        product *= 1.0 + 0.5 * std::abs(x[k] - 0.5) + 0.5 * std::abs(y[k] - 0.5) -
                   0.5 * std::abs(x[k] - y[k]);
      }
      pairs += product;
    }
  }
  return std::pow(13.0 / 12.0, static_cast<double>(dimensions)) - 2.0 / n * single +
         pairs / (n * n);
}

/// Whether each of `runs` equal parts of 0 ... 1 has one of the numbers.
bool one_per_part(const std::vector<double>& numbers) {
  std::set<std::int64_t> parts;
  for (const double number : numbers) {
    parts.insert(static_cast<std::int64_t>(number * static_cast<double>(numbers.size())));
  }
  return parts.size() == numbers.size() && *parts.begin() == 0 &&
         *parts.rbegin() == static_cast<std::int64_t>(numbers.size()) - 1;
}

std::vector<double> column(const std::vector<std::vector<double>>& table, std::size_t index) {
  std::vector<double> result;
  for (const auto& row : table) {
    result.push_back(row[index]);
  }
  return result;
}

}  // namespace

TEST_CASE("SplitMix64 gives its published sequence") {
  // A stream with an empty key starts at state 0, for which these numbers are published.
  Random random{};
  CHECK(random.next() == 0xE220A8397B1DCDAFULL);
  CHECK(random.next() == 0x6E789E6AA1B965F4ULL);
  CHECK(random.next() == 0x06C45D188009454FULL);
}

TEST_CASE("bounded random numbers are uniform") {
  Random random{7};
  std::array<int, 6> counts{};
  for (int i = 0; i < 60000; ++i) {
    ++counts[random.below(6)];
  }
  // Standard deviation 91; six of them.
  for (const int count : counts) {
    CHECK(std::abs(count - 10000) < 550);
  }
}

TEST_CASE("a Latin hypercube has one run in each share of each factor") {
  const std::int64_t runs = GENERATE(1, 2, 7, 100, 1000);
  const Design design(units(5), options(DesignKind::latin_hypercube, runs));
  const auto table = points(design);
  REQUIRE(table.size() == static_cast<std::size_t>(runs));
  for (std::size_t factor = 0; factor < 5; ++factor) {
    CHECK(one_per_part(column(table, factor)));
  }
}

TEST_CASE("a Latin hypercube gives listed and whole values equal shares") {
  const Design design({{"list", ValueList{{3.0, 5.0, 9.0}}}, {"whole", IntegerRange{-1, 2}}},
                      options(DesignKind::latin_hypercube, 12));
  std::vector<double> lists;
  std::vector<double> wholes;
  for (std::int64_t run = 0; run < 12; ++run) {
    lists.push_back(design.run(run)[0]);
    wholes.push_back(design.run(run)[1]);
  }
  for (const double value : {3.0, 5.0, 9.0}) {
    CHECK(std::ranges::count(lists, value) == 4);
  }
  for (const double value : {-1.0, 0.0, 1.0, 2.0}) {
    CHECK(std::ranges::count(wholes, value) == 3);
  }
}

TEST_CASE("designs with a seed are repeated exactly and differ between seeds") {
  const DesignKind kind =
      GENERATE(DesignKind::latin_hypercube, DesignKind::random, DesignKind::sobol);
  const Design first(units(3), options(kind, 64, 5));
  const Design again(units(3), options(kind, 64, 5));
  const Design other(units(3), options(kind, 64, 6));
  CHECK(points(first) == points(again));
  CHECK(points(first) != points(other));
}

TEST_CASE("the factors of a random design are uncorrelated") {
  const auto table = points(Design(units(2), options(DesignKind::random, 10000)));
  double sum = 0.0;
  double mean = 0.0;
  for (const auto& run : table) {
    sum += (run[0] - 0.5) * (run[1] - 0.5);
    mean += run[0];
  }
  // Standard deviations 1/1200 and 1/346; six of them.
  CHECK(std::abs(sum / 10000.0) < 0.005);
  CHECK(std::abs(mean / 10000.0 - 0.5) < 0.0175);
}

TEST_CASE("the first two dimensions of the Sobol' sequence are the known ones") {
  // In the natural order of indices: van der Corput, and x + 1 with m = 1, 3, 5, 15, ...
  const std::vector<SobolCoordinate> sequence = sobol_sequence(2);
  const SobolCoordinate& first = sequence[0];
  const SobolCoordinate& second = sequence[1];
  const std::array<double, 8> x{0.0, 0.5, 0.25, 0.75, 0.125, 0.625, 0.375, 0.875};
  const std::array<double, 8> y{0.0, 0.5, 0.75, 0.25, 0.625, 0.125, 0.375, 0.875};
  for (std::uint32_t i = 0; i < 8; ++i) {
    CHECK(first.at(i) == x[i]);
    CHECK(second.at(i) == y[i]);
  }
}

TEST_CASE("a Sobol' sequence is balanced in each dimension, shifted or not") {
  const std::uint64_t seed = GENERATE(0U, 99U);
  for (const std::int64_t runs : {2, 16, 256, 2048}) {
    const auto table = points(Design(units(100), options(DesignKind::sobol, runs, seed)));
    for (std::size_t factor = 0; factor < 100; ++factor) {
      CHECK(one_per_part(column(table, factor)));
    }
  }
}

TEST_CASE("two dimensions of a Sobol' sequence have one point in each elementary interval") {
  // The first two are a (0, m, 2)-sequence: any cut into 2^m equal rectangles holds one point each.
  constexpr unsigned m = 8;
  const std::vector<SobolCoordinate> sequence = sobol_sequence(2);
  const SobolCoordinate& first = sequence[0];
  const SobolCoordinate& second = sequence[1];
  for (unsigned d = 0; d <= m; ++d) {
    std::set<std::uint64_t> boxes;
    for (std::uint32_t i = 0; i < 1U << m; ++i) {
      const auto column = static_cast<std::uint64_t>(std::ldexp(first.at(i), static_cast<int>(d)));
      const auto row =
          static_cast<std::uint64_t>(std::ldexp(second.at(i), static_cast<int>(m - d)));
      boxes.insert((column << m) + row);
    }
    CHECK(boxes.size() == 1U << m);
  }
}

TEST_CASE("a Sobol' sequence has a lower discrepancy than random points") {
  const auto [dimensions, runs] =
      GENERATE(table<std::size_t, std::int64_t>({{2, 256}, {5, 512}, {8, 512}}));
  const double sobol =
      centred_discrepancy(points(Design(units(dimensions), options(DesignKind::sobol, runs, 3))));
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U}) {
    const double random = centred_discrepancy(
        points(Design(units(dimensions), options(DesignKind::random, runs, seed))));
    CHECK(sobol < 0.5 * random);
  }
}

TEST_CASE("every pair of 16 dimensions of a Sobol' sequence beats random points") {
  const auto table = points(Design(units(16), options(DesignKind::sobol, 256, 0)));
  for (std::size_t a = 0; a < 16; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      std::vector<std::vector<double>> pair;
      for (const auto& run : table) {
        pair.push_back({run[a], run[b]});
      }
      // Random points expect ((5/4)^2 - (13/12)^2) / 256 (Hickernell's expectation for n points).
      CHECK(centred_discrepancy(pair) < 0.5 * (25.0 / 16.0 - 169.0 / 144.0) / 256.0);
    }
  }
}

TEST_CASE("a Saltelli design mixes two points of a Sobol' sequence") {
  constexpr std::size_t k = 3;
  const std::uint64_t seed = GENERATE(0U, 7U);
  const Design design(units(k), options(DesignKind::saltelli, 16, seed));
  const auto doubled = points(Design(units(2 * k), options(DesignKind::sobol, 16, seed)));
  REQUIRE(design.runs() == 16 * (k + 2));
  for (std::size_t base = 0; base < 16; ++base) {
    const std::vector<double> a(doubled[base].begin(), doubled[base].begin() + k);
    const std::vector<double> b(doubled[base].begin() + k, doubled[base].end());
    const auto first = static_cast<std::int64_t>(base * (k + 2));
    CHECK(design.run(first) == a);
    CHECK(design.run(first + k + 1) == b);
    for (std::size_t factor = 0; factor < k; ++factor) {
      std::vector<double> mixed = a;
      mixed[factor] = b[factor];
      CHECK(design.run(first + 1 + static_cast<std::int64_t>(factor)) == mixed);
    }
  }
}

TEST_CASE("Plackett-Burman designs are balanced and orthogonal") {
  const std::int64_t runs = GENERATE(4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 60, 76, 84);
  REQUIRE(has_plackett_burman(runs));
  const TwoLevelDesign design = plackett_burman(runs);
  const auto size = static_cast<std::size_t>(runs);
  REQUIRE(design.runs() == size);
  REQUIRE(design.factors() == size - 1);
  for (std::size_t a = 0; a < design.factors(); ++a) {
    std::int64_t sum = 0;
    for (std::size_t run = 0; run < size; ++run) {
      sum += design.at(run, a);
    }
    CHECK(sum == 0);
    CHECK(design.at(size - 1, a) == -1);
    for (std::size_t b = 0; b < a; ++b) {
      std::int64_t product = 0;
      for (std::size_t run = 0; run < size; ++run) {
        product += design.at(run, a) * design.at(run, b);
      }
      CHECK(product == 0);
    }
  }
}

TEST_CASE("Plackett-Burman designs begin with the published rows") {
  // Plackett and Burman, Biometrika 33 (1946), for 8, 12, 20 and 24 runs.
  const std::string row = GENERATE(as<std::string>(), "+++-+--", "++-+++---+-",
                                   "++--++++-+-+----++-", "+++++-+-++--++--+-+----");
  const TwoLevelDesign design = plackett_burman(static_cast<std::int64_t>(row.size()) + 1);
  for (std::size_t factor = 0; factor < row.size(); ++factor) {
    CHECK(design.at(0, factor) == (row[factor] == '+' ? 1 : -1));
  }
}

TEST_CASE("a foldover is balanced for interactions of two factors") {
  const TwoLevelDesign design = foldover(plackett_burman(12));
  REQUIRE(design.runs() == 24);
  for (std::size_t effect = 0; effect < 11; ++effect) {
    for (std::size_t a = 0; a < 11; ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        int sum = 0;
        for (std::size_t run = 0; run < 24; ++run) {
          sum += design.at(run, effect) * design.at(run, a) * design.at(run, b);
        }
        CHECK(sum == 0);
      }
    }
  }
}

TEST_CASE("a Plackett-Burman design takes the ends of ranges and the fewest runs") {
  const std::vector<Factor> factors{{"a", RealRange{1.0, 100.0, true, {}}},
                                    {"b", IntegerRange{2, 9}},
                                    {"c", ValueList{{0.5, 0.25}}}};
  const Design design(factors, {DesignKind::plackett_burman, {}, 0, true});
  CHECK(design.runs() == 8);
  const auto table = points(design);
  CHECK(std::ranges::count(column(table, 0), 100.0) == 4);
  CHECK(std::ranges::count(column(table, 0), 1.0) == 4);
  CHECK(std::ranges::count(column(table, 1), 9.0) == 4);
  CHECK(std::ranges::count(column(table, 1), 2.0) == 4);
  CHECK(std::ranges::count(column(table, 2), 0.25) == 4);
}

TEST_CASE("a full factorial has every combination once, the last factor fastest") {
  const Design design({{"a", RealRange{1.0, 100.0, true, 3}},
                       {"b", RealRange{0.0, 1.0, false, 2}},
                       {"c", ValueList{{7.0, 8.0}}}},
                      {DesignKind::full_factorial, {}, 0, false});
  const std::vector<std::vector<double>> expected{
      {1, 0, 7},  {1, 0, 8},  {1, 1, 7},   {1, 1, 8},   {10, 0, 7},  {10, 0, 8},
      {10, 1, 7}, {10, 1, 8}, {100, 0, 7}, {100, 0, 8}, {100, 1, 7}, {100, 1, 8}};
  CHECK(points(design) == expected);
}

TEST_CASE("logarithmic ranges have equal factors at equal distances") {
  const Factor factor{"x", RealRange{1.0, 10000.0, true, 5}};
  for (int i = 0; i <= 4; ++i) {
    CHECK(factor.at(0.25 * i) == std::pow(10.0, i));
    CHECK(factor.level(i) == std::pow(10.0, i));
  }
}

TEST_CASE("designs refuse what makes no sense") {
  const Factor range = unit("x");
  CHECK_THROWS_AS(Design({range, range}, options(DesignKind::random, 3)), InputError);
  CHECK_THROWS_AS(Design({range}, {DesignKind::random, {}, 0, false}), InputError);
  CHECK_THROWS_AS(Design({range}, options(DesignKind::random, 0)), InputError);
  CHECK_THROWS_AS(Design({range}, {DesignKind::full_factorial, {}, 0, false}), InputError);
  CHECK_THROWS_AS(Design({range}, {DesignKind::random, 4, 0, true}), InputError);
  CHECK_THROWS_AS(Design(units(4), options(DesignKind::plackett_burman, 4)), InputError);
  CHECK_THROWS_AS(Design(units(4), options(DesignKind::plackett_burman, 10)), InputError);
  CHECK_THROWS_AS(Design(units(3668), options(DesignKind::sobol, 4)), InputError);
  CHECK_THROWS_AS(Design(units(1834), options(DesignKind::saltelli, 4)), InputError);
  CHECK_THROWS_AS(Design(units(2), options(DesignKind::saltelli, 0)), InputError);
  CHECK_THROWS_AS(Design({{"x", RealRange{0.0, 1.0, true, {}}}}, options(DesignKind::random, 3)),
                  InputError);
  CHECK_THROWS_AS(Design({{"x", RealRange{2.0, 1.0, false, {}}}}, options(DesignKind::random, 3)),
                  InputError);
  CHECK_THROWS_AS(Design({{"x", ValueList{}}}, options(DesignKind::random, 3)), InputError);
  CHECK_THROWS_AS(Design({{"x", IntegerRange{3, 3}}}, options(DesignKind::random, 3)), InputError);
  CHECK_THROWS_AS(Design({{"x", ValueList{{1, 2, 3}}}}, options(DesignKind::plackett_burman, 4)),
                  InputError);
  CHECK(Design({}, {DesignKind::random, {}, 0, false}).runs() == 1);
}
