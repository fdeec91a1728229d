// Channels with gaps, buses and myrinet(n) against a plain list of taken periods (docs/model.md
// §4).

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "gridcast/network/channel_line.h"
#include "gridcast/network/networks.h"

namespace gridcast::network {
namespace {

machine::Cluster flat(const std::string& type, double start, double byte) {
  return machine::Cluster::parse("cluster = c; c = {64 x p}; c.CommType = " + type +
                                     "; c.TStart = " + std::to_string(start) +
                                     "; c.TByte = " + std::to_string(byte) + "; p = 1;",
                                 "flat.par");
}

/// The definition, in whole microseconds: slot by slot a channel is free or taken.
struct SlowChannels {
  std::vector<std::vector<bool>> taken;
  explicit SlowChannels(std::size_t channels) : taken(channels, std::vector<bool>(4000, false)) {}

  std::size_t place(std::size_t start, std::size_t length) {
    for (std::size_t begin = start;; ++begin) {
      for (auto& channel : taken) {
        bool free = true;
        for (std::size_t t = begin; t < begin + length; ++t) {
          free = free && !channel[t];
        }
        if (free) {
          for (std::size_t t = begin; t < begin + length; ++t) {
            channel[t] = true;
          }
          return begin + length;
        }
      }
    }
  }
};

}  // namespace

TEST_CASE("what passes a channel takes the earliest gap, and no time takes nothing") {
  Channel channel;
  CHECK(channel.pass(5.0, 2.0) == 5.0);
  CHECK(channel.pass(4.0, 2.0) == 7.0);
  CHECK(channel.pass(3.0, 2.0) == 3.0);
  CHECK(channel.pass(3.5, 0.0) == 9.0);
  REQUIRE(channel.periods().size() == 1);
  CHECK(channel.last_end() == 9.0);
}

TEST_CASE("of channels the one that is free first is taken") {
  std::mt19937 random(7);
  for (std::size_t channels = 1; channels <= 9; ++channels) {
    ChannelLine line;
    line.reset(static_cast<std::int64_t>(channels));
    std::vector<double> plain(channels, 0.0);
    double ready = 0.0;
    for (int step = 0; step < 60; ++step) {
      const auto length = static_cast<double>(random() % 8);
      ready += static_cast<double>(random() % 3);
      const auto first = std::min_element(plain.begin(), plain.end());
      const double end = std::max(*first, ready) + length;
      *first = length > 0.0 ? end : *first;
      REQUIRE(line.place(length, ready) == (length > 0.0 ? end : ready));
    }
    CHECK(line.last() == *std::max_element(plain.begin(), plain.end()));
  }
}

TEST_CASE("a transfer takes the earliest gap of its length") {
  Channel channel;
  channel.take(10.0, 20.0);
  channel.take(25.0, 30.0);
  CHECK(channel.earliest_gap(0.0, 10.0) == 0.0);
  CHECK(channel.earliest_gap(0.0, 11.0) == 30.0);
  CHECK(channel.earliest_gap(12.0, 5.0) == 20.0);
  CHECK(channel.earliest_gap(12.0, 6.0) == 30.0);
  CHECK(channel.earliest_gap(31.0, 6.0) == 31.0);
  channel.take(20.0, 25.0);
  REQUIRE(channel.periods().size() == 1);
  CHECK(channel.periods()[0].begin == 10.0);
  CHECK(channel.last_end() == 30.0);
  channel.take(0.0, 4.0);
  channel.forget_before(4.0);
  REQUIRE(channel.periods().size() == 1);
  CHECK(channel.earliest_gap(4.0, 6.0) == 4.0);
}

TEST_CASE("transfers in any order of time find the same gaps as slot by slot") {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    const std::size_t channels = 1 + random() % 4;
    const machine::Cluster cluster = flat("myrinet (" + std::to_string(channels) + ")", 2.0, 1.0);
    const machine::ProcessorSystem system = cluster.expand(8);
    Networks networks(system);
    networks.reset(machine::Grid::parse("8"));
    SlowChannels slow(channels);
    for (int k = 0; k < 60; ++k) {
      const std::size_t start = random() % 200;
      const std::size_t bytes = 1 + random() % 12;
      const double end =
          networks.send({0, 1, static_cast<double>(bytes)}, static_cast<double>(start) * 1e-6);
      const std::size_t expected = slow.place(start, 2 + bytes);
      REQUIRE(end * 1e6 == Approx(static_cast<double>(expected)).epsilon(1e-9));
    }
  }
}

