#include "fan_pieces.h"

#include <algorithm>
#include <cmath>

#include "gridcast/network/message_time.h"

namespace gridcast::network {
namespace {

/// Messages leave over ports in the order of their receivers.
class PortSender {
public:
  PortSender(std::span<const NetworkLevel> levels, double bytes, std::vector<FanPiece>& pieces)
      : levels_(levels), bytes_(bytes), taken_(levels.size(), 0.0), pieces_(&pieces) {}

  /// Receivers lo … hi - 1, all over the network of one level.
  void add(std::size_t level, std::int64_t lo, std::int64_t hi) {
    if (lo == hi) {
      return;
    }
    const machine::Network& network = levels_[level].network;
    const double length = port_time(network, bytes_);
    const double send = network.send_time;
    const auto count = static_cast<double>(hi - lo);
    const double ready = ready_ + send;
    const double leaves = std::max(ready, taken_[level]);
    const double arrives = network.start_time + length + network.receive_time;
    double last = leaves + (count - 1.0) * std::max(length, send);
    const auto piece = [&](std::int64_t from, std::int64_t until, double begin, double step) {
      pieces_->push_back({from, until, begin + arrives, step, 0, 1, network.receive_time, level});
    };
    if (leaves > ready && send > length) {
      // The port, taken by earlier messages, keeps up sooner or later with what is prepared.
      const auto behind = std::ceil((leaves - ready) / (send - length));
      const auto later = lo + static_cast<std::int64_t>(std::min(behind, count));
      piece(lo, later, leaves, length);
      if (later < hi) {
        piece(later, hi, ready + static_cast<double>(later - lo) * send, send);
      }
      last = std::max(leaves + (count - 1.0) * length, ready + (count - 1.0) * send);
    } else {
      piece(lo, hi, leaves, std::max(length, send));
    }
    ready_ += count * send;
    taken_[level] = last + length;
    sender_.until = std::max(sender_.until, last + length);
    sender_.overhead = ready_;
  }

  [[nodiscard]] const FanSender& sender() const noexcept { return sender_; }

private:
  std::span<const NetworkLevel> levels_;
  double bytes_;
  double ready_ = 0.0;         // what has been sent so far is prepared
  std::vector<double> taken_;  // per level, until when the port is
  std::vector<FanPiece>* pieces_;
  FanSender sender_;
};

}  // namespace

FanSender channel_pieces(std::span<const NetworkLevel> levels, double bytes,
                         const FanBorders& borders, std::vector<FanPiece>& pieces) {
  pieces.clear();
  FanSender sender;
  const auto add = [&](std::size_t level, std::int64_t lo, std::int64_t hi, std::int64_t before) {
    const machine::Network& network = levels[level].network;
    if (lo < hi) {
      pieces.push_back(
          {lo, hi, 0.0, channel_time(network, bytes), before + 1, network.channels, 0.0, level});
      sender.until = std::max(sender.until, pieces.back().end(hi - 1));
    }
  };
  for (std::size_t level = levels.size(); level-- > 0;) {
    add(level, borders.lo[level + 1], borders.lo[level], 0);
  }
  for (std::size_t level = 0; level < levels.size(); ++level) {
    add(level, borders.hi[level], borders.hi[level + 1], borders.lo[level] - borders.lo[level + 1]);
  }
  return sender;
}

FanSender port_pieces(std::span<const NetworkLevel> levels, double bytes, const FanBorders& borders,
                      std::vector<FanPiece>& pieces) {
  pieces.clear();
  PortSender sender(levels, bytes, pieces);
  for (std::size_t level = levels.size(); level-- > 0;) {
    sender.add(level, borders.lo[level + 1], borders.lo[level]);
  }
  for (std::size_t level = 0; level < levels.size(); ++level) {
    sender.add(level, borders.hi[level], borders.hi[level + 1]);
  }
  return sender.sender();
}

}  // namespace gridcast::network
