#include "gridcast/network/port_rounds.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <utility>

#include "gridcast/network/message_time.h"

namespace gridcast::network {
namespace {

/// Processors of a block, at least: its messages are told one by one, its state is looked up once.
constexpr std::int64_t enough = 64;

/// In place of a receiver in the own block.
constexpr std::uint32_t outside = UINT32_MAX;

/// Numbers of a message in the key of who sends.
constexpr std::size_t sent_numbers = 3;

constexpr std::size_t mix(std::size_t hash, std::uint64_t value) noexcept {
  return (hash ^ (hash >> 29U) ^ value) * 0x9e3779b97f4a7c15U;
}

/// A message of `bytes` that was through both ports at `through`, at a receiver that was ready at
/// `ready`.
void arrive(const machine::Network& network, double bytes, double through, double ready,
            double& clock, double& overhead) {
  const double arrived = through + network.start_of(bytes);
  clock = std::max(clock, std::max(ready, arrived) + network.receive_time);
  overhead += network.receive_time;
}

}  // namespace

std::size_t PortRounds::Hash::operator()(const Key& key) const noexcept {
  std::size_t hash = key.size();
  for (const std::uint32_t number : key) {
    hash = mix(hash, number);
  }
  return hash;
}

PortRounds::PortRounds(std::span<const NetworkLevel> levels, std::int64_t processors,
                       Interruption& interruption)
    : levels_(levels),
      processors_(static_cast<std::uint32_t>(processors)),
      interruption_(&interruption) {
  const std::int64_t member = levels.size() > 1 ? levels[levels.size() - 2].size : 1;
  block_ =
      static_cast<std::uint32_t>(std::min(processors, (enough + member - 1) / member * member));
  std::size_t ports = 0;
  for (std::size_t level = 0; level < levels.size(); ++level) {
    first_port_.push_back(ports);
    ports = port_out(level, block_ - 1) + 2;
  }
  ports_.resize(ports);
  passages_.resize(ports);
  const std::size_t blocks = (processors_ + block_ - 1) / block_;
  const auto idle = [](std::size_t size) {
    return State{std::vector<double>(size, 0.0), std::vector<double>(size, 0.0), {}};
  };
  states_ = {idle(block_), idle(processors_ - (blocks - 1) * block_)};
  state_of_.assign(blocks, 0);
  state_of_.back() = 1;
  sends_.resize(blocks);
  above_.resize(blocks);
  sent_of_.resize(blocks);
}

std::size_t PortRounds::level_of(std::uint32_t from, std::uint32_t to) const noexcept {
  std::size_t level = 0;
  while (from / levels_[level].size != to / levels_[level].size) {
    ++level;
  }
  return level;
}

std::size_t PortRounds::port_out(std::size_t level, std::uint32_t processor) const noexcept {
  const std::int64_t member = level > 0 ? levels_[level - 1].size : 1;
  return first_port_[level] + 2 * static_cast<std::size_t>(processor / member);
}

std::uint32_t PortRounds::number_of(double bytes) {
  const auto found = std::find(bytes_.rbegin(), bytes_.rend(), bytes);
  if (found == bytes_.rend()) {
    bytes_.push_back(bytes);
    return static_cast<std::uint32_t>(bytes_.size() - 1);
  }
  return static_cast<std::uint32_t>(bytes_.rend() - found - 1);
}

PortPassage& PortRounds::passage(std::size_t port) {
  PortPassage& passage = passages_[port];
  if (!(passage.begin() < HUGE_VAL)) {
    passed_.push_back(port);
  }
  return passage;
}

void PortRounds::enter(const std::vector<double>& before) {
  const std::size_t own = passed_.size();
  for (const double* at = before.data(); at != before.data() + before.size();) {
    const auto port = static_cast<std::size_t>(*at);
    at = ports_[port].restore(at + 1);
    if (!(passages_[port].begin() < HUGE_VAL)) {
      passed_.push_back(port);
    }
  }
  for (std::size_t i = 0; i < own; ++i) {
    ports_[passed_[i]].enter(passages_[passed_[i]]);
    busy_ = std::max(busy_, ports_[passed_[i]].busy_until());
  }
}

std::uint32_t PortRounds::number_of(const Outgoing& message) {
  const auto [known, is_new] =
      number_of_outgoing_.try_emplace(message, static_cast<std::uint32_t>(outgoing_.size()));
  if (is_new) {
    outgoing_.push_back(message);
  }
  return known->second;
}

std::vector<double> PortRounds::leave(double own, double others) {
  std::vector<double> busy;
  for (const std::size_t port : passed_) {
    const bool from_elsewhere = port >= first_port_.back() && (port - first_port_.back()) % 2 == 1;
    if (ports_[port].busy_until() > (from_elsewhere ? others : own)) {
      busy.push_back(static_cast<double>(port));
      ports_[port].save(busy);
    }
    passages_[port].clear();
    ports_[port].clear();
  }
  passed_.clear();
  return busy;
}

void PortRounds::note(const Transfer& message) {
  const std::uint32_t block = message.from / block_;
  const std::uint32_t to_block = message.to / block_;
  const bool inner = block == to_block && level_of(message.from, message.to) + 1 < levels_.size();
  const std::uint32_t to = message.to % block_;
  const std::uint32_t bytes = number_of(message.bytes);
  sends_[block].insert(sends_[block].end(), {message.from % block_, inner ? to : outside, bytes});
  if (!inner) {
    source_of_[message.to] = {block, above_[block]++};
  }
}

PortRounds::Sent PortRounds::send(const Key& key) {
  const State& before = states_[key.front()];
  Sent sent{{before.clocks, before.overheads, {}}, 0, before.clocks, {}};
  State& state = sent.state;
  const auto for_each = [&](const auto& visit) {
    for (std::size_t at = 1; at < key.size(); at += sent_numbers) {
      const std::uint32_t from = key[at];
      const std::uint32_t to = key[at + 1];
      const std::size_t level = to == outside ? levels_.size() - 1 : level_of(from, to);
      visit(from, to, level, levels_[level].network, bytes_[key[at + 2]]);
    }
  };
  for_each([&](std::uint32_t from, std::uint32_t to, std::size_t level,
               const machine::Network& network, double bytes) {
    const double ready = sent.ready[from] += network.send_time;
    state.overheads[from] += network.send_time;
    const double length = port_time(network, bytes);
    passage(port_out(level, from)).add(ready, length);
    if (to != outside) {
      passage(port_out(level, to) + 1).add(ready, length);
    }
  });
  enter(before.ports);
  for_each([&](std::uint32_t from, std::uint32_t to, std::size_t level,
               const machine::Network& network, double bytes) {
    const double ready = sent.ready[from];
    const double through = passages_[port_out(level, from)].end(network, bytes, ready);
    state.clocks[from] = std::max(state.clocks[from], through);
    if (to == outside) {
      sent.outgoing.push_back(number_of({ready, through, bytes}));
      return;
    }
    arrive(network, bytes,
           std::max(through, passages_[port_out(level, to) + 1].end(network, bytes, ready)),
           sent.ready[to], state.clocks[to], state.overheads[to]);
  });
  sent.least = *std::min_element(state.clocks.begin(), state.clocks.end());
  state.ports = leave(sent.least, earliest_);
  return sent;
}

PortRounds::State PortRounds::receive(const Key& key) {
  Sent& sent = sent_[key.front()];
  State state = --sent.uses == 0 ? std::move(sent.state) : sent.state;
  const std::size_t level = levels_.size() - 1;
  const machine::Network& network = levels_[level].network;
  const auto for_each = [&](const auto& visit) {
    for (std::uint32_t to = 0; to + 1 < key.size(); ++to) {
      if (key[to + 1] != nobody) {
        visit(outgoing_[key[to + 1]], to, port_out(level, to) + 1);
      }
    }
  };
  for_each([&](const Outgoing& message, std::uint32_t, std::size_t port) {
    passage(port).add(message.ready, port_time(network, message.bytes));
  });
  enter(state.ports);
  for_each([&](const Outgoing& message, std::uint32_t to, std::size_t port) {
    const double through = passages_[port].end(network, message.bytes, message.ready);
    arrive(network, message.bytes, std::max(message.sent, through), sent.ready[to],
           state.clocks[to], state.overheads[to]);
  });
  state.ports = leave(sent.least, earliest_);
  return state;
}

void PortRounds::receive_all() {
  std::unordered_map<Key, std::uint32_t, Hash> known;
  std::vector<const Key*> keys;
  Key key;
  for (std::size_t block = 0; block < state_of_.size(); ++block) {
    key.assign(1, sent_of_[block]);
    const std::size_t end = std::min<std::size_t>(processors_, (block + 1) * block_);
    for (std::size_t to = block * block_; to < end; ++to) {
      const Source& source = source_of_[to];
      key.push_back(
          source.block == nobody ? nobody : sent_[sent_of_[source.block]].outgoing[source.message]);
    }
    const auto [at, is_new] = known.try_emplace(key, static_cast<std::uint32_t>(keys.size()));
    if (is_new) {
      keys.push_back(&at->first);
      ++sent_[key.front()].uses;
    }
    state_of_[block] = at->second;
  }
  states_.clear();
  std::map<double, std::vector<std::uint32_t>> alike;  // by the first clock
  std::vector<std::uint32_t> number;                   // of each key
  for (const Key* const each : keys) {
    State state = receive(*each);
    std::vector<std::uint32_t>& others = alike[state.clocks.front()];
    const auto same = std::find_if(others.begin(), others.end(),
                                   [&](std::uint32_t other) { return states_[other] == state; });
    if (same != others.end()) {
      number.push_back(*same);
      continue;
    }
    number.push_back(static_cast<std::uint32_t>(states_.size()));
    others.push_back(number.back());
    states_.push_back(std::move(state));
  }
  for (std::uint32_t& state : state_of_) {
    state = number[state];
  }
}

void PortRounds::run(std::span<const Transfer> round) {
  bytes_.clear();
  sent_.clear();
  for (std::size_t block = 0; block < state_of_.size(); ++block) {
    sends_[block].assign(1, state_of_[block]);
    above_[block] = 0;
  }
  source_of_.assign(processors_, {});
  outgoing_.clear();
  number_of_outgoing_.clear();
  for (const Transfer& message : round) {
    interruption_->count();
    note(message);
  }
  std::unordered_map<Key, std::uint32_t, Hash> known;
  for (std::size_t block = 0; block < state_of_.size(); ++block) {
    const auto [at, is_new] =
        known.try_emplace(sends_[block], static_cast<std::uint32_t>(sent_.size()));
    if (is_new) {
      sent_.push_back(send(at->first));
    }
    sent_of_[block] = at->second;
  }
  earliest_ = std::min_element(sent_.begin(), sent_.end(), [](const Sent& a, const Sent& b) {
                return a.least < b.least;
              })->least;
  receive_all();
}

template <class Pick>
std::vector<double> PortRounds::of_each(const Pick& pick) const {
  std::vector<double> values;
  values.reserve(processors_);
  for (const std::uint32_t state : state_of_) {
    const std::vector<double>& own = pick(states_[state]);
    values.insert(values.end(), own.begin(), own.end());
  }
  return values;
}

std::vector<double> PortRounds::ends() const {
  return of_each([](const State& state) -> const auto& { return state.clocks; });
}

std::vector<double> PortRounds::overheads() const {
  std::vector<double> seconds =
      of_each([](const State& state) -> const auto& { return state.overheads; });
  if (std::ranges::all_of(seconds, [](double each) { return each == 0.0; })) {
    seconds.clear();
  }
  return seconds;
}

}  // namespace gridcast::network
