// The lemmas of docs/search.md on messages: their least times against networks that carry them.

#include <algorithm>
#include <map>
#include <random>

#include "bound/least_machine.h"
#include "fixture.h"
#include "gridcast/network/least.h"
#include "gridcast/network/networks.h"

namespace gridcast::model::test {
namespace {

using Random = std::mt19937;

std::int64_t at_most(Random& random, std::int64_t most) {
  return 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most));
}

machine::Cluster random_machine(Random& random) {
  const char* const types[] = {"ethernet", "myrinet (3)", "transputer", "ports"};
  const std::string top = types[random() % 4];
  const std::string inner = types[random() % 4];
  const auto network = [&](const std::string& name, const std::string& type) {
    std::string text = name + ".CommType = " + type + "; " + name +
                       ".TStart = " + std::to_string(at_most(random, 9)) + "; " + name +
                       ".TByte = " + std::to_string(0.01 * static_cast<double>(random() % 9)) + ";";
    if (type == "ports") {
      text += name + ".TSend = " + std::to_string(random() % 3) + "; " + name +
              ".TRecv = " + std::to_string(random() % 3) + "; " + name +
              ".TGap = " + std::to_string(random() % 4) + ";";
    }
    return text;
  };
  return machine::Cluster::parse("cluster = c; c = {64 x n}; n = {" +
                                     std::to_string(at_most(random, 5)) + " x p}; p = 1; " +
                                     network("c", top) + network("n", inner),
                                 "random.par");
}

/// The last end of transfers on networks that carry something else before.
double last_end(network::Networks& networks, const network::Communication& communication,
                std::size_t processors) {
  std::vector<double> ends(processors);
  networks.run(communication, 0.0, ends);
  return *std::max_element(ends.begin(), ends.end());
}

}  // namespace

