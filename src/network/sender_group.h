#pragma once
/// Internal: what processors next to each other send over one network with channels.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gridcast/network/channel_line.h"

namespace gridcast::network {

/// A message, and where the ends of its sender and its receiver are.
struct SingleMessage {
  double length = 0.0;
  double *own = nullptr, *end = nullptr;
};

/// What processors next to each other send over one network, all the same.
class SenderGroup {
public:
  /// `count` senders; `own`: the end of the first of them.
  void begin(std::size_t level, std::int64_t count, double* own) {
    level_ = level;
    count_ = static_cast<std::size_t>(count);
    own_ = own;
    sent_.clear();
    equal_ = true;
  }
  /// Each sends a message of this length; `end` is that of the first one's receiver. An empty
  /// message takes no channel, and nobody waits for it.
  void add(double length, double* end) {
    if (length > 0.0) {
      sent_.push_back({length, end});
      equal_ = equal_ && length == sent_.front().length;
    }
  }
  [[nodiscard]] bool empty() const noexcept { return sent_.empty(); }
  /// That of the network.
  [[nodiscard]] std::size_t level() const noexcept { return level_; }
  /// Places all messages of the group that is `shift` processors behind this one, and raises the
  /// ends of their senders and receivers.
  void place(ChannelLine& line, std::int64_t shift = 0) const;
  /// Adds all its messages, one by one.
  void list(std::vector<SingleMessage>& messages) const;

private:
  struct Sent {
    double length = 0.0;
    double* end = nullptr;
  };

  std::size_t level_ = 0, count_ = 0;
  double* own_ = nullptr;
  std::vector<Sent> sent_;
  bool equal_ = true;
};

}  // namespace gridcast::network
