/// What passes the ports that lines share in which all send to all.

#include <algorithm>

#include "transposed_lines.h"

namespace gridcast::network {

void TransposedLines::add_loads(std::size_t level, const Member& network,
                                std::span<const Member> members) {
  for (const Member& member : members) {
    const auto others = [&](const Amount& amount) {
      return within(amount, network) - within(amount, member);
    };
    Load& out = loads_[member.port];
    Load& in = loads_[member.port + 1];
    for (std::uint32_t i = 0; i < sent_.size(); ++i) {
      for (std::uint32_t j = 0; j < received_.size(); ++j) {
        const std::size_t size = size_of(i, j);
        out.counts[size] += line_.count * within(sent_[i], member) * others(received_[j]);
        in.counts[size] += line_.count * others(sent_[i]) * within(received_[j], member);
      }
    }
    if (!(others(receivers_) > 0.0)) {
      continue;
    }
    const bool lower = within(receivers_, network.begin, member.begin) > 0.0;
    for (std::int64_t x = member.begin; x < member.end; ++x) {
      if (kinds_[kind_at(x)].sends != none) {
        const double earlier = network.before + (lower ? 0.0 : progress(x).sending);
        out.begin =
            std::min(out.begin, packing(kind_at(x)) + earlier + levels_[level].network.send_time);
      }
    }
  }
}

void TransposedLines::begin_loads_in(std::size_t level, const Member& network,
                                     std::span<const Member> members) {
  find_senders(level, members);
  for (const Member& member : members) {
    find_sources(member);
    const auto receiver = std::upper_bound(
        receivers_.below.begin() + member.begin, receivers_.below.begin() + member.end,
        receivers_.below[static_cast<std::size_t>(member.begin)]);
    const std::int64_t end = receiver - receivers_.below.begin();
    if (!(within(receivers_, member) > 0.0)) {
      continue;
    }
    Load& in = loads_[member.port + 1];
    for (const Source& source : sources_) {
      in.begin = std::min(in.begin, source.ready + sending_before(level, network, end));
    }
  }
}

void TransposedLines::clear(Load& load, double begin) const {
  load.begin = begin;
  load.counts.assign(sizes_.size(), 0.0);
  load.through.resize(sizes_.size());
}

void TransposedLines::enter(Load& load, std::size_t level) {
  load.seconds = sizes_.enter(level, load.begin, load.counts, load.through);
  if (load.seconds > 0.0) {
    busy_ = std::max(busy_, load.begin + load.seconds);
  }
}

void TransposedLines::enter_all(std::uint32_t way) {
  constexpr std::uint32_t looked_at = 16;  // few take turns
  for (std::uint32_t port = way; port < level_of_.size(); port += 2) {
    Load& load = loads_[port];
    enter(load, level_of_[port]);
    same_[port] = port;
    for (std::uint32_t back = 2; back <= std::min(port, looked_at); back += 2) {
      const Load& other = loads_[port - back];
      if (level_of_[port - back] == level_of_[port] && other.begin == load.begin &&
          other.counts == load.counts) {
        same_[port] = same_[port - back];
        break;
      }
    }
  }
}

void TransposedLines::load_own(const Member& network) {
  const auto own = static_cast<std::uint32_t>(level_of_.size());
  loaded_.assign(kinds_.size(), 0);
  for (std::int64_t x = network.begin; x < network.end; ++x) {
    const std::uint32_t which = kind_at(x);
    if (std::exchange(loaded_[which], 1) != 0) {
      continue;
    }
    const Kind& kind = kinds_[which];
    Load& out = loads_[own + 2 * which];
    Load& in = loads_[own + 2 * which + 1];
    clear(out, packing(which) + network.before + levels_.front().network.send_time);
    clear(in, 0.0);  // the earliest of all; receive() has that of each
    for (std::uint32_t j = 0; kind.sends != none && j < received_.size(); ++j) {
      out.counts[size_of(kind.sends, j)] =
          within(received_[j], network) - (j == kind.receives ? 1.0 : 0.0);
    }
    for (std::uint32_t i = 0; kind.receives != none && i < sent_.size(); ++i) {
      in.counts[size_of(i, kind.receives)] =
          within(sent_[i], network) - (i == kind.sends ? 1.0 : 0.0);
    }
    enter(out, 0);
    enter(in, 0);
  }
}

}  // namespace gridcast::network
