// Closed forms of networks of type ports (docs/model.md §4; LogGP's L, o, g and G).

#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "gridcast/network/networks.h"

namespace gridcast::network {
namespace {

/// A flat network of ports, seconds.
struct Ports {
  double latency, send, receive, gap, byte;

  [[nodiscard]] machine::ProcessorSystem system(std::size_t processors) const {
    machine::ProcessorSystem system;
    system.performance.assign(processors, 1.0);
    system.networks = {{machine::NetworkType::ports, 1, latency, byte, send, receive, gap}};
    system.levels = 1;
    system.ancestors.assign(processors, 0);
    return system;
  }
  /// In a port.
  [[nodiscard]] double length(double bytes) const { return std::max(gap, bytes * byte); }
};

// Overheads below and above the gap and the time of the bytes.
const std::vector<Ports> all_ports{{5, 0, 0, 0, 0.5},      {5, 1, 2, 0, 0.5},    {5, 8, 1, 3, 0.25},
                                   {0.5, 1, 9, 7, 0.125},  {0, 0, 0, 2, 0},      {3, 2, 2, 2, 0.25},
                                   {100, 0.5, 0.25, 0, 1}, {1, 0.5, 0.5, 16, 1}, {2, 3, 4, 0, 0}};
const std::vector<double> sizes{1, 4, 8, 40};

std::vector<double> ends_of(const Ports& ports, std::size_t processors,
                            const Communication& communication, double start = 0.0) {
  const machine::ProcessorSystem system = ports.system(processors);
  Networks networks(system);
  const std::vector<std::int64_t> line{static_cast<std::int64_t>(processors)};
  networks.reset(machine::Grid(line));
  std::vector<double> ends(processors);
  networks.run(communication, start, ends);
  return ends;
}

template <class F>
void for_all_ports(F&& f) {
  for (const Ports& ports : all_ports) {
    for (const double bytes : sizes) {
      CAPTURE(ports.latency, ports.send, ports.receive, ports.gap, ports.byte, bytes);
      f(ports, bytes, ports.length(bytes));
    }
  }
}

Approx exactly(double value) { return Approx(value).epsilon(1e-9).margin(1e-12); }

}  // namespace

TEST_CASE("ports: one message") {
  for_all_ports([](const Ports& c, double bytes, double d) {
    Communication one;
    one.transfers = {{1, 2, bytes}};
    const std::vector<double> ends = ends_of(c, 4, one, 10.0);
    CHECK(ends[0] == 10.0);
    CHECK(ends[1] == exactly(10.0 + c.send + d));
    CHECK(ends[2] == exactly(10.0 + c.send + c.latency + d + c.receive));
    CHECK(ends[3] == 10.0);
  });
}

TEST_CASE("ports: k messages out of one node leave one after the other") {
  for_all_ports([](const Ports& c, double bytes, double d) {
    Communication fan;
    for (std::uint32_t k = 1; k < 9; ++k) {
      fan.transfers.push_back({0, k, bytes});
    }
    const std::vector<double> ends = ends_of(c, 9, fan);
    const double step = std::max(d, c.send);
    for (std::uint32_t k = 1; k < 9; ++k) {
      CHECK(ends[k] == exactly(c.send + (k - 1) * step + c.latency + d + c.receive));
    }
    CHECK(ends[0] == exactly(c.send + 7 * step + d));
  });
}

TEST_CASE("ports: all messages to one node arrive one after the other") {
  for_all_ports([](const Ports& c, double bytes, double d) {
    Communication fan;
    for (std::uint32_t p = 1; p < 9; ++p) {
      fan.transfers.push_back({p, 0, bytes});
    }
    const std::vector<double> ends = ends_of(c, 9, fan);
    CHECK(ends[0] == exactly(c.send + c.latency + d + 7 * std::max(d, c.receive) + c.receive));
    CHECK(ends[5] == exactly(c.send + d));
  });
}

TEST_CASE("ports: shadow exchange on a line") {
  for_all_ports([](const Ports& c, double bytes, double d) {
    constexpr std::uint32_t last = 9;
    Communication exchange;
    for (std::uint32_t p = 0; p <= last; ++p) {
      if (p > 0) {
        exchange.transfers.push_back({p, p - 1, bytes});
      }
      if (p < last) {
        exchange.transfers.push_back({p, p + 1, bytes});
      }
    }
    const std::vector<double> ends = ends_of(c, last + 1, exchange);
    const double first = c.send + c.latency + d;  // arrival of what is sent first
    const double second = first + std::max(c.send, d);
    const auto taken = [&](double earlier, double later) {
      return std::max(std::max(2 * c.send, earlier) + c.receive, later) + c.receive;
    };
    CHECK(ends[0] == exactly(first + c.receive));
    // Both neighbours send to processor 1 first.
    CHECK(ends[1] == exactly(taken(first, first + d)));
    for (std::uint32_t p = 2; p < last; ++p) {
      CHECK(ends[p] == exactly(taken(first, second)));
    }
    CHECK(ends[last] == exactly(second + c.receive));
  });
}

TEST_CASE("ports: shadow exchange on a grid without wrap-around") {
  constexpr std::uint32_t rows = 7;
  constexpr std::uint32_t columns = 8;
  // Overheads that fit into the time of the shorter message, so that the ports decide.
  for (const Ports& c : {Ports{5, 0, 0, 0, 0.5}, Ports{3, 1, 2, 0, 0.5}, Ports{0, 0.5, 4, 5, 1}}) {
    const double up_bytes = 40;
    const double side_bytes = 12;
    Communication exchange;
    for (std::uint32_t p = 0; p < rows * columns; ++p) {
      const std::uint32_t row = p / columns;
      const std::uint32_t column = p % columns;
      if (row > 0) {
        exchange.transfers.push_back({p, p - columns, up_bytes});
      }
      if (column > 0) {
        exchange.transfers.push_back({p, p - 1, side_bytes});
      }
      if (column + 1 < columns) {
        exchange.transfers.push_back({p, p + 1, side_bytes});
      }
      if (row + 1 < rows) {
        exchange.transfers.push_back({p, p + columns, up_bytes});
      }
    }
    const std::vector<double> ends = ends_of(c, rows * columns, exchange);
    const double up = c.length(up_bytes);
    const double side = c.length(side_bytes);
    // Two steps from every border each port is used without a pause: all four messages.
    for (std::uint32_t row = 2; row + 2 < rows; ++row) {
      for (std::uint32_t column = 2; column + 2 < columns; ++column) {
        CHECK(ends[row * columns + column] ==
              exactly(c.send + c.latency + 2 * up + 2 * side + c.receive));
      }
    }
    // Processor 0: the first messages of both neighbours.
    CHECK(ends[0] == exactly(c.send + c.latency + up + side + c.receive));
  }
}

TEST_CASE("ports: linear reduction") {
  for_all_ports([](const Ports& c, double bytes, double d) {
    constexpr std::uint32_t members = 7;
    Communication reduction;
    for (std::uint32_t p = 1; p < members; ++p) {
      reduction.transfers.push_back({p, 0, bytes});
    }
    reduction.later_phases = {reduction.transfers.size()};
    for (std::uint32_t p = 1; p < members; ++p) {
      reduction.transfers.push_back({0, p, bytes});
    }
    const std::vector<double> ends = ends_of(c, members, reduction);
    const double gathered =
        c.send + c.latency + d + c.receive + (members - 2) * std::max(d, c.receive);
    const double step = std::max(d, c.send);
    for (std::uint32_t p = 1; p < members; ++p) {
      CHECK(ends[p] == exactly(gathered + c.send + c.latency + d + c.receive + (p - 1) * step));
    }
    CHECK(ends[0] == exactly(gathered + c.send + (members - 2) * step + d));
  });
}

TEST_CASE("ports: a tree of messages, each a communication of its own") {
  for_all_ports([](const Ports& c, double bytes, double d) {
    constexpr int rounds = 4;
    constexpr std::uint32_t members = 1U << rounds;
    Communication tree;
    tree.one_by_one = true;
    for (int k = 0; k < rounds; ++k) {
      for (std::uint32_t i = 1U << k; i < members; i += 2U << k) {
        tree.transfers.push_back({i, i - (1U << k), bytes});
      }
    }
    for (int k = rounds; k-- > 0;) {
      for (std::uint32_t i = 1U << k; i < members; i += 2U << k) {
        tree.transfers.push_back({i - (1U << k), i, bytes});
      }
    }
    const std::vector<double> ends = ends_of(c, members, tree);
    const double message = c.send + c.latency + d + c.receive;
    CHECK(ends[0] == exactly(rounds * message + rounds * (c.send + d)));
    // The last of them is reached through all rounds.
    CHECK(ends[members - 1] == exactly(2 * rounds * message));
    CHECK(*std::max_element(ends.begin(), ends.end()) == ends[members - 1]);
  });
}

TEST_CASE("ports: a node with all its processors is one member") {
  const machine::Cluster cluster = machine::Cluster::parse(
      "cluster = c; c = {4 x n}; c.CommType = ports; c.TStart = 5; c.TByte = 0.5; c.TSend = 1;"
      "c.TRecv = 2; n = {2 x p}; n.CommType = ports; n.TStart = 1; n.TByte = 0.25; p = 1;",
      "nodes.par");
  const machine::ProcessorSystem system = cluster.expand(8);
  Networks networks(system);
  networks.reset(machine::Grid::parse("8"));
  std::vector<double> ends(8);
  const auto run = [&](std::vector<Transfer> transfers) {
    networks.reset(machine::Grid::parse("8"));
    Communication communication;
    communication.transfers = std::move(transfers);
    networks.run(communication, 0.0, ends);
    for (double& end : ends) {
      end *= 1e6;
    }
  };
  // Both processors of node 0 send out: its port carries them one after the other, its processors
  // prepare them side by side.
  run({{0, 2, 8}, {1, 4, 8}});
  CHECK(ends[2] == exactly(1 + 5 + 4 + 2));
  CHECK(ends[4] == exactly(1 + 4 + 5 + 4 + 2));
  CHECK(ends[0] == exactly(1 + 4));
  CHECK(ends[1] == exactly(1 + 4 + 4));
  // To two processors of one node: one port, but each receives for itself.
  run({{0, 4, 8}, {2, 5, 8}});
  CHECK(ends[4] == exactly(1 + 5 + 4 + 2));
  CHECK(ends[5] == exactly(1 + 5 + 4 + 4 + 2));
  // Inside a node the ports are those of its processors and nothing is paid; what leaves the node
  // is ready after the sends of that network only.
  run({{0, 1, 8}, {0, 2, 8}});
  CHECK(ends[1] == exactly(1 + 2));
  CHECK(ends[2] == exactly(1 + 5 + 4 + 2));
}

TEST_CASE("ports: communications that overlap contend for ports, and find gaps") {
  const Ports c{5, 0, 0, 0, 1};
  const machine::ProcessorSystem system = c.system(4);
  Networks networks(system);
  networks.reset(machine::Grid::parse("4"));
  std::vector<double> ends(4);
  Communication first;
  first.transfers = {{0, 2, 10}};
  networks.run(first, 0.0, ends);
  CHECK(ends[2] == 15.0);
  // Its port in is taken from 5 to 15: 4 bytes from 1 arrive before that, 5 after.
  Communication second;
  second.transfers = {{1, 2, 4}};
  networks.run(second, -4.0, ends);
  CHECK(ends[2] == 5.0);
  second.transfers = {{3, 2, 5}};
  networks.run(second, -1.0, ends);
  CHECK(ends[2] == 20.0);
  CHECK(ends[3] == 4.0);
}

TEST_CASE("ports: a profile is what a run does, and repeats it") {
  const Ports c{5, 1, 2, 3, 0.5};
  const machine::ProcessorSystem system = c.system(5);
  Networks networks(system);
  networks.reset(machine::Grid::parse("5"));
  Communication exchange;
  exchange.transfers = {{0, 1, 8}, {1, 0, 8}, {1, 2, 8}, {2, 1, 8}, {2, 3, 40}, {3, 2, 8}};
  std::vector<double> ends(5);
  Profile profile;
  networks.profile(exchange, ends, profile);
  networks.run(exchange, 0.0, ends);
  for (std::size_t p = 0; p < ends.size(); ++p) {
    CHECK(profile.ends[p] == exactly(ends[p]));
  }
  // Two sends and two receives cost processor 1 that much of its own time.
  CHECK(profile.overheads == std::vector<double>{3, 6, 6, 3, 0});
  networks.reset(machine::Grid::parse("5"));
  networks.occupy(profile, 0.0);
  CHECK_FALSE(networks.idle_for(profile, 1.0));
  CHECK(networks.idle_for(profile, networks.busy_until()));
}

TEST_CASE("ports: packing comes before the first send, unpacking after the last receive") {
  const Ports c{5, 1, 2, 0, 0.5};
  Communication exchange;
  exchange.transfers = {{0, 1, 8}, {0, 2, 8}, {1, 0, 8}};
  exchange.packing = {10, 20, 0, 0};
  exchange.unpacking = {100, 0, 200, 0};
  const std::vector<double> ends = ends_of(c, 4, exchange);
  CHECK(ends[0] == exactly(20 + 1 + 5 + 4 + 2 + 100));
  CHECK(ends[1] == exactly(20 + 1 + 4));  // its own send; what 0 sends arrived before
  CHECK(ends[2] == exactly(10 + 1 + 4 + 5 + 4 + 2 + 200));
  CHECK(ends[3] == 0.0);
}

}  // namespace gridcast::network
