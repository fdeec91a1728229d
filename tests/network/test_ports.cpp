// Closed forms of networks of type ports, which messages share (docs/model.md §4; LogGP's L, o, g
// and G).

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <utility>
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
  /// Of a port, for a message among others.
  [[nodiscard]] double length(double bytes) const { return std::max(gap, bytes * byte); }
  /// From the first send of n equal messages in a port on, until all are through.
  [[nodiscard]] double shared(double n, double bytes) const {
    return (n - 1.0) * length(bytes) + bytes * byte;
  }
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
      f(ports, bytes, bytes * ports.byte);
    }
  }
}

Approx exactly(double value) { return Approx(value).epsilon(1e-9).margin(1e-12); }

}  // namespace

TEST_CASE("ports: one message, whatever the gap") {
  for_all_ports([](const Ports& c, double bytes, double alone) {
    Communication one;
    one.transfers = {{1, 2, bytes}};
    const std::vector<double> ends = ends_of(c, 4, one, 10.0);
    CHECK(ends[0] == 10.0);
    CHECK(ends[1] == exactly(10.0 + c.send + alone));
    CHECK(ends[2] == exactly(10.0 + c.send + c.latency + alone + c.receive));
    CHECK(ends[3] == 10.0);
  });
}

TEST_CASE("ports: k messages out of one port are through together") {
  for_all_ports([](const Ports& c, double bytes, double alone) {
    Communication fan;
    for (std::uint32_t k = 1; k < 9; ++k) {
      fan.transfers.push_back({0, k, bytes});
    }
    const std::vector<double> ends = ends_of(c, 9, fan);
    for (std::uint32_t k = 1; k < 9; ++k) {
      const double sent = std::max(k * c.send + alone, c.send + c.shared(8, bytes));
      CHECK(ends[k] == exactly(sent + c.latency + c.receive));
    }
    CHECK(ends[0] == exactly(std::max(8 * c.send + alone, c.send + c.shared(8, bytes))));
  });
}

TEST_CASE("ports: k messages into one port arrive together and are taken one after the other") {
  for_all_ports([](const Ports& c, double bytes, double alone) {
    Communication fan;
    for (std::uint32_t p = 1; p < 9; ++p) {
      fan.transfers.push_back({p, 0, bytes});
    }
    const std::vector<double> ends = ends_of(c, 9, fan);
    CHECK(ends[0] == exactly(c.send + c.shared(8, bytes) + c.latency + 8 * c.receive));
    CHECK(ends[5] == exactly(c.send + alone));
  });
}

TEST_CASE("ports: messages of several lengths are through in the order of their lengths") {
  const Ports c{5, 0, 0, 0, 0.5};
  Communication fan;
  fan.transfers = {{0, 1, 20}, {0, 2, 4}, {0, 3, 8}, {0, 4, 4}};
  const std::vector<double> ends = ends_of(c, 5, fan);
  CHECK(ends[2] == exactly(5 + 4 * 2));
  CHECK(ends[4] == ends[2]);
  CHECK(ends[3] == exactly(5 + 4 * 2 + 2 * 2));
  CHECK(ends[1] == exactly(5 + 4 * 2 + 2 * 2 + 6));
  CHECK(ends[0] == exactly(18));
}

TEST_CASE("ports: shadow exchange on a line and on a ring") {
  for_all_ports([](const Ports& c, double bytes, double alone) {
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
    std::vector<double> ends = ends_of(c, last + 1, exchange);
    const double both = c.send + c.shared(2, bytes) + c.latency;  // two in a port
    const double second = std::max(2 * c.send + alone + c.latency, both);
    const auto taken = [&](double earlier, double later) {
      return std::max(earlier + c.receive, later) + c.receive;
    };
    CHECK(ends[0] == exactly(both + c.receive));
    // Both neighbours send to processor 1 first.
    CHECK(ends[1] == exactly(std::max(2 * c.send, both) + 2 * c.receive));
    for (std::uint32_t p = 2; p < last; ++p) {
      CHECK(ends[p] == exactly(taken(std::max(2 * c.send, both), second)));
    }
    CHECK(ends[last] == exactly(second + c.receive));
    if (c.send > 0.0) {
      return;
    }
    exchange.transfers.push_back({0, last, bytes});
    exchange.transfers.push_back({last, 0, bytes});
    normalize(exchange.transfers);
    ends = ends_of(c, last + 1, exchange);
    for (const double end : ends) {
      CHECK(end == exactly(c.shared(2, bytes) + c.latency + 2 * c.receive));
    }
  });
}