TEST_CASE("the transfers of one communication in list order") {
  std::mt19937 random(4);
  for (int round = 0; round < 200; ++round) {
    const std::size_t channels = 1 + random() % 5;
    const machine::Cluster cluster = flat("myrinet (" + std::to_string(channels) + ")", 3.0, 1.0);
    const machine::ProcessorSystem system = cluster.expand(6);
    Networks networks(system);
    networks.reset(machine::Grid::parse("6"));
    SlowChannels slow(channels);
    for (int c = 0; c < 3; ++c) {
      Communication communication;
      for (std::uint32_t from = 0; from < 6; ++from) {
        for (std::uint32_t to = 0; to < 6; ++to) {
          if (from != to && random() % 3 == 0) {
            communication.transfers.push_back({from, to, static_cast<double>(1 + random() % 9)});
          }
        }
      }
      const std::size_t start = random() % 100;
      std::vector<double> expected(6, static_cast<double>(start));
      for (const Transfer& t : communication.transfers) {
        const auto end =
            static_cast<double>(slow.place(start, 3 + static_cast<std::size_t>(t.bytes)));
        expected[t.from] = std::max(expected[t.from], end);
        expected[t.to] = std::max(expected[t.to], end);
      }
      std::vector<double> ends(6);
      networks.run(communication, static_cast<double>(start) * 1e-6, ends);
      for (std::size_t p = 0; p < 6; ++p) {
        CHECK(ends[p] * 1e6 == Approx(expected[p]).epsilon(1e-9));
      }
    }
  }
}

TEST_CASE("a communication on one bus lasts the sum of its transfers") {
  const machine::Cluster cluster = flat("ethernet", 75.0, 0.2);
  const machine::ProcessorSystem system = cluster.expand(5);
  Networks networks(system);
  networks.reset(machine::Grid::parse("5"));
  Communication communication;
  communication.transfers = {{0, 1, 1000.0}, {1, 2, 500.0}, {3, 4, 10.0}};
  std::vector<double> ends(5);
  networks.run(communication, 1.0, ends);
  // 75 + 200 = 275, then 75 + 100 = 175, then 75 + 2 = 77.
  CHECK(ends[0] == Approx(1.0 + 275e-6).epsilon(1e-12));
  CHECK(ends[1] == Approx(1.0 + 450e-6).epsilon(1e-12));
  CHECK(ends[2] == Approx(1.0 + 450e-6).epsilon(1e-12));
  CHECK(ends[4] == Approx(1.0 + 527e-6).epsilon(1e-12));
}

TEST_CASE("two communications use each other's gaps in whatever order they are computed") {
  const machine::Cluster cluster = flat("ethernet", 1.0, 0.0);
  const machine::ProcessorSystem system = cluster.expand(4);
  // One pair talks at 0, 10, 20, ... us, the other at 5, 15, 25, ...: nobody waits.
  for (const bool late_first : {false, true}) {
    Networks networks(system);
    networks.reset(machine::Grid::parse("4"));
    for (int pair = 0; pair < 2; ++pair) {
      const bool late = (pair == 0) == late_first;
      for (int k = 0; k < 10; ++k) {
        const double start = (static_cast<double>(k) * 10.0 + (late ? 5.0 : 0.0)) * 1e-6;
        const double end = networks.send({late ? 2U : 0U, late ? 3U : 1U, 8.0}, start);
        CHECK(end == Approx(start + 1e-6).epsilon(1e-9));
      }
    }
  }
}

}  // namespace gridcast::network
