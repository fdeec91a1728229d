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
};

/// The pieces of those over one network of ports.
class RangeOverPorts {
public:
  RangeOverPorts(const machine::Network& network, std::int64_t member, double bytes,
                 const FanPort& port, const FanRange& range)
      : range_(range),
        member_(member),
        length_(port_time(network, bytes)),
        arrives_(network.start_of(bytes) + network.receive_time),
        rest_(length_ - network.time_of(bytes)),
        through_(port.begin + port.count * length_ - rest_) {
    all_.base = range.ready + network.send_time + length_ - rest_ + arrives_;
    all_.step = network.send_time;
    all_.overhead = network.receive_time;
    all_.level = range.level;
  }

  /// When all has left.
  [[nodiscard]] double until() const noexcept {
    return std::max(through_, all_.base - arrives_ + (range_.count() - 1.0) * all_.step);
  }
  /// The ports are idle from then on, as far as pieces were added.
  [[nodiscard]] double busy() const noexcept { return busy_; }

  /// Whoever shares a port in does not matter, as long as the sender's port is last.
  bool add_any(std::vector<FanPiece>& pieces) {
    const double slowest = std::max(all_.step, length_);
    const double latest = all_.base + (range_.count() - 1.0) * slowest - arrives_;
    if (latest > through_ * (1.0 + relative_slack)) {
      return false;
    }
    add(range_.lo, range_.hi, 1, pieces);
    return true;
  }

  /// Those of consecutive processors from `first` on.
  void add_line(std::int64_t first, std::vector<FanPiece>& pieces) {
    const std::int64_t count = range_.hi - range_.lo;
    const std::int64_t into = first % member_;
    // The members that all of them receive in, and one before and one behind.
    const std::int64_t head = into == 0 ? 0 : std::min(member_ - into, count);
    const std::int64_t tail = (count - head) % member_;
    add(range_.lo, range_.lo + head, head, pieces);
    add(range_.lo + head, range_.hi - tail, member_, pieces);
    add(range_.hi - tail, range_.hi, tail, pieces);
  }

private:
  /// Receivers that share ports in in groups of so many; none is through before the port out is.
  void add(std::int64_t lo, std::int64_t hi, std::int64_t group, std::vector<FanPiece>& pieces) {
    if (lo == hi) {
      return;
    }
    FanPiece piece = all_;
    piece.lo = lo;
    piece.hi = hi;
    piece.base += static_cast<double>(lo - range_.lo) * piece.step;
    piece.period = group;
    piece.wait = static_cast<double>(group - 1) * length_;
    const double least = through_ + arrives_;
    busy_ = std::max({busy_, through_ + rest_, piece.end(hi - 1) - arrives_ + rest_});
    std::int64_t high = hi;
    while (lo < high) {
      const std::int64_t middle = lo + (high - lo) / 2;
      if (piece.end(middle) < least) {
        lo = middle + 1;
      } else {
        high = middle;
      }
    }
    if (lo > piece.lo) {
      pieces.push_back({piece.lo, lo, least, 0.0, 1, 0, 0.0, 0.0, piece.overhead, piece.level});
    }
    if (lo < hi) {
      const std::int64_t before = lo - piece.lo;
      piece.base += static_cast<double>(before) * piece.step;
      piece.phase = before % group;
      piece.lo = lo;
      pieces.push_back(piece);
    }
  }

  FanRange range_;
  std::int64_t member_ = 1;
  double length_ = 0.0, arrives_ = 0.0;
  double rest_ = 0.0;     // of a port's time that nobody waits for
  double through_ = 0.0;  // when all is, as far as the sender's port decides
  double busy_ = 0.0;
  FanPiece all_;
};

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
                      std::int64_t first, std::vector<FanPiece>& pieces) {
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
    const std::int64_t member = range.level > 0 ? levels[range.level - 1].size : 1;
    RangeOverPorts over(levels[range.level].network, member, bytes, ports[range.level], range);
    if (first >= 0 || member == 1) {
      over.add_line(member > 1 ? first + range.lo : 0, pieces);
    } else if (!over.add_any(pieces)) {
      pieces.clear();
      return sender;
    }
    sender.until = std::max(sender.until, over.until());
    sender.busy = std::max(sender.busy, over.busy());
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
      arrivals.emplace_back(served - (length - network.time_of(bytes)) + network.start_of(bytes),
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