TEST_CASE("ports: shadow exchange on a grid without wrap-around") {
  constexpr std::int64_t rows = 7;
  constexpr std::int64_t columns = 8;
  // The messages of a processor: up and down, to the sides.
  const auto neighbours = [](std::int64_t row, std::int64_t column) {
    const std::int64_t vertical = (row > 0 ? 1 : 0) + (row + 1 < rows ? 1 : 0);
    const std::int64_t horizontal = (column > 0 ? 1 : 0) + (column + 1 < columns ? 1 : 0);
    return std::pair(static_cast<double>(vertical), static_cast<double>(horizontal));
  };
  for (const Ports& c : {Ports{5, 0, 0, 0, 0.5}, Ports{3, 0, 0, 5, 1}, Ports{1, 0, 0, 20, 1}}) {
    const double up_bytes = 40;
    const double side_bytes = 12;
    Communication exchange;
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t column = 0; column < columns; ++column) {
        const auto p = static_cast<std::uint32_t>(row * columns + column);
        for (std::int64_t q = 0; q < rows * columns; ++q) {
          const std::int64_t far = std::abs(q / columns - row) + std::abs(q % columns - column);
          if (far == 1) {
            exchange.transfers.push_back(
                {p, static_cast<std::uint32_t>(q), q % columns == column ? up_bytes : side_bytes});
          }
        }
      }
    }
    const std::vector<double> ends = ends_of(c, rows * columns, exchange);
    // Σ min(d_i, d) over the messages of a processor, in the same as out.
    const auto served = [&](std::int64_t row, std::int64_t column, double d) {
      const auto [vertical, horizontal] = neighbours(row, column);
      return vertical * std::min(c.length(up_bytes), d) +
             horizontal * std::min(c.length(side_bytes), d);
    };
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t column = 0; column < columns; ++column) {
        double last = 0.0;
        for (std::int64_t other = 0; other < rows * columns; ++other) {
          const std::int64_t r = other / columns;
          const std::int64_t k = other % columns;
          if (std::abs(r - row) + std::abs(k - column) != 1) {
            continue;
          }
          const double bytes = k == column ? up_bytes : side_bytes;
          const double d = c.length(bytes);
          const double most = std::max(served(row, column, d), served(r, k, d));
          last = std::max(last, most - (d - bytes * c.byte));
        }
        CHECK(ends[static_cast<std::size_t>(row * columns + column)] == exactly(last + c.latency));
      }
    }
  }
}

TEST_CASE("ports: all-to-all, in one network and over nodes") {
  for (const Ports& c : {Ports{5, 0, 0, 0, 0.5}, Ports{3, 0, 0, 7, 0.5}}) {
    constexpr std::uint32_t processors = 12;
    Communication all;
    for (std::uint32_t p = 0; p < processors; ++p) {
      for (std::uint32_t q = 0; q < processors; ++q) {
        if (p != q) {
          all.transfers.push_back({p, q, 8});
        }
      }
    }
    for (const double end : ends_of(c, processors, all)) {
      CHECK(end == exactly(c.latency + c.shared(processors - 1, 8)));
    }
    // Nodes of 4: 4 * 8 messages leave each and enter it.
    machine::ProcessorSystem system = c.system(processors);
    const machine::Network inside = system.networks.front();
    system.networks.insert(system.networks.end(), 3, inside);
    system.networks.front().byte_time *= 2;
    system.levels = 2;
    for (std::uint32_t p = 0; p < processors; ++p) {
      system.ancestors.push_back(1 + p / 4);
    }
    Networks networks(system);
    networks.reset(machine::Grid::parse("12"));
    std::vector<double> ends(processors);
    networks.run(all, 0.0, ends);
    const Ports between{c.latency, 0, 0, c.gap, 2 * c.byte};
    for (const double end : ends) {
      CHECK(end == exactly(c.latency + between.shared(4 * 8, 8)));
    }
    std::erase_if(all.transfers, [](const Transfer& each) { return each.from / 4 != each.to / 4; });
    networks.reset(machine::Grid::parse("12"));
    networks.run(all, 0.0, ends);
    for (const double end : ends) {
      CHECK(end == exactly(c.latency + c.shared(3, 8)));
    }
  }
}

