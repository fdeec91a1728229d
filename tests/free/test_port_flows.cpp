// Ports that messages share, and the order of events, against simple models.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "gridcast/free/event_queue.h"
#include "gridcast/free/port_flows.h"

namespace gridcast::model::test {
namespace {

/// A message of `length` seconds alone that comes to its ports at `enters`.
struct Message {
  double enters = 0.0, length = 0.0;
  std::uint32_t out = 0, in = 0;
  double left = 0.0, rate = 0.0;
  double end = -1.0;
  bool under_way = false;
};

std::vector<Message> random_messages(std::mt19937& random) {
  const auto ports = 2 + random() % 8;
  std::vector<Message> messages(1 + random() % 30);
  for (Message& message : messages) {
    const double apart = random() % 3 == 0 ? 1e-3 * static_cast<double>(random() % 1000) : 0.0;
    message.enters = 0.5 * static_cast<double>(random() % 7) + apart;
    message.length = 1.0 + static_cast<double>(random() % 3);
    message.out = static_cast<std::uint32_t>(2 * (random() % ports));
    message.in = static_cast<std::uint32_t>(2 * (random() % ports) + 1);
  }
  return messages;
}

/// The fullest port shares what it has, then the fullest of the rest.
void share(std::vector<Message>& messages) {
  std::map<std::uint32_t, std::vector<Message*>> through;
  for (Message& m : messages) {
    if (m.under_way) {
      m.rate = -1.0;
      through[m.out].push_back(&m);
      through[m.in].push_back(&m);
    }
  }
  for (;;) {
    double least = HUGE_VAL;
    const std::vector<Message*>* fullest = nullptr;
    for (const auto& [port, all] : through) {
      double left = 1.0;
      double open = 0.0;
      for (const Message* m : all) {
        left -= std::max(m->rate, 0.0);
        open += m->rate < 0.0 ? 1.0 : 0.0;
      }
      if (open > 0.0 && left / open < least) {
        least = left / open;
        fullest = &all;
      }
    }
    if (fullest == nullptr) {
      return;
    }
    for (Message* m : *fullest) {
      m->rate = m->rate < 0.0 ? least : m->rate;
    }
  }
}

/// Sets the ends, looking at every message at every moment.
void run(std::vector<Message>& messages) {
  for (double now = 0.0; now < HUGE_VAL;) {
    double next = HUGE_VAL;
    for (Message& m : messages) {
      if (m.end < 0.0 && !m.under_way && m.enters <= now) {
        m.under_way = true;
        m.left = m.length;
      }
    }
    share(messages);
    for (const Message& m : messages) {
      next = m.under_way   ? std::min(next, now + m.left / m.rate)
             : m.end < 0.0 ? std::min(next, m.enters)
                           : next;
    }
    for (Message& m : messages) {
      if (m.under_way) {
        m.left -= m.rate * (next - now);
        m.under_way = m.left > 1e-12;
        m.end = m.under_way ? -1.0 : next;
      }
    }
    now = next;
  }
}

}  // namespace

TEST_CASE("free processes: messages share ports max-min fair") {
  std::mt19937 random(7);
  PortFlows flows;
  EventQueue events;
  for (int round = 0; round < 3000; ++round) {
    std::vector<Message> messages = random_messages(random);
    flows.reset(2 * 10);
    events.clear();
    for (std::uint32_t m = 0; m < messages.size(); ++m) {
      events.push({messages[m].enters, FreeEvent::Kind::enter, 0, m});
    }
    std::vector<double> ends(messages.size(), -1.0);
    while (!events.empty()) {
      const double now = events.next();
      while (!events.empty() && events.next() <= now) {
        const FreeEvent event = events.pop();
        if (event.kind == FreeEvent::Kind::enter) {
          const Message& m = messages[event.b];
          flows.enter(m.out, m.in, m.length, now, 0, event.b);
        } else {
          flows.end(event.a, event.b, now, [&](std::uint32_t, std::uint32_t m) { ends[m] = now; });
        }
      }
      for (const PortFlows::Due& due : flows.settle(now)) {
        events.push({due.time, FreeEvent::Kind::end, due.port, due.version});
      }
    }
    run(messages);
    for (std::size_t m = 0; m < messages.size(); ++m) {
      CAPTURE(round, m);
      REQUIRE(std::abs(ends[m] - messages[m].end) <= 1e-9);
    }
  }
}

TEST_CASE("free processes: events come in order of time") {
  std::mt19937 random(11);
  EventQueue events;
  std::multiset<double> expected;
  double now = 0.0;
  for (int step = 0; step < 20000; ++step) {
    if (expected.empty() || random() % 2 == 0) {
      const double later = 1e-6 * static_cast<double>(random() % 5) *
                           (random() % 2 == 0 ? 1.0 : static_cast<double>(random() % 1000));
      events.push({now + later, FreeEvent::Kind::enter, 0, 0});
      expected.insert(now + later);
    } else {
      REQUIRE(events.next() == *expected.begin());
      if (random() % 2 == 0) {  // it was looked at only
        now = events.pop().time;
        REQUIRE(now == *expected.begin());
        expected.erase(expected.begin());
      }
    }
    REQUIRE(events.empty() == expected.empty());
  }
}

}  // namespace gridcast::model::test
