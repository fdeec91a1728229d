#include "transposed_lines.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace gridcast::network {

// --- what coordinates hold
// -------------------------------------------------------------------------------------

void TransposedLines::reset(const Transposition& transposition, std::int64_t extent,
                            std::int64_t stride, std::span<const double> bytes,
                            std::span<const NetworkLevel> levels, double copy_time) {
  levels_ = levels;
  extent_ = extent;
  stride_ = stride;
  busy_ = 0.0;
  add_kinds(transposition);
  find_copying(bytes, copy_time);
  std::vector<double>& sizes = sizes_.begin();
  for (const double each : bytes) {
    for (const Amount& sent : sent_) {
      for (const Amount& received : received_) {
        sizes.push_back(each * sent.elements * received.elements);
      }
    }
  }
  sizes_.finish(levels);
  members_.resize(levels.size() + 1);
  port_of_.resize(levels.size());
  progress_.resize(std::max(progress_.size(), static_cast<std::size_t>(extent)));
  senders_of_.resize(static_cast<std::size_t>(extent));
}

void TransposedLines::add_kinds(const Transposition& transposition) {
  const auto amount_of = [](double elements, std::vector<Amount>& amounts) {
    if (!(elements > 0.0)) {
      return none;
    }
    const auto found = std::find_if(amounts.begin(), amounts.end(), [elements](const Amount& each) {
      return each.elements == elements;
    });
    const auto at = static_cast<std::uint32_t>(found - amounts.begin());
    if (found == amounts.end()) {
      amounts.push_back({elements, {}, {}});
    }
    return at;
  };
  sent_.clear();
  received_.clear();
  kinds_.clear();
  kind_of_.clear();
  kind_of_.reserve(static_cast<std::size_t>(extent_));
  for (std::int64_t x = 0; x < extent_; ++x) {
    const Kind kind{amount_of(transposition.sent(x), sent_),
                    amount_of(transposition.received(x), received_)};
    const auto found = std::find(kinds_.begin(), kinds_.end(), kind);
    kind_of_.push_back(static_cast<std::uint32_t>(found - kinds_.begin()));
    if (found == kinds_.end()) {
      kinds_.push_back(kind);
    }
  }
  const auto count = [this](Amount& amount, auto&& holds) {
    amount.below.assign(kind_of_.size() + 1, 0.0);
    amount.last.assign(kind_of_.size() + 1, -1);
    for (std::size_t x = 0; x < kind_of_.size(); ++x) {
      const bool here = holds(kinds_[kind_of_[x]]);
      amount.below[x + 1] = amount.below[x] + (here ? 1.0 : 0.0);
      amount.last[x + 1] = here ? static_cast<std::int64_t>(x) : amount.last[x];
    }
  };
  count(receivers_, [](const Kind& kind) { return kind.receives != none; });
  for (std::uint32_t i = 0; i < sent_.size(); ++i) {
    count(sent_[i], [i](const Kind& kind) { return kind.sends == i; });
  }
  for (std::uint32_t i = 0; i < received_.size(); ++i) {
    count(received_[i], [i](const Kind& kind) { return kind.receives == i; });
  }
}

void TransposedLines::find_copying(std::span<const double> bytes, double copy_time) {
  packing_.clear();
  unpacking_.clear();
  const auto held = [](const std::vector<Amount>& amounts) {
    double elements = 0.0;
    for (const Amount& amount : amounts) {
      elements += amount.elements * amount.below.back();
    }
    return elements;
  };
  const double sent = held(sent_);
  const double received = held(received_);
  for (const double each : bytes) {
    for (const Kind& kind : kinds_) {
      const double own_sent = kind.sends != none ? sent_[kind.sends].elements : 0.0;
      const double own_received = kind.receives != none ? received_[kind.receives].elements : 0.0;
      packing_.push_back(copy_time * each * own_sent * (received - own_received));
      unpacking_.push_back(copy_time * each * own_received * (sent - own_sent));
    }
  }
}

// --- the networks that a line passes
// ---------------------------------------------------------------------------

std::uint32_t TransposedLines::port_of(std::size_t level, std::int64_t network) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>>& known = port_of_[level];
  const auto at = static_cast<std::size_t>(network);
  if (known.size() <= at) {
    known.resize(at + 1);
  }
  auto& [generation, port] = known[at];
  if (generation != generation_) {
    generation = generation_;
    port = static_cast<std::uint32_t>(level_of_.size());
    level_of_.resize(level_of_.size() + 2, static_cast<std::uint32_t>(level + 1));
    loads_.resize(std::max(loads_.size(), level_of_.size()));
    clear(loads_[port], HUGE_VAL);
    clear(loads_[port + 1], HUGE_VAL);
  }
  return port;
}

