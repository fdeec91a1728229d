// Predictions by classes and processor by processor on random cases; check_engines tries more.

#include <catch2/catch.hpp>

#include "block_cases.h"
#include "engine_cases.h"

namespace gridcast::checker {
namespace {

/// On seeds from 1 on, of which so many at least must be about both engines.
void require_agreement(Machines machines, std::uint64_t seeds, std::size_t by_classes) {
  EngineCounts counts;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    if (const auto difference = engine_difference(seed, counts, machines)) {
      INFO(*difference);
      FAIL("the engines differ on seed " << seed);
    }
  }
  CAPTURE(counts.by_classes, counts.refused);
  CHECK(counts.by_classes > by_classes);
}

/// On one seed, which is about both engines.
void require_same(std::uint64_t seed, Machines machines = Machines::all) {
  EngineCounts counts;
  CHECK(engine_difference(seed, counts, machines).value_or("") == "");
  CHECK(counts.by_classes == 1);
}

}  // namespace

TEST_CASE("both engines agree on random programs, machines, grids and options") {
  require_agreement(Machines::all, 400, 180);
}

TEST_CASE("both engines agree on random programs on trees of networks of ports") {
  require_agreement(Machines::port_trees, 300, 150);
}

TEST_CASE("both engines agree where arrays move on ports and loops reduce") {
  require_agreement(Machines::moves, 300, 150);
}

TEST_CASE("both engines agree on longer arrays, grids of four dimensions, uneven edges") {
  require_agreement(Machines::large, 300, 150);
}

TEST_CASE("free processes do what statements over blocks say, as the naive model does") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    if (const auto difference = block_difference(seed)) {
      INFO(difference->text);
      FAIL("seed " << seed);
    }
  }
}

// A redistribution over a grid of links while a remote access is under way, of 2140 processors.
TEST_CASE("nothing waits for what a grid of links still carries") { require_same(901569); }

// A redistribution of which a part of a class has no share, behind a remote access on one channel.
TEST_CASE("who has no part in a communication does not wait for its turn") { require_same(917675); }

// A broadcast while a remote access of 38,220 messages on one channel is under way, at late clocks.
TEST_CASE("what is under way when messages queue up is not rounded by how late it began") {
  require_same(9946);
}

// Remote accesses that copy, waited for in another order than they were started in.
TEST_CASE("who is through before having paid for a communication has nothing to hide") {
  require_same(920285);
}

// A pipelined loop behind an exchange that lasts as long as the loop.
TEST_CASE("when portions are steady depends on the time of the loop, not on what was before") {
  require_same(6325266);
}

// A message's turn at a port lasts for longer than the message, behind a pipelined loop of one
// portion.
TEST_CASE("what comes behind a pipelined loop waits for ports that gaps between messages keep") {
  require_same(7519302, Machines::port_trees);
}

}  // namespace gridcast::checker
