#pragma once
/// Networks that carry the edges of a pipelined loop, for equal processors. Edges enter
/// in the order in which they are ready, so a channel is taken from when it is free or the edge is
/// ready: gaps before that fit no later edge.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "gridcast/network/channel_line.h"
#include "gridcast/network/message_time.h"
#include "gridcast/network/network_levels.h"
#include "gridcast/network/port_load.h"

namespace gridcast::network {

/// What a processor sends to the next one after a portion.
struct PortionEdge {
  std::size_t number = 0;  ///< of all edges of a portion
  std::uint32_t from = 0, to = 0;
  double bytes = 0.0;
};

/// A grid of links: an edge starts when the previous one between the same two has ended.
class EdgeLinks {
public:
  /// `edges`: of a portion, at most; nothing is under way.
  EdgeLinks(const machine::Network& network, std::size_t edges)
      : network_(network), free_(edges, -std::numeric_limits<double>::infinity()) {}

  /// Sends an edge that is ready at `ready`; returns its end.
  double send(const PortionEdge& edge, double ready) {
    double& end = free_[edge.number];
    end = std::max(ready, end) + channel_time(network_, edge.bytes);
    return end;
  }

  /// Nothing that comes later waits for edges.
  [[nodiscard]] static double busy_until() noexcept {
    return -std::numeric_limits<double>::infinity();
  }

private:
  machine::Network network_;
  std::vector<double> free_;
};

/// A tree of networks with channels, alike on every level, or one such network.
class EdgeChannels {
public:
  /// Channels of the top network are taken until the times of `taken`; the others are free. `lines`
  /// holds their memory.
  EdgeChannels(std::span<const NetworkLevel> levels, std::size_t processors,
               std::span<const double> taken, std::vector<ChannelLine>& lines)
      : lines_(&lines) {
    std::size_t count = 0;
    for (const NetworkLevel& level : levels) {
      const auto size = static_cast<std::size_t>(level.size);
      levels_.push_back({size, count, level.network});
      const std::size_t first = count;
      count += (processors + size - 1) / size;
      lines.resize(std::max(lines.size(), count));
      for (std::size_t line = first; line < count; ++line) {
        lines[line].reset(level.network.channels);
      }
    }
    lines[count - 1].reset(levels.back().network.channels, taken);
    last_ = lines[count - 1].last();
  }

  /// Sends an edge that is ready at `ready`; returns its end.
  double send(const PortionEdge& edge, double ready) {
    auto level = levels_.begin();
    std::size_t member = 0;
    if (levels_.size() > 1) {
      for (member = edge.from / level->size; member != edge.to / level->size;) {
        ++level;
        member = edge.from / level->size;
      }
    }
    const double length = channel_time(level->network, edge.bytes);
    const double end = (*lines_)[level->first + member].place(length, ready);
    last_ = length > 0.0 ? std::max(last_, end) : last_;
    return end;
  }

  /// All channels are free from then on.
  [[nodiscard]] double busy_until() const noexcept { return last_; }

private:
  /// The networks of one level.
  struct Level {
    std::size_t size = 1;
    std::size_t first = 0;  // of its lines
    machine::Network network;
  };

  std::vector<Level> levels_;
  std::vector<ChannelLine>* lines_;
  double last_;
};

/// One network of ports: one out of each processor and one into it.
class EdgePorts {
public:
  /// All ports are idle; their memory.
  EdgePorts(const machine::Network& network, std::size_t processors, std::vector<Port>& ports)
      : network_(network), ports_(&ports) {
    ports.resize(std::max(ports.size(), 2 * processors));
    std::for_each(ports.begin(), ports.begin() + static_cast<std::ptrdiff_t>(2 * processors),
                  [](Port& port) { port.clear(); });
  }

  /// Sends an edge that is ready at `ready`; returns its arrival.
  double send(const PortionEdge& edge, double ready) {
    const double sent = pass(out(edge), edge.bytes, ready);
    return std::max(sent, pass(in(edge), edge.bytes, ready)) + network_.start_of(edge.bytes);
  }

  /// A message of a communication that began before all edges; enter() after the last one.
  void add(const PortionEdge& message, double ready) {
    passages_.resize(ports_->size());
    const double length = port_time(network_, message.bytes);
    passages_[out(message)].add(ready, length);
    passages_[in(message)].add(ready, length);
  }
  /// The messages that were added begin to pass their ports.
  void enter() {
    for (std::size_t port = 0; port < passages_.size(); ++port) {
      if (!passages_[port].load().empty()) {
        (*ports_)[port].enter(passages_[port]);
        last_ = std::max(last_, (*ports_)[port].busy_until());
      }
    }
    passages_.clear();
  }

  /// All ports are idle from then on.
  [[nodiscard]] double busy_until() const noexcept { return last_; }

private:
  static std::size_t out(const PortionEdge& edge) noexcept { return 2 * std::size_t{edge.from}; }
  static std::size_t in(const PortionEdge& edge) noexcept { return 2 * std::size_t{edge.to} + 1; }
  double pass(std::size_t at, double bytes, double ready) {
    Port& port = (*ports_)[at];
    const double end = port.pass(network_, bytes, ready);
    last_ = std::max(last_, port.busy_until());
    return end;
  }

  machine::Network network_;
  std::vector<Port>* ports_;
  std::vector<PortPassage> passages_;
  double last_ = -std::numeric_limits<double>::infinity();
};

/// Memory of networks that carry edges.
struct EdgeMemory {
  std::vector<ChannelLine> lines;
  std::vector<Port> ports;
};

/// Calls f with a network for the edges between so many processors: the tree of `levels`, or
/// `network` if there are none. `edges`: how many a portion has at most; `taken`: until when
/// channels are, if `network` has such.
template <class F>
void with_edge_network(const machine::Network& network, std::span<const NetworkLevel> levels,
                       std::size_t processors, std::size_t edges, std::span<const double> taken,
                       EdgeMemory& memory, F&& f) {
  if (!levels.empty()) {
    f(EdgeChannels(levels, processors, {}, memory.lines));
  } else if (network.type == machine::NetworkType::ports) {
    f(EdgePorts(network, processors, memory.ports));
  } else if (network.type == machine::NetworkType::transputer) {
    f(EdgeLinks(network, edges));
  } else {
    const NetworkLevel all{static_cast<std::int64_t>(processors), network};
    f(EdgeChannels({&all, 1}, processors, taken, memory.lines));
  }
}

}  // namespace gridcast::network
