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

TEST_CASE("both engines agree on random programs on trees of networks of ports") {
  EngineCounts counts;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    if (const auto difference = engine_difference(seed, counts, Machines::port_trees)) {
      INFO(*difference);
      FAIL("the engines differ on seed " << seed);
    }
  }
  CAPTURE(counts.by_classes, counts.refused);
  CHECK(counts.by_classes > 150);
}

TEST_CASE("both engines agree where arrays move on ports and loops reduce") {
  EngineCounts counts;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    if (const auto difference = engine_difference(seed, counts, Machines::moves)) {
      INFO(*difference);
      FAIL("the engines differ on seed " << seed);
    }
  }
  CAPTURE(counts.by_classes, counts.refused);
  CHECK(counts.by_classes > 150);
}

// A redistribution over a grid of links while a remote access is under way, of 2140 processors.
TEST_CASE("nothing waits for what a grid of links still carries") {
  EngineCounts counts;
  CHECK(engine_difference(901569, counts).value_or("") == "");
  CHECK(counts.by_classes == 1);
}

// A redistribution of which a part of a class has no share, behind a remote access on one channel.
TEST_CASE("who has no part in a communication does not wait for its turn") {
  EngineCounts counts;
  CHECK(engine_difference(917675, counts).value_or("") == "");
  CHECK(counts.by_classes == 1);
}

}  // namespace gridcast::checker
