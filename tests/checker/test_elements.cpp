// The product against a model that looks at every element and every processor by itself.
// GRIDCAST_CHECK_SEEDS=FIRST:LAST tries other seeds, check_elements any number of them.

#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>

#include "compare.h"

namespace gridcast::checker {
namespace {

void check_seeds(std::uint64_t first, std::uint64_t last, Case (*make)(std::uint64_t)) {
  REQUIRE(first <= last);
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    const Case tried = make(seed);
    INFO("seed " << seed);
    if (const auto difference = difference_of(tried)) {
      FAIL(report_of(seed, *difference, tried));
    }
  }
}

}  // namespace

TEST_CASE("random cases 1 to 5000 agree with the naive model") {
  check_seeds(1, 5000, random_case);
}
TEST_CASE("random cases 5001 to 10000 agree with the naive model") {
  check_seeds(5001, 10000, random_case);
}
TEST_CASE("random cases 10001 to 15000 agree with the naive model") {
  check_seeds(10001, 15000, random_case);
}
TEST_CASE("random cases 15001 to 20000 agree with the naive model") {
  check_seeds(15001, 20000, random_case);
}

// Two reductions in rounds of the same bytes; no iteration of the second loop lies anywhere.
TEST_CASE("a reduction without iterations takes no time, whatever others take") {
  check_seeds(6102862, 6102862, random_case);
}

TEST_CASE("free processes of random cases 1 to 5000 agree with the naive simulator") {
  check_seeds(1, 5000, random_free_case);
}

TEST_CASE("the random cases that GRIDCAST_CHECK_SEEDS names agree with the naive model") {
  const char* const wanted = std::getenv("GRIDCAST_CHECK_SEEDS");
  if (wanted != nullptr) {
    const std::string range = wanted;
    check_seeds(std::stoull(range), std::stoull(range.substr(range.find(':') + 1)), random_case);
  }
}

}  // namespace gridcast::checker
