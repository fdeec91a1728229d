#include <catch2/catch.hpp>
#include <vector>

#include "gridcast/base/error.h"
#include "gridcast/calibrate/comparison.h"

namespace gridcast::calibrate::test {
namespace {

machine::Grid grid(const char* text) { return machine::Grid::parse(text); }

}  // namespace

TEST_CASE("errors are relative to what was measured") {
  const std::vector<double> predicted{1.1, 0.8, 3.0, 2.0};
  const std::vector<double> measured{1.0, 1.0, 2.0, 2.0};
  const Errors errors = errors_of(predicted, measured);
  CHECK(errors.count == 4);
  CHECK(errors.mean == Approx(0.2));     // (0.1 + 0.2 + 0.5 + 0) / 4
  CHECK(errors.median == Approx(0.15));  // (0.1 + 0.2) / 2
  CHECK(errors.worst == Approx(0.5));
  CHECK(errors.bias == Approx(0.1));  // (0.1 - 0.2 + 0.5) / 4
  CHECK(errors_of({}, {}).count == 0);
}

TEST_CASE("Kendall's tau counts pairs in the same order") {
  const std::vector<double> a{1, 2, 3, 4};
  CHECK(kendall_tau(a, std::vector<double>{10, 20, 30, 40}).value() == 1.0);
  CHECK(kendall_tau(a, std::vector<double>{4, 3, 2, 1}).value() == -1.0);
  // One of six pairs is the other way round: (5 - 1) / 6.
  CHECK(kendall_tau(a, std::vector<double>{2, 1, 3, 4}).value() == Approx(4.0 / 6.0));
  // Tau-b with a tie in one: (5 - 0) / sqrt(6 * 5).
  CHECK(kendall_tau(a, std::vector<double>{1, 1, 3, 4}).value() == Approx(0.912870929175277));
  CHECK_FALSE(kendall_tau(a, std::vector<double>{7, 7, 7, 7}));
  CHECK_FALSE(kendall_tau({}, {}));
}

TEST_CASE("the regret is that of the grid which is predicted to be the fastest") {
  const std::vector<double> measured{2.0, 1.0, 1.5};
  CHECK(regret_of(std::vector<double>{5, 4, 6}, measured) == 0.0);
  CHECK(regret_of(std::vector<double>{5, 6, 4}, measured) == Approx(0.5));
  // Two grids that look the same: the worse one counts.
  CHECK(regret_of(std::vector<double>{4, 4, 6}, measured) == Approx(1.0));
}

TEST_CASE("grids are compared per program and number of processors") {
  const Comparison comparison = compare_times({{"b", grid("4x1"), 2.0, 2.0},
                                               {"a", grid("2x2"), 1.0, 1.0},
                                               {"a", grid("4x1"), 0.9, 1.2},
                                               {"a", grid("1x1"), 3.0, 4.0},
                                               {"a", grid("4x1"), 0.9, 1.0},
                                               {"a", grid("4x1"), 0.9, 9.0}});
  REQUIRE(comparison.rows.size() == 4);
  CHECK(comparison.rows[0].grid == grid("1x1"));
  CHECK(comparison.rows[2].grid == grid("4x1"));
  CHECK(comparison.rows[2].measured == 1.2);  // the median of three
  REQUIRE(comparison.groups.size() == 3);     // a: all, a: 4 processors, b: all
  CHECK(comparison.groups[0].processors == 0);
  CHECK(comparison.groups[0].errors.count == 3);
  CHECK(comparison.groups[1].processors == 4);
  CHECK(comparison.groups[1].tau.value() == -1.0);
  CHECK(comparison.groups[1].regret == Approx(0.2));
  CHECK(comparison.groups[1].chosen == grid("4x1"));
  CHECK(comparison.groups[1].fastest == grid("2x2"));
  CHECK(comparison.groups[2].program == "b");
  CHECK_FALSE(comparison.groups[2].tau);
  CHECK(comparison.errors.mean == Approx((0.25 + 0.0 + 0.25 + 0.0) / 4.0));
  CHECK_THROWS_AS(compare_times({}), InputError);
}

}  // namespace gridcast::calibrate::test
