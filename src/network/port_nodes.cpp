#include "port_nodes.h"

#include <algorithm>
#include <bit>

#include "gridcast/mapping/index_range.h"
#include "gridcast/network/message_time.h"

namespace gridcast::network {
namespace {

bool sends_alike(std::span<const ClassMessage> a, std::span<const ClassMessage> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const ClassMessage& x, const ClassMessage& y) {
                      return x.offset == y.offset && x.bytes == y.bytes && x.strided == y.strided;
                    });
}

}  // namespace

void PortNodes::reset(const ProcessorClasses& classes, const ClassExchange& exchange,
                      std::span<const NetworkLevel> levels, double copy_time) {
  levels_ = levels;
  copy_time_ = copy_time;
  size_ = levels.size() > 1 ? levels[levels.size() - 2].size : 1;
  costly_ =
      copy_time > 0.0 || std::any_of(levels.begin(), levels.end(), [](const NetworkLevel& level) {
        return level.network.send_time > 0.0 || level.network.receive_time > 0.0;
      });
  known_patterns_.clear();
  known_lists_.clear();
  known_times_.clear();
  parts_.clear();
  patterns_.clear();
  sent_until_.clear();
  paid_.clear();
  lists_of_.clear();
  sent_.clear();
  lists_.assign(1, Range{});  // nothing
  keys_.clear();
  ends_.clear();
  overheads_.clear();
  find_kinds(classes, exchange);
  find_ways();
}

void PortNodes::find_kinds(const ProcessorClasses& classes, const ClassExchange& exchange) {
  kind_of_.clear();
  kinds_.clear();
  messages_.clear();
  lengths_.clear();
  offsets_.clear();
  std::vector<std::size_t> first;  // class of each kind
  for (std::size_t which = 0; which < classes.size(); ++which) {
    const std::span<const ClassMessage> messages = exchange.messages(which);
    const auto found = std::find_if(first.begin(), first.end(), [&](std::size_t other) {
      return sends_alike(exchange.messages(other), messages);
    });
    kind_of_.push_back(static_cast<std::uint32_t>(found - first.begin()));
    if (found != first.end()) {
      continue;
    }
    first.push_back(which);
    Kind kind{static_cast<std::uint32_t>(messages_.size()), 0, 0.0};
    for (const ClassMessage& message : messages) {
      const auto way = std::find(offsets_.begin(), offsets_.end(), message.offset);
      messages_.push_back({static_cast<std::uint32_t>(way - offsets_.begin()),
                           static_cast<std::uint32_t>(lengths_.size()),
                           message.strided * copy_time_});
      if (way == offsets_.end()) {
        offsets_.push_back(message.offset);
      }
      for (const NetworkLevel& level : levels_) {
        lengths_.push_back(port_time(level.network, message.bytes));
      }
      kind.packing += message.strided * copy_time_;
    }
    kind.end = static_cast<std::uint32_t>(messages_.size());
    kinds_.push_back(kind);
  }
}