void TransposedLines::begin_line(const Line& line) {
  line_ = line;
  const std::size_t top = levels_.size();
  members_[top].assign(1, {0, extent_, 0.0, none});
  for (std::size_t level = top; level-- > 1;) {
    const std::int64_t size = levels_[level - 1].size;
    members_[level].clear();
    for (const Member& network : members_[level + 1]) {
      for (std::int64_t x = network.begin; x < network.end;) {
        const std::int64_t number = (line.first + x * stride_) / size;
        const std::int64_t rest = (number + 1) * size - line.first;
        const std::int64_t end = std::min(network.end, (rest + stride_ - 1) / stride_);
        members_[level].push_back(
            {x, end, sending_before(level, network, x), port_of(level - 1, number)});
        x = end;
      }
    }
  }
  members_[0].clear();
  const auto own = static_cast<std::uint32_t>(level_of_.size());
  for (std::int64_t x = 0; x < extent_; ++x) {
    members_[0].push_back({x, x + 1, 0.0, own + 2 * kind_at(x)});
    Progress& now = progress(x);
    now.sending = now.receiving = now.end = 0.0;
    now.arrivals.clear();
  }
}

template <class F>
void TransposedLines::for_each_network(std::size_t level, F&& f) {
  std::span<const Member> members = members_[level];
  for (const Member& network : members_[level + 1]) {
    std::size_t count = 0;
    while (count < members.size() && members[count].begin < network.end) {
      ++count;
    }
    f(network, members.first(count));
    const double all = within(receivers_, network);
    for (const Member& member : members.first(count)) {
      const double others = all - within(receivers_, member);
      for (std::int64_t x = member.begin; x < member.end; ++x) {
        if (kinds_[kind_at(x)].sends != none) {
          progress(x).sending += levels_[level].network.send_time * others;
        }
      }
    }
    members = members.subspan(count);
  }
}

// --- messages of a line
// ----------------------------------------------------------------------------------------

void TransposedLines::find_senders(std::size_t level, std::span<const Member> members) {
  senders_.clear();
  for (const Member& member : members) {
    const double there = levels_[level].network.send_time * within(receivers_, member);
    for (std::int64_t x = member.begin; x < member.end; ++x) {
      const std::uint32_t kind = kind_at(x);
      if (kinds_[kind].sends == none) {
        continue;
      }
      const std::uint32_t load = same_[member.port];
      const double skipped = progress(x).sending - there;
      auto known = std::find_if(senders_.begin(), senders_.end(), [&](const Senders& each) {
        return each.kind == kind && each.load == load && each.skipped == skipped;
      });
      if (known == senders_.end()) {
        senders_.push_back({kind, load, skipped, 0.0, 0.0, 0.0});
        known = senders_.end() - 1;
      }
      known->all += 1.0;
      senders_of_[static_cast<std::size_t>(x)] =
          static_cast<std::uint32_t>(known - senders_.begin());
    }
  }
}

void TransposedLines::find_sources(const Member& member) {
  for (Senders& senders : senders_) {
    senders.below += std::exchange(senders.own, 0.0);
  }
  for (std::int64_t x = member.begin; x < member.end; ++x) {
    if (kinds_[kind_at(x)].sends != none) {
      senders_[senders_of_[static_cast<std::size_t>(x)]].own += 1.0;
    }
  }
  sources_.clear();
  for (const Senders& senders : senders_) {
    const auto add = [&](double count, double ready) {
      if (count > 0.0) {
        sources_.push_back({kinds_[senders.kind].sends, senders.load, count, ready});
      }
    };
    const double packed = packing(senders.kind);
    add(senders.below, packed + senders.skipped);
    add(senders.all - senders.below - senders.own, packed);
  }
}