TEST_CASE("ports: linear reduction") {
  for_all_ports([](const Ports& c, double bytes, double alone) {
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
    const double gathered = c.send + c.shared(6, bytes) + c.latency + 6 * c.receive;
    const auto sent = [&](double number) {
      return gathered + std::max(number * c.send + alone, c.send + c.shared(6, bytes));
    };
    for (std::uint32_t p = 1; p < members; ++p) {
      CHECK(ends[p] == exactly(sent(p) + c.latency + c.receive));
    }
    CHECK(ends[0] == exactly(sent(6)));
  });
}

TEST_CASE("ports: a tree of messages, each a communication of its own") {
  for_all_ports([](const Ports& c, double bytes, double alone) {
    constexpr int rounds = 4;
    constexpr std::uint32_t members = 1U << rounds;
    const double message = c.send + c.latency + alone + c.receive;
    if (c.length(bytes) > message) {
      return;  // what remains of a message is in the way of the next round
    }
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
    // The gap of the message before remains where the next is ready before that.
    const double next = std::max(c.send + alone, c.length(bytes));
    CHECK(ends[0] == exactly(rounds * message + c.send + alone + (rounds - 1) * next));
    // The last of them is reached through all rounds.
    CHECK(ends[members - 1] == exactly(2 * rounds * message));
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
  // Both processors of node 0 send out: they share its port, and prepare their messages side by
  // side.
  run({{0, 2, 8}, {1, 4, 8}});
  for (const std::size_t receiver : {2U, 4U}) {
    CHECK(ends[receiver] == exactly(1 + 2 * 4 + 5 + 2));
  }
  for (const std::size_t sender : {0U, 1U}) {
    CHECK(ends[sender] == exactly(1 + 2 * 4));
  }
  // To two processors of one node: they share its port, but each receives for itself.
  run({{0, 4, 8}, {2, 5, 8}});
  CHECK(ends[4] == exactly(1 + 2 * 4 + 5 + 2));
  CHECK(ends[5] == exactly(1 + 2 * 4 + 5 + 2));
  // Inside a node the ports are those of its processors and nothing is paid; what leaves the node
  // is ready after the sends of that network only.
  run({{0, 1, 8}, {0, 2, 8}});
  CHECK(ends[1] == exactly(1 + 2));
  CHECK(ends[2] == exactly(1 + 5 + 4 + 2));
}

TEST_CASE("ports: communications that overlap share what remains") {
  const Ports c{5, 0, 0, 0, 1};
  const machine::ProcessorSystem system = c.system(4);
  Networks networks(system);
  networks.reset(machine::Grid::parse("4"));
  std::vector<double> ends(4);
  const auto run = [&](const Transfer& transfer, double start) {
    Communication one;
    one.transfers = {transfer};
    networks.run(one, start, ends);
    return ends[transfer.to];
  };
  CHECK(run({0, 2, 10}, 0.0) == 15.0);
  // Worked out later, but begun earlier: alone until 0.
  CHECK(run({1, 2, 4}, -4.0) == 5.0);
  CHECK(run({3, 2, 5}, -1.0) == 13.0);  // 4 of it share the port with 4 of the first
  CHECK(ends[3] == 4.0);
  // At 2 each has been served 1 of 10 and 4.
  CHECK(run({1, 2, 6}, 2.0) == 2.0 + (6 + 6 + 3) + 5);
  // At 20 nothing remains of 10 + 4 + 6.
  CHECK(run({0, 2, 1}, 20.0) == 26.0);
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
  networks.occupy(std::make_shared<Profile>(profile), 0.0);
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
  // Both messages of processor 0 share its port from 11 on.
  CHECK(ends[0] == exactly(20 + 1 + 4 + 5 + 2 + 100));
  CHECK(ends[1] == exactly(11 + 2 * 4 + 5 + 2));
  CHECK(ends[2] == exactly(11 + 2 * 4 + 5 + 2 + 200));
  CHECK(ends[3] == 0.0);
}

}  // namespace gridcast::network
