// Ports that messages share (docs/model.md §4), against closed forms and a port that is followed
// message by message.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <vector>

#include "gridcast/network/port_load.h"

namespace gridcast::network {
namespace {

machine::Network port_network(double byte_time, double gap) {
  machine::Network network;
  network.type = machine::NetworkType::ports;
  network.byte_time = byte_time;
  network.gap = gap;
  return network;
}

/// A message that is served from `begin` on at the rate of all others, until `end`.
struct Served {
  double begin = 0.0, left = 0.0, end = -1.0;
};

/// Follows a port from event to event.
void follow(std::vector<Served>& all) {
  double now = 0.0;
  for (;;) {
    std::vector<Served*> active;
    double next = HUGE_VAL;  // beginning
    for (Served& each : all) {
      if (each.end < 0.0 && each.begin <= now) {
        active.push_back(&each);
      } else if (each.end < 0.0) {
        next = std::min(next, each.begin);
      }
    }
    if (active.empty() && next == HUGE_VAL) {
      return;
    }
    if (active.empty()) {
      now = next;
      continue;
    }
    const Served& first = **std::min_element(
        active.begin(), active.end(), [](Served* a, Served* b) { return a->left < b->left; });
    const auto sharing = static_cast<double>(active.size());
    const double least = first.left;
    const double step = std::min(next - now, least * sharing);
    const bool ends = now + least * sharing <= next;
    for (Served* each : active) {
      const bool is_least = each->left <= least * (1.0 + 1e-12);
      each->left -= step / sharing;
      if (ends && is_least) {
        each->end = now + step;
      }
    }
    now = ends ? now + step : next;
  }
}

}  // namespace

TEST_CASE("port load: k equal messages are through together, k times as late as one") {
  PortLoad load;
  load.add(3.0, 2.0);
  load.add(3.0, 5.0);
  load.sum_up();
  CHECK(load.messages().size() == 1);
  CHECK(load.served(3.0) == 21.0);
  CHECK(load.served(1.0) == 7.0);
  CHECK(load.served(4.0) == 21.0);
  CHECK(load.total() == 21.0);
  CHECK(load.share(7.0) == 1.0);
  CHECK(load.share(100.0) == 3.0);
  CHECK(load.share(0.0) == 0.0);
}

TEST_CASE("port load: messages of several lengths, in whatever order they were added") {
  PortLoad load;
  load.add(4.0);
  load.add(0.0, 9.0);
  load.add(1.0, 2.0);
  load.add(2.0, 3.0);
  load.add(4.0);
  load.sum_up();
  // Σ min(d_i, d) over 1, 1, 2, 2, 2, 4, 4.
  CHECK(load.served(0.5) == 3.5);
  CHECK(load.served(1.0) == 7.0);
  CHECK(load.served(1.5) == 9.5);
  CHECK(load.served(2.0) == 12.0);
  CHECK(load.served(3.0) == 14.0);
  CHECK(load.served(4.0) == 16.0);
  CHECK(load.total() == 16.0);
  for (const double length : {0.25, 1.0, 1.5, 2.0, 3.5, 4.0}) {
    CHECK(load.share(load.served(length)) == Approx(length).epsilon(1e-14));
  }
  Port port;
  port.enter(load, 3.0);
  CHECK(port.busy_until() == 19.0);
  port.enter(PortLoad(), 3.0 + 9.5);  // nothing new, but each has been served 1.5
  CHECK(port.kept().messages().size() == 2);
  CHECK(port.kept().total() == Approx(16.0 - 9.5));
  CHECK(port.busy_until() == 19.0);
  port.enter(PortLoad(), 20.0);
  CHECK(port.kept().empty());
  CHECK(port.busy_until() == 20.0);
}

TEST_CASE("port: one message after the other is as communications of one message each") {
  std::mt19937_64 random(29);
  const auto pick = [&](int most) {
    return static_cast<double>(random() % static_cast<std::uint64_t>(most));
  };
  const machine::Network network = port_network(1.0, 3.0);
  for (int trial = 0; trial < 200; ++trial) {
    Port one, other;
    double ready = 0.0;
    for (int i = 0; i < 60; ++i) {
      ready = std::max(ready + pick(trial % 7 + 2) - (trial % 3 == 0 ? 2.0 : 0.0), 0.0);
      const double bytes = 1.0 + pick(trial % 2 == 0 ? 3 : 20);
      PortPassage passage;
      passage.add(ready, port_time(network, bytes));
      other.enter(passage);
      CHECK(one.pass(network, bytes, ready) ==
            Approx(passage.end(network, bytes, ready)).epsilon(1e-13));
      CHECK(one.busy_until() == Approx(other.busy_until()).epsilon(1e-13));
      CHECK(one.kept().total() == Approx(other.kept().total()).epsilon(1e-12).margin(1e-12));
    }
  }
}

TEST_CASE("port: one message alone takes the time of its bytes, whatever the gap") {
  const machine::Network network = port_network(0.5, 16.0);
  Port port;
  PortPassage passage;
  passage.add(2.0, port_time(network, 8.0));
  port.enter(passage);
  CHECK(passage.end(network, 8.0, 2.0) == 6.0);
  CHECK(port.busy_until() == 18.0);  // the gap counts for others
}

TEST_CASE("port: a message that is ready later than the first of its communication") {
  const machine::Network network = port_network(1.0, 0.0);
  Port port;
  PortPassage passage;
  passage.add(5.0, 2.0);
  passage.add(1.0, 3.0);
  port.enter(passage);
  CHECK(passage.begin() == 1.0);
  CHECK(passage.end(network, 3.0, 1.0) == 6.0);  // 1 + 2 + 3
  CHECK(passage.end(network, 2.0, 5.0) == 7.0);  // not before its own bytes are through
}

TEST_CASE("port: communications one after the other are as a port that is followed") {
  std::mt19937_64 random(28);
  const auto pick = [&](int most) { return static_cast<int>(random() % std::uint64_t(most)); };
  const machine::Network network = port_network(1.0, 0.0);
  for (int trial = 0; trial < 400; ++trial) {
    Port port;
    std::vector<Served> all;
    double begin = 0.0;
    for (int k = 0; k < 5; ++k) {
      begin += 0.5 * pick(30);
      PortPassage passage;
      std::vector<double> lengths;
      for (int m = 1 + pick(6); m > 0; --m) {
        lengths.push_back(1.0 + pick(8) * 0.75);
        passage.add(begin, lengths.back());
        all.push_back({begin, lengths.back()});
      }
      port.enter(passage);
      std::vector<Served> followed = all;
      follow(followed);
      for (std::size_t m = 0; m < lengths.size(); ++m) {
        const Served& own = followed[all.size() - lengths.size() + m];
        CHECK(passage.end(network, lengths[m], begin) == Approx(own.end).epsilon(1e-11));
      }
      const auto last =
          std::max_element(followed.begin(), followed.end(),
                           [](const Served& a, const Served& b) { return a.end < b.end; });
      CHECK(port.busy_until() == Approx(last->end).epsilon(1e-11));
    }
  }
}

TEST_CASE("port: a communication that is worked out later but begins earlier") {
  std::mt19937_64 random(4);
  const auto pick = [&](int most) { return static_cast<int>(random() % std::uint64_t(most)); };
  const machine::Network network = port_network(1.0, 0.0);
  for (int trial = 0; trial < 400; ++trial) {
    Port port;
    std::vector<Served> all;
    const double late = 20.0;
    PortPassage first;
    for (int m = 1 + pick(5); m > 0; --m) {
      const double length = 1.0 + pick(8) * 0.75;
      first.add(late, length);
      all.push_back({late, length});
    }
    port.enter(first);
    const std::size_t others = all.size();
    const double early = 0.5 * pick(40);
    PortPassage second;
    for (int m = 1 + pick(5); m > 0; --m) {
      const double length = 1.0 + pick(8) * 0.75;
      second.add(early, length);
      all.push_back({early, length});
    }
    port.enter(second);
    std::vector<Served> followed = all;
    follow(followed);
    double last = 0.0;
    for (std::size_t m = 0; m < all.size(); ++m) {
      if (m >= others) {
        CHECK(second.end(network, all[m].left, early) == Approx(followed[m].end).epsilon(1e-11));
      }
      last = std::max(last, followed[m].end);
    }
    CHECK(std::max(port.busy_until(), late) == Approx(std::max(last, late)).epsilon(1e-11));
    CHECK(port.since() == late);
  }
}

TEST_CASE("port: a load whose ends nobody asks for leaves the same") {
  for (const double begin : {-3.0, 0.0, 2.0, 9.0}) {
    Port asked;
    Port taken;
    PortPassage first;
    first.add(0.0, 2.0, 3.0);
    PortPassage second;
    second.add(begin, 1.0);
    second.add(begin, 4.0, 2.0);
    asked.enter(first);
    taken.enter(first);
    asked.enter(second);
    taken.enter(second.load(), begin);
    CHECK(asked.busy_until() == taken.busy_until());
    CHECK(asked.since() == taken.since());
    CHECK(asked.kept().messages().size() == taken.kept().messages().size());
    asked.shift(5.0);
    CHECK(asked.since() == taken.since() + 5.0);
    asked.clear();
    CHECK(asked.busy_until() < -1e300);
  }
}

}  // namespace gridcast::network
