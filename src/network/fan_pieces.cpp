#include "fan_pieces.h"

#include <limits>
#include <utility>

#include "gridcast/network/message_time.h"
#include "gridcast/network/networks.h"

namespace gridcast::network {
namespace {

/// Receivers lo … hi - 1 under one network.
struct FanRange {
  std::size_t level = 0;
  std::int64_t lo = 0, hi = 0;
  double ready = 0.0;  ///< what is sent before is prepared

  [[nodiscard]] double count() const noexcept { return static_cast<double>(hi - lo); }
};

/// Those that are not empty, in order.
std::vector<FanRange> ranges_of(const FanBorders& borders) {
  std::vector<FanRange> ranges;
  const std::size_t levels = borders.lo.size() - 1;
  for (std::size_t level = levels; level-- > 0;) {
    ranges.push_back({level, borders.lo[level + 1], borders.lo[level]});
  }
  for (std::size_t level = 0; level < levels; ++level) {
    ranges.push_back({level, borders.hi[level], borders.hi[level + 1]});
  }
  std::erase_if(ranges, [](const FanRange& range) { return range.lo == range.hi; });
  return ranges;
}

/// What leaves the port out of the sender's member of a network.
struct FanPort {
  double begin = std::numeric_limits<double>::infinity();
  double count = 0.0;
  double through = 0.0;  ///< when all is, as far as the port decides
};

/// Cuts a piece where its ends pass `through`, which none is before.
void cut_at(const FanPiece& piece, double through, std::vector<FanPiece>& pieces) {
  std::int64_t low = piece.lo;
  std::int64_t high = piece.hi;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (piece.end(middle) < through) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low > piece.lo) {
    pieces.push_back({piece.lo, low, through, 0.0, 1, 0, 0.0, 0.0, piece.overhead, piece.level});
  }
  if (low < piece.hi) {
    FanPiece rest = piece;
    rest.base += static_cast<double>(low - piece.lo) * piece.step;
    rest.phase = (piece.phase + low - piece.lo) % piece.period;
    rest.lo = low;
    pieces.push_back(rest);
  }
}

}  // namespace

FanSender channel_pieces(std::span<const NetworkLevel> levels, double bytes,
                         const FanBorders& borders, std::vector<FanPiece>& pieces) {
  pieces.clear();
  FanSender sender;
  for (const FanRange& range : ranges_of(borders)) {
    const machine::Network& network = levels[range.level].network;
    const auto channels = static_cast<double>(network.channels);
    const double step = channel_time(network, bytes) / channels;
    // Those of the network before the sender have had their turns.
    const std::int64_t before = range.lo == borders.hi[range.level]
                                    ? borders.lo[range.level] - borders.lo[range.level + 1]
                                    : 0;
    const std::int64_t first = before + network.channels;
    pieces.push_back({range.lo, range.hi, static_cast<double>(first) * step, step, network.channels,
                      first % network.channels, 0.0, -HUGE_VAL, 0.0, range.level});
    sender.until = std::max(sender.until, pieces.back().end(range.hi - 1));
  }
  sender.busy = sender.until;
  return sender;
}

FanSender port_pieces(std::span<const NetworkLevel> levels, double bytes, const FanBorders& borders,
                      bool all, std::vector<FanPiece>& pieces) {
  pieces.clear();
  FanSender sender;
  std::vector<FanRange> ranges = ranges_of(borders);
  std::vector<FanPort> ports(levels.size());
  for (FanRange& range : ranges) {
    const double send = levels[range.level].network.send_time;
    range.ready = sender.overhead;
    ports[range.level].begin = std::min(ports[range.level].begin, range.ready + send);
    ports[range.level].count += range.count();
    sender.overhead += range.count() * send;
  }
  for (const FanRange& range : ranges) {
    const machine::Network& network = levels[range.level].network;
    const double length = port_time(network, bytes);
    const double alone = bytes * network.byte_time;
    const FanPort& port = ports[range.level];
    const double arrives = network.start_time + network.receive_time;
    const double through = port.begin + port.count * length - (length - alone);
    sender.busy = std::max(sender.busy, port.begin + port.count * length);
    const double last = range.ready + range.count() * network.send_time + alone;
    sender.until = std::max({sender.until, through, last});
    FanPiece piece{range.lo,
                   range.hi,
                   range.ready + network.send_time + alone + arrives,
                   network.send_time,
                   1,
                   0,
                   0.0,
                   0.0,
                   network.receive_time,
                   range.level};
    const std::int64_t member = range.level > 0 ? levels[range.level - 1].size : 1;
    if (member > 1 && !all) {
      // As long as the sender's port is last, whoever shares a port in does not matter.
      const double slowest = std::max(network.send_time, length);
      const double latest = piece.base + (range.count() - 1.0) * slowest - arrives;
      if (latest > through * (1.0 + relative_slack)) {
        pieces.clear();
        return sender;
      }
      piece.base = through + arrives;
      piece.step = 0.0;
      pieces.push_back(piece);
      continue;
    }
    const std::int64_t rest = (range.hi - range.lo) % member;
    FanPiece tail = piece;
    piece.hi = tail.lo = range.hi - rest;
    tail.base += static_cast<double>(tail.lo - range.lo) * piece.step;
    piece.period = member;
    tail.period = std::max<std::int64_t>(rest, 1);
    for (FanPiece* const part : {&piece, &tail}) {
      part->wait = static_cast<double>(part->period - 1) * length;
      if (part->lo < part->hi) {
        sender.busy = std::max(sender.busy, part->end(part->hi - 1) - arrives - alone + length);
        cut_at(*part, through + arrives, pieces);
      }
    }
  }
  return sender;
}

FanSender gather_over_ports(std::span<const NetworkLevel> levels, double bytes,
                            std::span<const std::int64_t> senders) {
  FanSender root;
  std::vector<std::pair<double, double>> arrivals;  // and what receiving them costs
  for (std::size_t level = 0; level < senders.size(); ++level) {
    if (senders[level] > 0) {
      const machine::Network& network = levels[level].network;
      const auto count = static_cast<double>(senders[level]);
      const double length = port_time(network, bytes);
      const double served = network.send_time + count * length;
      arrivals.emplace_back(served - (length - bytes * network.byte_time) + network.start_time,
                            count * network.receive_time);
      root.overhead += arrivals.back().second;
      root.busy = std::max(root.busy, served);
    }
  }
  std::sort(arrivals.begin(), arrivals.end());
  for (const auto& [arrival, receiving] : arrivals) {
    root.until = std::max(root.until, arrival) + receiving;
  }
  return root;
}

}  // namespace gridcast::network
