// Rounds by blocks of processors beside the same rounds message by message.

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "compared.h"
#include "gridcast/network/networks.h"
#include "gridcast/network/port_rounds.h"

namespace gridcast::network {
namespace {

/// Each processor below the end sends to the one `distance` further and the reverse, in pairs.
std::vector<Transfer> pairs(std::uint32_t processors, std::uint32_t distance, double bytes) {
  std::vector<Transfer> round;
  for (std::uint32_t p = 0; p < processors; ++p) {
    const std::uint32_t other = (p / distance) % 2 == 0 ? p + distance : p - distance;
    if (other < processors) {
      round.push_back({p, other, p % 97 == 0 ? 2 * bytes : bytes});
    }
  }
  return round;
}

}  // namespace

TEST_CASE("rounds over ports by blocks of processors are those of message after message") {
  std::mt19937 draw(7);
  const auto pick = [&](auto list) { return *(list.begin() + draw() % list.size()); };
  using Texts = std::initializer_list<const char*>;
  for (int i = 0; i < 60; ++i) {
    const auto network = [&](const std::string& name) {
      std::string text = name + ".CommType = ports;";
      const auto add = [&](const char* cost, Texts values) {
        text += name + "." + cost + " = " + pick(values) + ";";
      };
      add("TStart", {"0", "1.5", "9"});
      add("TByte", {"0.01", "0.3"});
      add("TGap", {"0", "2", "40"});
      add("TSend", {"0", "0.7"});
      add("TRecv", {"0", "1.1"});
      return text;
    };
    const auto processors =
        static_cast<std::uint32_t>(pick(std::initializer_list<int>{9, 96, 257, 700}));
    const bool tree = draw() % 3 != 0;
    std::string text = "cluster = c; p = 1; m = {3 x p}; n = {5 x m}; c = {" +
                       std::string(tree ? "60 x n" : "900 x p") + "};";
    for (const char* name : {"m", "n", "c"}) {
      text += network(name);
    }
    const machine::Cluster cluster = machine::Cluster::parse(text, "drawn.par");
    CAPTURE(text, processors);

    Communication all;
    Interruption interruption;
    const std::vector<NetworkLevel> levels = network_levels(cluster, processors, Queues::ports);
    REQUIRE(!levels.empty());
    PortRounds rounds(levels, processors, interruption);
    for (int round = 0; round < 6; ++round) {
      const auto distance = pick(std::initializer_list<std::uint32_t>{1, 2, 4, 7, 15, 64, 128});
      const double bytes = pick(std::initializer_list<double>{8.0, 24.0, 500.0});
      const std::vector<Transfer> messages = pairs(processors, distance, bytes);
      if (!messages.empty()) {
        all.rounds.push_back(all.transfers.size());
        all.transfers.insert(all.transfers.end(), messages.begin(), messages.end());
        rounds.run(messages);
      }
    }
    const machine::ProcessorSystem system = cluster.expand(processors);
    Networks networks(system);
    networks.reset(machine::Grid::parse(std::to_string(processors)));
    Profile expected;
    std::vector<double> ends(processors);
    networks.profile(all, ends, expected);
    const std::vector<double> found = rounds.ends();
    REQUIRE(found.size() == expected.ends.size());
    for (std::size_t p = 0; p < found.size(); ++p) {
      CHECK(found[p] == Approx(expected.ends[p]).epsilon(1e-13));
    }
    CHECK(rounds.busy() == Approx(expected.busy).epsilon(1e-13));
    const std::vector<double> overheads = rounds.overheads();
    for (std::size_t p = 0; p < expected.overheads.size(); ++p) {
      const double own = overheads.empty() ? 0.0 : overheads[p];
      CHECK(own == Approx(expected.overheads[p]).epsilon(1e-13));
    }
    CHECK((!expected.overheads.empty() || overheads.empty()));
  }
}

}  // namespace gridcast::network