TEST_CASE("a way over links is never shorter than with parts of portions") {
  Random random(8);
  const machine::Cluster cluster = flat("transputer", 7.0, 0.01);
  const machine::Network& links = cluster.nodes()[cluster.root()].network;
  for (int round = 0; round < 3000; ++round) {
    const std::int64_t distance = at_most(random, 2000);
    const auto bytes = static_cast<double>(at_most(random, 100'000));
    const double time =
        network::pipelined_message_time(distance, bytes, links.start_time, links.byte_time);
    for (const std::int64_t nearer : {distance, at_most(random, distance)}) {
      CHECK(network::least_way(links, static_cast<double>(nearer), bytes) <= time * (1.0 + 1e-12));
    }
  }
}

TEST_CASE("messages take the least times of their network whatever it carries") {
  Random random(11);
  for (int round = 0; round < 2000; ++round) {
    const machine::Cluster cluster = random_machine(random);
    const std::int64_t processors =
        std::min<std::int64_t>(1 + at_most(random, 40), cluster.processors());
    const machine::ProcessorSystem system = cluster.expand(processors);
    network::Networks networks(system);
    networks.reset(machine::Grid(std::span<const std::int64_t>(&processors, 1)));
    LeastMachine least(cluster);
    least.reset(std::max<std::int64_t>(processors - at_most(random, 3), 2),
                processors + static_cast<std::int64_t>(random() % 5));
    const auto any = [&] { return static_cast<std::uint32_t>(random() % system.processors()); };
    network::Communication before;
    if (random() % 2 == 0) {
      for (int i = 0; i < 10; ++i) {
        before.transfers.push_back({any(), any(), static_cast<double>(at_most(random, 50))});
      }
      network::normalize(before.transfers);
      static_cast<void>(last_end(networks, before, system.processors()));
    }
    CAPTURE(round, cluster.text(), processors);
    // Neighbours at one distance, each a message of its own.
    const auto distance = static_cast<std::uint32_t>(at_most(random, processors - 1));
    const auto bytes = static_cast<double>(at_most(random, 100));
    network::Communication exchange;
    for (std::uint32_t p = 0; p + distance < system.processors(); ++p) {
      exchange.transfers.push_back({p, p + distance, bytes});
    }
    const auto count = static_cast<double>(exchange.transfers.size());
    const auto far = static_cast<double>(distance);
    const double end = last_end(networks, exchange, system.processors());
    CHECK(least.load({count, count * bytes, bytes, far}) <= end * (1.0 + 1e-12));
    CHECK(least.arrival(bytes, far) <= end * (1.0 + 1e-12));
    // All to one.
    network::Communication gather;
    const std::uint32_t root = any();
    for (std::uint32_t p = 0; p < system.processors(); ++p) {
      if (p != root) {
        gather.transfers.push_back({p, root, bytes});
      }
    }
    networks.reset(machine::Grid(std::span<const std::int64_t>(&processors, 1)));
    CHECK(least.fan(static_cast<double>(gather.transfers.size()), bytes, network::FanWay::in) <=
          last_end(networks, gather, system.processors()) * (1.0 + 1e-12));
    network::Communication scatter = gather;
    for (network::Transfer& transfer : scatter.transfers) {
      std::swap(transfer.from, transfer.to);
    }
    CHECK(least.fan(static_cast<double>(scatter.transfers.size()), bytes) <=
          last_end(networks, scatter, system.processors()) * (1.0 + 1e-12));
  }
}

TEST_CASE("messages of a row of processors that all exchange") {
  Random random(12);
  for (int round = 0; round < 2000; ++round) {
    const machine::Cluster cluster = round % 3 == 0 ? heterogeneous() : random_machine(random);
    const std::int64_t processors =
        std::min<std::int64_t>(1 + at_most(random, 60), cluster.processors());
    const machine::ProcessorSystem system = cluster.expand(processors);
    LeastMachine least(cluster);
    least.reset(std::max<std::int64_t>(processors - at_most(random, 3), 2), processors);
    // Some senders and some receivers in a row whose neighbours are `stride` numbers apart.
    const auto stride = static_cast<std::uint32_t>(at_most(random, 4));
    std::vector<std::uint32_t> senders;
    std::vector<std::uint32_t> receivers;
    std::uint32_t last = 0;
    for (std::uint32_t p = 0; p < system.processors(); p += stride) {
      const bool sends = random() % 3 == 0;
      const bool receives = random() % 3 == 0;
      if (sends) {
        senders.push_back(p);
      }
      if (receives) {
        receivers.push_back(p);
      }
      last = sends || receives ? p : last;
    }
    if (senders.size() < 2 || receivers.empty()) {
      continue;
    }
    const auto bytes = static_cast<double>(at_most(random, 100));
    network::Communication all;
    for (const std::uint32_t from : senders) {
      for (const std::uint32_t to : receivers) {
        if (from != to) {
          all.transfers.push_back({from, to, bytes});
        }
      }
    }
    network::Networks networks(system);
    networks.reset(machine::Grid(std::span<const std::int64_t>(&processors, 1)));
    const double end = last_end(networks, all, system.processors()) * (1.0 + 1e-12);
    // Each receiver hears of so many others.
    const auto hubs = static_cast<double>(receivers.size());
    const double others = static_cast<double>(senders.size()) - 1.0;
    const double count = hubs * others;
    const Stream stream{count, count * bytes, bytes, static_cast<double>(stride), hubs};
    CAPTURE(round, cluster.text(), processors, stride, senders, receivers, bytes);
    CHECK(least.load(stream) <= end);
    CHECK(least.load_among_first(stream, static_cast<double>(last + 1)) <= end);
    // The last of the receivers comes last for every sender.
    CHECK(least.fan_after(others, bytes, std::max(hubs - 2.0, 0.0)) <= end);
    // So many of the row are in one part of the machine.
    if (least.in_part(stride) < static_cast<double>(processors)) {
      std::map<std::uint32_t, double> in_part;
      for (std::uint32_t p = 0; p < system.processors(); p += stride) {
        const bool leaf = system.levels < 2 || system.ancestors[system.processors() + p] ==
                                                   machine::ProcessorSystem::no_network;
        ++in_part[leaf ? 1'000'000 + p : system.ancestors[system.processors() + p]];
      }
      for (const auto& [part, members] : in_part) {
        // In one part: what connects the grid is the network in it.
        CHECK((in_part.size() == 1 || members <= least.in_part(stride)));
      }
    }
  }
}

TEST_CASE("messages that share the port of one processor") {
  Random random(13);
  for (int round = 0; round < 3000; ++round) {
    const std::int64_t processors = 2 + at_most(random, 12);
    const machine::Cluster cluster = machine::Cluster::parse(
        "cluster = c; c = {64 x p}; p = 1; c.CommType = ports; c.TStart = 2; c.TByte = 0.5; "
        "c.TSend = " +
            std::to_string(random() % 3) + "; c.TRecv = " + std::to_string(random() % 9) +
            "; c.TGap = " + std::to_string(random() % 12) + ";",
        "ports.par");
    const machine::ProcessorSystem system = cluster.expand(processors);
    network::Networks networks(system);
    networks.reset(machine::Grid(std::span<const std::int64_t>(&processors, 1)));
    LeastMachine least(cluster);
    least.reset(processors, processors);
    const auto any = [&] { return static_cast<std::uint32_t>(random() % system.processors()); };
    const std::uint32_t hub = any();
    const bool in = random() % 2 == 0;
    network::Communication all;
    std::vector<network::LeastMessages> known;
    for (std::uint32_t p = 0; p < system.processors(); ++p) {
      const auto bytes = static_cast<double>(at_most(random, 40));
      if (p != hub && random() % 4 != 0) {
        all.transfers.push_back({in ? p : hub, in ? hub : p, bytes});
        // It is known to have as many bytes, or fewer.
        known.push_back({1.0, random() % 2 == 0 ? bytes : bytes / 2.0});
      }
    }
    // Others too.
    for (int i = 0; i < 6; ++i) {
      all.transfers.push_back({any(), any(), static_cast<double>(at_most(random, 40))});
    }
    network::normalize(all.transfers);
    CAPTURE(round, cluster.text(), processors, in);
    const double end = last_end(networks, all, system.processors());
    CHECK(least.of_one(known, in ? network::FanWay::in : network::FanWay::either) <=
          end * (1.0 + 1e-12));
  }
  // Closed form: of 3 messages of 8 and 2 of 4 bytes the longer are through when all are.
  const machine::Cluster cluster = flat("ports", 2.0, 0.5);
  LeastMachine least(cluster);
  least.reset(8, 8);
  const std::vector<network::LeastMessages> five{{2.0, 4.0}, {3.0, 8.0}};
  CHECK(least.of_one(five, network::FanWay::in) ==
        Approx((2.0 + 3 * 4.0 + 2 * 2.0) * 1e-6).epsilon(1e-12));
}

}  // namespace gridcast::model::test