void PortNodes::find_ways() {
  const auto top = static_cast<std::uint32_t>(levels_.size() - 1);
  // What is sent by a node so much before reaches this one.
  sources_.clear();
  for (const std::int64_t offset : offsets_) {
    for (const std::int64_t after :
         {mapping::floor_div(offset, size_), mapping::floor_div(offset + size_ - 1, size_)}) {
      sources_.push_back(-after);
    }
  }
  std::sort(sources_.begin(), sources_.end());
  sources_.erase(std::unique(sources_.begin(), sources_.end()), sources_.end());
  leaving_.resize(std::max(leaving_.size(), sources_.size()));
  first_port_.assign(1, 0);
  for (std::size_t level = 0; level < top; ++level) {
    const std::int64_t member = level == 0 ? 1 : levels_[level - 1].size;
    first_port_.push_back(first_port_.back() + static_cast<std::uint32_t>(size_ / member));
  }
  ports_.resize(first_port_.back() + 1);
  const auto size = static_cast<std::size_t>(size_);
  places_.resize(offsets_.size() * size);
  for (std::size_t way = 0; way < offsets_.size(); ++way) {
    for (std::size_t i = 0; i < size; ++i) {
      const auto from = static_cast<std::int64_t>(i);
      const std::int64_t after = mapping::floor_div(from + offsets_[way], size_);
      const std::int64_t to = from + offsets_[way] - after * size_;
      Place& place = places_[way * size + i];
      place.level = top;
      for (std::uint32_t level = 0; after == 0 && level < top; ++level) {
        if (from / levels_[level].size == to / levels_[level].size) {
          place.level = level;
          break;
        }
      }
      const std::int64_t member = place.level == 0 ? 1 : levels_[place.level - 1].size;
      place.source = static_cast<std::uint32_t>(
          std::lower_bound(sources_.begin(), sources_.end(), -after) - sources_.begin());
      place.position = static_cast<std::uint32_t>(to);
      place.out = first_port_[place.level] + static_cast<std::uint32_t>(from / member);
      place.in = first_port_[place.level] + static_cast<std::uint32_t>(to / member);
    }
  }
}

// --- what a node sends
// ----------------------------------------------------------------------------------------------

std::uint32_t PortNodes::pattern(std::span<const Part> parts) {
  Hash hash;
  for (const Part& part : parts) {
    hash.add(static_cast<std::uint64_t>(part.end) << 32U | part.kind);
  }
  const auto fresh = static_cast<std::uint32_t>(patterns_.size());
  const std::uint32_t found = known_patterns_.find(hash.value(), fresh, [&](std::uint32_t other) {
    const Range& range = patterns_[other].parts;
    return std::equal(
        parts.begin(), parts.end(), parts_.begin() + range.begin, parts_.begin() + range.end,
        [](const Part& a, const Part& b) { return a.end == b.end && a.kind == b.kind; });
  });
  if (found == fresh) {
    send(parts);
  }
  return found;
}

void PortNodes::send(std::span<const Part> parts) {
  Pattern pattern;
  pattern.parts.begin = static_cast<std::uint32_t>(parts_.size());
  parts_.insert(parts_.end(), parts.begin(), parts.end());
  pattern.parts.end = static_cast<std::uint32_t>(parts_.size());
  pattern.processors = static_cast<std::uint32_t>(sent_until_.size());
  pattern.lists = static_cast<std::uint32_t>(lists_of_.size());
  for (Channel& port : ports_) {
    port.clear();
  }
  for (std::vector<Sent>& list : leaving_) {
    list.clear();
  }
  std::uint32_t position = 0;
  for (const Part& part : parts) {
    for (; position < static_cast<std::uint32_t>(part.end); ++position) {
      send(position, kinds_[part.kind]);
    }
  }
  for (std::size_t source = 0; source < sources_.size(); ++source) {
    lists_of_.push_back(leaving_[source].empty() ? 0 : intern(leaving_[source]));
  }
  patterns_.push_back(pattern);
}

void PortNodes::send(std::uint32_t position, const Kind& kind) {
  double ready = kind.packing;
  double until = 0.0;
  for (std::uint32_t m = kind.begin; m < kind.end; ++m) {
    const Message& message = messages_[m];
    const Place& place = places_[message.way * static_cast<std::size_t>(size_) + position];
    const machine::Network& network = levels_[place.level].network;
    const double length = lengths_[message.lengths + place.level];
    ready += network.send_time;
    const double leaves = ports_[place.out].pass(ready, length);
    until = std::max(until, leaves + length);
    leaving_[place.source].push_back({leaves + network.start_time, length, message.packing,
                                      place.position, place.in, place.level});
  }
  sent_until_.push_back(until);
  paid_.push_back(ready);
}

