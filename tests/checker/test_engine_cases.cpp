// Predictions by classes and processor by processor on random cases; check_engines tries more.

#include <catch2/catch.hpp>

#include "engine_cases.h"

namespace gridcast::checker {

TEST_CASE("both engines agree on random programs, machines, grids and options") {
  EngineCounts counts;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    if (const auto difference = engine_difference(seed, counts)) {
      INFO(*difference);
      FAIL("the engines differ on seed " << seed);
    }
  }
  // Most cases really are about both.
  CAPTURE(counts.by_classes, counts.refused);
  CHECK(counts.by_classes > 180);
}

}  // namespace gridcast::checker
