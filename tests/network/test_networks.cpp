// Networks in a tree, phases, profiles and grids of links (docs/model.md §4; [Forecasting tables 1
// and 2]).

#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <random>

#include "gridcast/network/networks.h"

namespace gridcast::network {
namespace {

const std::string paper =
    "cluster = c; c = {8 x n}; c.CommType = myrinet (1); c.TStart = 7; c.TByte = 0.004;"
    "n = {2 x p}; n.CommType = myrinet (1); n.TStart = 1; n.TByte = 0.001; p = 1;";

const std::string three_levels =
    "cluster = c; c = {4 x n}; c.CommType = ethernet; c.TStart = 100; c.TByte = 0;"
    "n = {2 x m, q}; n.CommType = ethernet; n.TStart = 10; n.TByte = 0;"
    "m = {2 x p}; m.CommType = ethernet; m.TStart = 1; m.TByte = 0; p = 1; q = 2;";

/// All portion sizes tried.
double best_portion_time(std::int64_t distance, std::int64_t bytes, double start, double byte) {
  double best = 1e300;
  for (std::int64_t s = 1; s <= bytes; ++s) {
    const auto portions = static_cast<double>((bytes + s - 1) / s);
    best = std::min(best, (static_cast<double>(distance - 1) + portions) *
                              (start + static_cast<double>(s) * byte));
  }
  return best;
}

}  // namespace

TEST_CASE("tables 1 and 2 of the forecasting paper: one transfer inside a node and between nodes") {
  const machine::Cluster cluster = machine::Cluster::parse(paper, "paper.par");
  const machine::ProcessorSystem system = cluster.expand(16);
  Networks networks(system);
  const double bytes[] = {500, 1500, 5000, 30000, 40000, 100000};
  const double inside[] = {1.5, 2.5, 6, 31, 41, 101};
  const double between[] = {9, 13, 27, 127, 167, 407};
  for (std::size_t i = 0; i < 6; ++i) {
    networks.reset(machine::Grid::parse("4x4"));
    CHECK(networks.send({0, 1, bytes[i]}, 0.0) * 1e6 == Approx(inside[i]).epsilon(1e-12));
    networks.reset(machine::Grid::parse("4x4"));
    CHECK(networks.send({1, 2, bytes[i]}, 0.0) * 1e6 == Approx(between[i]).epsilon(1e-12));
  }
}

TEST_CASE("a transfer uses the network of the lowest common ancestor") {
  const machine::Cluster cluster = machine::Cluster::parse(three_levels, "three.par");
  const machine::ProcessorSystem system = cluster.expand(20);
  Networks networks(system);
  // Leaves of one n: p p | p p | q, that is 0 1 | 2 3 | 4, then 5 ... 9 and so on.
  const auto cost = [&](std::uint32_t a, std::uint32_t b) {
    networks.reset(machine::Grid::parse("20"));
    return networks.send({a, b, 8.0}, 0.0) * 1e6;
  };
  CHECK(cost(0, 1) == Approx(1.0));
  CHECK(cost(2, 3) == Approx(1.0));
  CHECK(cost(1, 2) == Approx(10.0));
  CHECK(cost(3, 4) == Approx(10.0));
  CHECK(cost(0, 4) == Approx(10.0));
  CHECK(cost(4, 5) == Approx(100.0));
  CHECK(cost(19, 0) == Approx(100.0));
  CHECK(cost(15, 16) == Approx(1.0));
}

TEST_CASE("instances of one network do not disturb each other") {
  const machine::Cluster cluster = machine::Cluster::parse(three_levels, "three.par");
  const machine::ProcessorSystem system = cluster.expand(20);
  Networks networks(system);
  networks.reset(machine::Grid::parse("20"));
  Communication communication;
  communication.transfers = {{0, 1, 8.0}, {1, 0, 8.0}, {2, 3, 8.0}, {5, 6, 8.0}};
  std::vector<double> ends(20);
  networks.run(communication, 0.0, ends);
  CHECK(ends[0] * 1e6 == Approx(2.0));  // two on the same bus
  CHECK(ends[3] * 1e6 == Approx(1.0));
  CHECK(ends[6] * 1e6 == Approx(1.0));
  CHECK(ends[4] == 0.0);
}

TEST_CASE("messages over several links are pipelined in portions") {
  CHECK(pipelined_message_time(0, 100, 1e-6, 1e-8) == 0.0);
  CHECK(pipelined_message_time(1, 100, 9e-6, 1e-8) == Approx(10e-6).epsilon(1e-12));
  // Two links, 4 bytes, TStart 1, TByte 1: S* = sqrt(4) = 2, (1 + 2)(1 + 2) = 9;
  // S = 1 gives 5 * 2 = 10, S = 4 gives 2 * 5 = 10.
  CHECK(pipelined_message_time(2, 4, 1.0, 1.0) == Approx(9.0).epsilon(1e-12));
  // Free bytes: the whole message in one portion, l starts.
  CHECK(pipelined_message_time(5, 1000, 1.0, 0.0) == Approx(5.0).epsilon(1e-12));
  CHECK(pipelined_message_time(5, 1000, 0.0, 0.0) == 0.0);
  // Free starts: portions of one byte, l - 1 + L of them.
  CHECK(pipelined_message_time(5, 100, 0.0, 1.0) == Approx(104.0).epsilon(1e-12));
}

TEST_CASE("a whole S* is where the walk begins, however it rounds") {
  // 4 links, 800 bytes, 30 us and 0.05 us per byte: S* = sqrt(800 * 30 / (3 * 0.05)) = 400,
  // (3 + 2)(30 + 400 * 0.05) = 250 us.
  CHECK(pipelined_message_time(4, 800, 30e-6, 0.05e-6) == Approx(250e-6).epsilon(1e-12));
  // S* = S whole: L = S (l-1) x bytes with TStart = S TByte / x. Everything in whole units of time,
  // the walk as the model says it.
  std::mt19937 random(6);
  for (int round = 0; round < 3000; ++round) {
    const auto links = static_cast<std::int64_t>(1 + random() % 11);  // l - 1
    const auto x = static_cast<std::int64_t>(1 + random() % 9);
    const auto byte = static_cast<std::int64_t>(1 + random() % 100);
    const std::int64_t portion = x * static_cast<std::int64_t>(1 + random() % 500);
    const std::int64_t bytes = portion * links * x;
    const std::int64_t start = portion / x * byte;
    const auto at = [&](std::int64_t s) {
      return (links + (bytes + s - 1) / s) * (start + s * byte);
    };
    std::int64_t s = portion;
    const std::int64_t step = s > 1 && at(s - 1) < at(s) ? -1 : 1;
    while (s + step >= 1 && s + step <= bytes && at(s + step) < at(s)) {
      s += step;
    }
    CAPTURE(links, bytes, start, byte, portion);
    const double unit = 1e-9;
    CHECK(pipelined_message_time(links + 1, static_cast<double>(bytes),
                                 static_cast<double>(start) * unit,
                                 static_cast<double>(byte) * unit) ==
          Approx(static_cast<double>(at(s)) * unit).epsilon(1e-12));
  }
}

TEST_CASE("the portion is the local minimum that a walk from S* finds") {
  std::mt19937 random(5);
  for (int round = 0; round < 3000; ++round) {
    const auto distance = static_cast<std::int64_t>(2 + random() % 12);
    const auto bytes = static_cast<std::int64_t>(1 + random() % 3000);
    const double start = static_cast<double>(1 + random() % 50) * 0.5;
    const double byte = static_cast<double>(1 + random() % 50) * 0.01;
    const double time = pipelined_message_time(distance, static_cast<double>(bytes), start, byte);
    const double best = best_portion_time(distance, bytes, start, byte);
    CAPTURE(distance, bytes, start, byte);
    CHECK(time >= best * (1.0 - 1e-12));
    CHECK(time <= best * 1.25);  // ⌈L/S⌉ makes steps around the minimum
    // The walk, written down as the model says it.
    const auto at = [&](std::int64_t s) {
      return static_cast<double>(distance - 1 + (bytes + s - 1) / s) *
             (start + static_cast<double>(s) * byte);
    };
    auto s = static_cast<std::int64_t>(std::floor(std::sqrt(
        static_cast<double>(bytes) * start / (static_cast<double>(distance - 1) * byte))));
    s = std::clamp<std::int64_t>(s, 1, bytes);
    if (s > 1 && at(s - 1) < at(s)) {
      while (s > 1 && at(s - 1) < at(s)) {
        --s;
      }
    } else {
      while (s < bytes && at(s + 1) < at(s)) {
        ++s;
      }
    }
    CHECK(time == Approx(at(s)).epsilon(1e-12));
  }
}

TEST_CASE("a communication on a grid of links lasts as long as its farthest message") {
  const machine::Cluster cluster = machine::Cluster::parse(
      "cluster = c; c = {64 x p}; c.CommType = transputer; c.TStart = 2; c.TByte = 1; p = 1;",
      "links.par");
  const machine::ProcessorSystem system = cluster.expand(16);
  Networks networks(system);
  networks.reset(machine::Grid::parse("4x4"));
  Communication communication;
  // Distances on 4x4: 0-1: 1, 0-5: 2, 5-15: 4 (two of them; the larger counts), 8-9: 1.
  communication.transfers = {
      {0, 1, 5000.0}, {0, 5, 300.0}, {5, 15, 30.0}, {15, 5, 70.0}, {8, 9, 1.0}};
  std::vector<double> ends(16);
  networks.run(communication, 0.5, ends);
  // 70 bytes over 4 links: S* = sqrt(140 / 3), S' = 6: (3 + 12) * 8 = 120. The smaller neighbour,
  // 5: (3 + 14) * 7 = 119, is better; 4: (3 + 18) * 6 = 126 is not.
  const double time = 119e-6;
  for (const std::size_t p : {0U, 1U, 5U, 15U, 8U, 9U}) {
    CHECK(ends[p] - 0.5 == Approx(time).epsilon(1e-9));
  }
  CHECK(ends[2] == 0.5);
}

TEST_CASE("a second phase starts when the last transfer of the first has ended") {
  const machine::Cluster cluster = machine::Cluster::parse(paper, "paper.par");
  const machine::ProcessorSystem system = cluster.expand(6);
  Networks networks(system);
  networks.reset(machine::Grid::parse("6"));
  Communication communication;
  communication.transfers = {{1, 0, 1000.0}, {2, 0, 1000.0}, {4, 0, 1000.0},
                             {0, 1, 1000.0}, {0, 2, 1000.0}, {0, 3, 1000.0}};
  communication.later_phases = {3};
  std::vector<double> ends(6);
  networks.run(communication, 0.0, ends);
  // First phase: 2 us inside, 11 and 22 us between nodes. Second: from 22 us on.
  CHECK(ends[4] * 1e6 == Approx(22.0));
  CHECK(ends[1] * 1e6 == Approx(24.0));
  CHECK(ends[2] * 1e6 == Approx(33.0));
  CHECK(ends[3] * 1e6 == Approx(44.0));
  CHECK(ends[0] * 1e6 == Approx(44.0));
  CHECK(ends[5] == 0.0);
}

TEST_CASE("what a profile occupies is what a run occupies") {
  std::mt19937 random(6);
  const machine::Cluster cluster = machine::Cluster::parse(
      "cluster = c; c = {4 x n}; c.CommType = myrinet (3); c.TStart = 7; c.TByte = 1;"
      "n = {3 x p}; n.CommType = ethernet; n.TStart = 1; n.TByte = 1; p = 1;",
      "tree.par");
  const machine::ProcessorSystem system = cluster.expand(12);
  const machine::Grid grid = machine::Grid::parse("3x4");
  for (int round = 0; round < 200; ++round) {
    Networks run(system);
    Networks occupied(system);
    run.reset(grid);
    occupied.reset(grid);
    Networks idle(system);
    double start = 0.0;
    std::vector<double> ends(12);
    for (int k = 0; k < 4; ++k) {
      Communication communication;
      for (int t = 0; t < 8; ++t) {
        communication.transfers.push_back({static_cast<std::uint32_t>(random() % 12),
                                           static_cast<std::uint32_t>(random() % 12),
                                           static_cast<double>(random() % 20)});
      }
      normalize(communication.transfers);
      Profile profile;
      idle.reset(grid);
      idle.profile(communication, ends, profile);
      REQUIRE(occupied.idle_for(profile, start));
      occupied.occupy(std::make_shared<Profile>(profile), start);
      run.run(communication, start, ends);
      for (std::size_t p = 0; p < 12; ++p) {
        CHECK(ends[p] == Approx(start + profile.ends[p]).margin(1e-12));
      }
      start += *std::max_element(profile.ends.begin(), profile.ends.end());
    }
    // Both leave the same gaps.
    for (int probe = 0; probe < 20; ++probe) {
      const Transfer transfer{static_cast<std::uint32_t>(random() % 6),
                              static_cast<std::uint32_t>(6 + random() % 6), 5.0};
      const double at = start * static_cast<double>(random() % 100) * 0.01;
      CHECK(run.send(transfer, at) == Approx(occupied.send(transfer, at)).margin(1e-11));
    }
  }
}

TEST_CASE("normal form of a list of transfers") {
  std::vector<Transfer> transfers{{3, 1, 5.0}, {0, 2, 1.0}, {1, 1, 9.0},
                                  {3, 1, 2.0}, {0, 1, 0.0}, {0, 1, 4.0}};
  normalize(transfers);
  REQUIRE(transfers.size() == 3);
  CHECK((transfers[0].from == 0 && transfers[0].to == 1 && transfers[0].bytes == 4.0));
  CHECK((transfers[1].from == 0 && transfers[1].to == 2 && transfers[1].bytes == 1.0));
  CHECK((transfers[2].from == 3 && transfers[2].to == 1 && transfers[2].bytes == 7.0));
}

TEST_CASE("many transfers in their normal form, of which some are between the same pair") {
  std::mt19937 random(4);
  std::vector<Transfer> transfers(60000);
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> sums;
  for (Transfer& transfer : transfers) {
    transfer = {static_cast<std::uint32_t>(random() % 150),
                static_cast<std::uint32_t>(random() % 200), static_cast<double>(random() % 8)};
    if (transfer.from != transfer.to && transfer.bytes > 0.0) {
      sums[{transfer.from, transfer.to}] += transfer.bytes;
    }
  }
  normalize(transfers);
  REQUIRE(transfers.size() == sums.size());
  auto sum = sums.begin();
  for (const Transfer& transfer : transfers) {
    CHECK((std::pair(transfer.from, transfer.to) == sum->first && transfer.bytes == sum->second));
    ++sum;
  }
}

}  // namespace gridcast::network