std::uint32_t PortNodes::intern(const std::vector<Sent>& list) {
  Hash hash;
  for (const Sent& sent : list) {
    hash.add(std::bit_cast<std::uint64_t>(sent.reaches) ^ sent.position);
  }
  const auto fresh = static_cast<std::uint32_t>(lists_.size());
  const std::uint32_t found = known_lists_.find(hash.value(), fresh, [&](std::uint32_t other) {
    return std::equal(list.begin(), list.end(), sent_.begin() + lists_[other].begin,
                      sent_.begin() + lists_[other].end);
  });
  if (found == fresh) {
    Range range{static_cast<std::uint32_t>(sent_.size()), 0};
    sent_.insert(sent_.end(), list.begin(), list.end());
    range.end = static_cast<std::uint32_t>(sent_.size());
    lists_.push_back(range);
  }
  return found;
}

// --- what it receives
// ----------------------------------------------------------------------------------------------

PortNodes::Times PortNodes::times(std::uint32_t pattern, std::span<const std::uint32_t> sources) {
  key_.assign(1, pattern);
  for (std::size_t source = 0; source < sources_.size(); ++source) {
    const std::uint32_t from = sources[source];
    key_.push_back(from == Interner::unknown ? 0 : lists_of_[patterns_[from].lists + source]);
  }
  Hash hash;
  for (const std::uint32_t part : key_) {
    hash.add(part);
  }
  const auto size = static_cast<std::size_t>(size_);
  const auto fresh = static_cast<std::uint32_t>(ends_.size() / size);
  const std::uint32_t found = known_times_.find(hash.value(), fresh, [&](std::uint32_t other) {
    return std::equal(key_.begin(), key_.end(), keys_.data() + other * key_.size());
  });
  if (found == fresh) {
    keys_.insert(keys_.end(), key_.begin(), key_.end());
    simulate(patterns_[pattern]);
  }
  const std::span<const double> overheads(overheads_);
  return {std::span(ends_).subspan(found * size, size),
          costly_ ? overheads.subspan(found * size, size) : overheads};
}

void PortNodes::simulate(const Pattern& pattern) {
  for (Channel& port : ports_) {
    port.clear();
  }
  const auto size = static_cast<std::size_t>(size_);
  arrivals_.resize(size * offsets_.size());
  arrived_.assign(size, 0);
  unpacking_.assign(size, 0.0);
  for (std::size_t source = 0; source < sources_.size(); ++source) {
    const Range& list = lists_[key_[source + 1]];
    for (std::uint32_t k = list.begin; k < list.end; ++k) {
      receive(sent_[k]);
    }
  }
  const std::size_t at = ends_.size();
  ends_.resize(at + size, 0.0);
  overheads_.resize(costly_ ? at + size : 0, 0.0);
  const auto present = pattern.parts.begin == pattern.parts.end
                           ? std::size_t{0}
                           : static_cast<std::size_t>(parts_[pattern.parts.end - 1].end);
  for (std::size_t i = 0; i < present; ++i) {
    finish(i, at + i, sent_until_[pattern.processors + i], paid_[pattern.processors + i]);
  }
}

void PortNodes::receive(const Sent& sent) {
  const double time = ports_[sent.port].pass(sent.reaches, sent.length) + sent.length;
  // In order of arrival, in that of the list if they come together.
  Arrival* const first = arrivals_.data() + sent.position * offsets_.size();
  Arrival* at = first + arrived_[sent.position]++;
  for (; at > first && (at - 1)->time > time; --at) {
    *at = *(at - 1);
  }
  *at = {time, levels_[sent.level].network.receive_time};
  unpacking_[sent.position] += sent.unpacking;
}

void PortNodes::finish(std::size_t position, std::size_t at, double sent_until, double paid) {
  const Arrival* const first = arrivals_.data() + position * offsets_.size();
  double done = paid;
  double receiving = 0.0;
  for (std::uint32_t k = 0; k < arrived_[position]; ++k) {
    done = std::max(done, first[k].time) + first[k].receiving;
    receiving += first[k].receiving;
  }
  ends_[at] =
      arrived_[position] > 0 ? std::max(sent_until, done + unpacking_[position]) : sent_until;
  if (costly_) {
    overheads_[at] = paid + receiving + unpacking_[position];
  }
}

}  // namespace gridcast::network
