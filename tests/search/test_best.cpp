#include <catch2/catch.hpp>
#include <limits>
#include <vector>

#include "gridcast/base/error.h"
#include "gridcast/search/best.h"

using gridcast::machine::Grid;
using gridcast::search::Best;
using gridcast::search::Goal;
using gridcast::search::Objective;
using gridcast::search::Outcome;

namespace {

Outcome outcome(const char* grid, double time, double efficiency) {
  return {Grid::parse(grid), false, time, efficiency};
}

std::vector<std::string> names(const Best& best) {
  std::vector<std::string> result;
  for (const Outcome& one : best.top()) {
    result.push_back(one.grid.text());
  }
  return result;
}

}  // namespace

TEST_CASE("ties go to fewer processors, then to the lexicographically smaller grid") {
  std::vector<Outcome> outcomes{outcome("4x2", 1.0, 0.5), outcome("2x4", 1.0, 0.5),
                                outcome("2x3", 1.0, 0.5), outcome("3x2", 1.0, 0.5),
                                outcome("1x1", 2.0, 1.0)};
  const auto by_text = [](const Outcome& a, const Outcome& b) {
    return a.grid.text() < b.grid.text();
  };
  std::sort(outcomes.begin(), outcomes.end(), by_text);
  do {
    Best best(Goal{}, 4);
    for (const Outcome& one : outcomes) {
      best.add(one);
    }
    REQUIRE(names(best) == std::vector<std::string>{"2x3", "3x2", "2x4", "4x2"});
  } while (std::next_permutation(outcomes.begin(), outcomes.end(), by_text));
}

TEST_CASE("a least efficiency leaves the fastest grid as the unconstrained best") {
  Best best(Goal{Objective::time, 0.8});
  CHECK_FALSE(best.best());
  best.add(outcome("16", 1.0, 0.5));
  CHECK_FALSE(best.best());
  best.add(outcome("4", 3.0, 0.8));
  best.add(outcome("2", 5.0, 0.9));
  REQUIRE(best.best());
  CHECK(best.best()->grid.text() == "4");
  CHECK(best.unconstrained()->grid.text() == "16");
}

TEST_CASE("efficiency as the objective leaves out one processor") {
  Best best(Goal{Objective::efficiency, {}}, 3);
  best.add(outcome("1x1", 9.0, 1.0));
  best.add(outcome("1x2", 5.0, 0.9));
  best.add(outcome("2x2", 3.0, 0.95));
  CHECK(names(best) == std::vector<std::string>{"2x2", "1x2"});
  CHECK(best.unconstrained()->grid.text() == "2x2");
}

TEST_CASE("failed and meaningless outcomes never count, repeated ones once") {
  Best best(Goal{}, 2);
  Outcome failed = outcome("8", 0.0, 0.0);
  failed.failed = true;
  best.add(failed);
  best.add(outcome("9", std::numeric_limits<double>::quiet_NaN(), 0.5));
  CHECK_FALSE(best.best());
  best.add(outcome("2", 2.0, 0.5));
  best.add(outcome("2", 2.0, 0.5));
  CHECK(names(best) == std::vector<std::string>{"2"});
  CHECK_THROWS_AS(Best(Goal{}, 0), gridcast::InputError);
  CHECK_THROWS_AS(Best(Goal{Objective::time, 1.5}), gridcast::InputError);
}