void TransposedLines::send(std::size_t level, const Member& network, const Member& member,
                           std::int64_t x) {
  const std::uint32_t sends = kinds_[kind_at(x)].sends;
  if (sends == none) {
    return;
  }
  Progress& now = progress(x);
  const double own = levels_[level].network.send_time * within(receivers_, member);
  for (std::uint32_t j = 0; j < received_.size(); ++j) {
    const auto last_below = [&](std::int64_t end) {
      return received_[j].last[static_cast<std::size_t>(end)];
    };
    std::int64_t last = last_below(network.end);
    double ready = packing(kind_at(x)) + now.sending - own;
    if (last < member.end) {  // none above
      last = last_below(member.begin);
      ready = packing(kind_at(x));
    }
    if (last < network.begin) {
      continue;
    }
    const std::size_t size = size_of(sends, j);
    ready += sending_before(level, network, last + 1);
    now.end =
        std::max({now.end, ready + sizes_.time(level, size), loads_[member.port].through[size]});
  }
}

void TransposedLines::receive(std::size_t level, const Member& network, const Member& member,
                              std::int64_t x) {
  const std::uint32_t receives = kinds_[kind_at(x)].receives;
  if (receives == none || sources_.empty()) {
    return;
  }
  const machine::Network& ports = levels_[level].network;
  Progress& now = progress(x);
  const double sent = sending_before(level, network, x + 1);
  const Load& in = loads_[member.port + 1];
  double begin = 0.0;
  if (level == 0) {
    begin = HUGE_VAL;
    for (const Source& source : sources_) {
      begin = std::min(begin, source.ready + sent);
    }
    busy_ = std::max(busy_, in.seconds > 0.0 ? begin + in.seconds : 0.0);
  }
  for (const Source& source : sources_) {
    const std::size_t size = size_of(source.sends, receives);
    const double through = std::max({source.ready + sent + sizes_.time(level, size),
                                     loads_[source.load].through[size], begin + in.through[size]});
    now.arrivals.push_back(
        {through + ports.start_of(sizes_.bytes(size)), source.count, ports.receive_time});
    now.receiving += source.count * ports.receive_time;
  }
}

void TransposedLines::finish(std::vector<double>& ends, std::vector<double>& overheads) {
  for (std::int64_t x = 0; x < extent_; ++x) {
    Progress& now = progress(x);
    const std::size_t copying = line_.bytes * kinds_.size() + kind_at(x);
    if (now.receiving > 0.0) {
      std::sort(now.arrivals.begin(), now.arrivals.end(),
                [](const Arrival& a, const Arrival& b) { return a.time < b.time; });
    }
    const double prepared = packing_[copying] + now.sending;
    double done = prepared;
    for (const Arrival& arrival : now.arrivals) {
      done = std::max(done, arrival.time) + arrival.count * arrival.cost;
    }
    const double overhead = prepared + now.receiving + unpacking_[copying];
    const double received = now.arrivals.empty() ? 0.0 : done + unpacking_[copying];
    // Nobody is through before having paid, but for rounding.
    ends.push_back(std::max({now.end, received, overhead}));
    overheads.push_back(overhead);
  }
}

void TransposedLines::work_out(std::span<const Line> lines, std::vector<double>& ends,
                               std::vector<double>& overheads) {
  ++generation_;
  level_of_.clear();
  const auto above_the_lowest = [&](auto&& f) {
    for (const Line& line : levels_.size() > 1 ? lines : lines.first(0)) {
      begin_line(line);
      for_each_network(0, [](const Member&, std::span<const Member>) {});
      for (std::size_t level = 1; level < levels_.size(); ++level) {
        for_each_network(level, [&](const Member& network, std::span<const Member> members) {
          f(level, network, members);
        });
      }
    }
  };
  above_the_lowest([this](auto... network) { add_loads(network...); });
  same_.resize(level_of_.size() + 2 * kinds_.size());
  std::iota(same_.begin(), same_.end(), 0U);
  loads_.resize(std::max(loads_.size(), same_.size()));
  enter_all(0);
  above_the_lowest([this](auto... network) { begin_loads_in(network...); });
  enter_all(1);
  for (const Line& line : lines) {
    begin_line(line);
    for (std::size_t level = 0; level < levels_.size(); ++level) {
      for_each_network(level, [&](const Member& network, std::span<const Member> members) {
        if (level == 0) {
          load_own(network);
        }
        find_senders(level, members);
        for (const Member& member : members) {
          find_sources(member);
          for (std::int64_t x = member.begin; x < member.end; ++x) {
            send(level, network, member, x);
            receive(level, network, member, x);
          }
        }
      });
    }
    finish(ends, overheads);
  }
}

}  // namespace gridcast::network
