#include "free.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include "reduction_rounds.h"

namespace gridcast::naive {

Network& FreeRun::network(const Message& m) const {
  return machine_.networks[machine_.between(m.from, m.to)];
}

int FreeRun::message(int from, int to, double bytes) {
  Message m;
  m.from = from;
  m.to = to;
  m.bytes = bytes;
  const Network& over = network(m);
  m.eager = bytes < over.eager;
  m.detached = bytes < (over.detach < 0.0 ? over.eager : over.detach);
  const double byte = over.byte(bytes);
  m.length = byte > 0.0 ? std::max(bytes, over.gap / byte) * byte : 0.0;
  messages_.push_back(m);
  return static_cast<int>(messages_.size()) - 1;
}

void FreeRun::spend(FreeActs& acts, int p, double seconds) const {
  acts[p].push_back({FreeAct::Kind::spend, seconds, -1, {}, {}});
}

void FreeRun::send(FreeActs& acts, int m) const {
  const Message& sent = messages_[static_cast<std::size_t>(m)];
  acts[sent.from].push_back({FreeAct::Kind::send, network(sent).send, m, {}, {}});
}

void FreeRun::ask(FreeActs& acts, int m) const {
  acts[messages_[static_cast<std::size_t>(m)].to].push_back({FreeAct::Kind::ask, 0.0, m, {}, {}});
}

void FreeRun::finish(FreeActs& acts, int p, std::vector<int> sends, std::vector<int> asks) const {
  acts[p].push_back({FreeAct::Kind::finish, 0.0, -1, std::move(sends), std::move(asks)});
}

void FreeRun::blocking_send(FreeActs& acts, int m) const {
  const Message& sent = messages_[static_cast<std::size_t>(m)];
  const double own = sent.detached ? network(sent).send : 0.0;
  acts[sent.from].push_back({FreeAct::Kind::send, own, m, {}, {}});
  finish(acts, sent.from, {m}, {});
}

void FreeRun::blocking_receive(FreeActs& acts, int m) const {
  ask(acts, m);
  finish(acts, messages_[static_cast<std::size_t>(m)].to, {}, {m});
}

void FreeRun::round(FreeActs& acts, const std::vector<int>& messages) const {
  for (int p = 0; p < machine_.processors(); ++p) {
    int out = -1;
    int in = -1;
    for (const int m : messages) {
      out = messages_[static_cast<std::size_t>(m)].from == p ? m : out;
      in = messages_[static_cast<std::size_t>(m)].to == p ? m : in;
    }
    if (out >= 0 && in >= 0) {
      send(acts, out);
      ask(acts, in);
      finish(acts, p, {out}, {in});
    } else if (out >= 0) {
      blocking_send(acts, out);
    } else if (in >= 0) {
      blocking_receive(acts, in);
    }
  }
}

void FreeRun::reduce(const std::string& how, const std::vector<int>& members, double bytes,
                     FreeActs& acts) {
  for (const std::vector<RoundMessage>& messages : reduction_rounds(how, members, bytes)) {
    std::vector<int> numbers;
    for (const RoundMessage& each : messages) {
      numbers.push_back(message(each.from, each.to, each.bytes));
    }
    round(acts, numbers);
  }
}

void FreeRun::exchange(const Transfers& transfers, FreeActs& before, FreeActs& after) {
  std::vector<int> all;
  for (const auto& [pair, bytes] : transfers) {
    all.push_back(message(pair.first, pair.second, bytes));
  }
  for (const auto& [p, bytes] : transfers.gathered) {
    spend(before, p, bytes * machine_.copy);
  }
  for (const int m : all) {
    ask(before, m);
  }
  for (const int m : all) {
    send(before, m);
  }
  for (int p = 0; p < machine_.processors(); ++p) {
    std::vector<int> sends;
    std::vector<int> asks;
    for (const int m : all) {
      if (messages_[static_cast<std::size_t>(m)].from == p) {
        sends.push_back(m);
      }
      if (messages_[static_cast<std::size_t>(m)].to == p) {
        asks.push_back(m);
      }
    }
    finish(after, p, sends, asks);
  }
  for (const auto& [p, bytes] : transfers.spread) {
    spend(after, p, bytes * machine_.copy);
  }
}

void FreeRun::append(const FreeActs& acts) {
  for (const auto& [p, own] : acts) {
    program[p].insert(program[p].end(), own.begin(), own.end());
  }
}

bool FreeRun::finished(Process& me, const FreeAct& act) const {
  std::vector<std::pair<double, double>> ends;  // and what comes after it
  for (const int m : act.sends) {
    const Message& sent = messages_[static_cast<std::size_t>(m)];
    if (!sent.detached) {
      if (sent.done < 0.0) {
        return false;
      }
      ends.emplace_back(sent.done, 0.0);
    }
  }
  for (const int m : act.asks) {
    const Message& asked = messages_[static_cast<std::size_t>(m)];
    if (asked.done < 0.0) {
      return false;
    }
    ends.emplace_back(asked.done, asked.detached ? network(asked).receive : 0.0);
  }
  std::sort(ends.begin(), ends.end());
  for (const auto& [end, after] : ends) {
    me.clock = std::max(me.clock, end) + after;
  }
  return true;
}

/// Goes on with a process; false if it could not.
bool FreeRun::run(int p) {
  Process& me = processes_[static_cast<std::size_t>(p)];
  const std::vector<FreeAct>& acts = program[p];
  bool any = false;
  for (; me.next < acts.size(); ++me.next, any = true) {
    const FreeAct& act = acts[me.next];
    if (act.kind == FreeAct::Kind::finish) {
      if (!finished(me, act)) {
        return any;
      }
      continue;
    }
    me.clock += act.seconds;
    if (act.kind == FreeAct::Kind::send) {
      messages_[static_cast<std::size_t>(act.message)].sent = me.clock;
    } else if (act.kind == FreeAct::Kind::ask) {
      messages_[static_cast<std::size_t>(act.message)].asked = me.clock;
    }
  }
  return any;
}

void FreeRun::begin_transfers() {
  for (Message& m : messages_) {
    const bool ready = m.sent >= 0.0 && (m.eager || m.asked >= 0.0);
    if (m.enters >= 0.0 || !ready) {
      continue;
    }
    const double start = m.eager ? m.sent : std::max(m.sent, m.asked);
    if (m.from == m.to) {
      m.enters = m.done = start;
      continue;
    }
    const bool ports = network(m).kind == Kind::ports;
    m.enters = start + (ports ? network(m).start(m.bytes) : 0.0);
    if (ports && m.length == 0.0) {
      m.done = m.enters;
    }
  }
}

/// Messages enter their networks; true if it is known of some when they have arrived.
bool FreeRun::enter(double now) {
  std::vector<Message*> others;  // than those of ports
  for (Message& m : messages_) {
    const bool waits = m.enters >= 0.0 && m.done < 0.0 && !m.under_way;
    if (waits && network(m).kind == Kind::ports && m.enters <= now * (1.0 + 1e-14)) {
      m.under_way = true;
      m.left = m.length;
    } else if (waits && network(m).kind != Kind::ports && m.enters <= now * (1.0 + 1e-12)) {
      others.push_back(&m);
    }
  }
  std::stable_sort(others.begin(), others.end(),
                   [](const Message* a, const Message* b) { return a->from < b->from; });
  for (Message* m : others) {
    Network& over = network(*m);
    const double start = over.start(m->bytes);
    const double byte = over.byte(m->bytes);
    const double whole = std::max(std::ceil(m->bytes), 1.0);  // over links
    m->done =
        over.kind == Kind::transputer
            ? m->enters + transputer_time(start, byte, machine_.distance(m->from, m->to), whole)
            : take_channel(over, m->enters, start + m->bytes * byte);
  }
  return !others.empty();
}

/// All rates from nothing: the fullest port shares what it has among its messages, and so on.
void FreeRun::rate() {
  std::map<std::vector<std::size_t>, double> room;  // network, member, out or in
  std::map<std::vector<std::size_t>, std::vector<Message*>> through;
  for (Message& m : messages_) {
    if (!m.under_way) {
      continue;
    }
    m.rate = -1.0;
    const std::size_t id = machine_.between(m.from, m.to);
    const Network& over = machine_.networks[id];
    for (const auto& port : {std::vector<std::size_t>{id, machine_.member(over, m.from), 0},
                             std::vector<std::size_t>{id, machine_.member(over, m.to), 1}}) {
      room[port] = 1.0;
      through[port].push_back(&m);
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

std::vector<double> FreeRun::clocks() {
  processes_.assign(machine_.performance.size(), {});
  double now = 0.0;
  for (;;) {
    do {
      for (bool any = true; any;) {
        any = false;
        for (int p = 0; p < machine_.processors(); ++p) {
          any = run(p) || any;
        }
        begin_transfers();
      }
    } while (enter(now));
    double next = HUGE_VAL;
    rate();
    for (const Message& m : messages_) {
      if (m.under_way) {
        next = std::min(next, now + m.left / m.rate);
      } else if (m.enters >= 0.0 && m.done < 0.0) {
        next = std::min(next, m.enters);
      }
    }
    if (next == HUGE_VAL) {
      break;
    }
    for (Message& m : messages_) {
      if (!m.under_way) {
        continue;
      }
      const bool over = now + m.left / m.rate <= next * (1.0 + 1e-14);
      m.left -= m.rate * (next - now);
      if (over) {
        m.under_way = false;
        m.done = next;
      }
    }
    now = next;
  }
  std::vector<double> result;
  for (int p = 0; p < machine_.processors(); ++p) {
    if (processes_[static_cast<std::size_t>(p)].next < program[p].size()) {
      throw std::runtime_error("process " + std::to_string(p) + " waits for ever");
    }
    result.push_back(processes_[static_cast<std::size_t>(p)].clock);
  }
  return result;
}

}  // namespace gridcast::naive
