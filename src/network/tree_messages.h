#pragma once
/// Internal: the messages of an exchange over a tree of networks, as those who walk over its
/// processors want them.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "channel_line.h"
#include "gridcast/network/class_messages.h"
#include "gridcast/network/folded_ends.h"
#include "gridcast/network/network_levels.h"

namespace gridcast::network {

/// What the processors of each class send.
class TreeMessages {
public:
  struct Message {
    std::int64_t offset = 0;
    std::int64_t rows = 0;      ///< of the receiver after the sender's
    std::int64_t position = 0;  ///< of the receiver in its row after the sender's
    std::size_t lengths = 0;
  };

  TreeMessages(const FoldedEnds& ends, const ClassExchange& exchange,
               std::span<const NetworkLevel> levels);

  [[nodiscard]] std::span<const Message> of(std::size_t which) const noexcept {
    return {messages_.data() + first_[which], messages_.data() + first_[which + 1]};
  }
  /// How long a message takes a channel of a network of the level.
  [[nodiscard]] double length(const Message& message, std::size_t level) const noexcept {
    return lengths_[message.lengths + level];
  }
  /// How many processors from the one at that place under a network of so many on send alike, as
  /// far as it matters which of their messages stay under it.
  static std::int64_t alike(std::span<const Message> messages, std::int64_t place,
                            std::int64_t size) noexcept;

private:
  std::vector<Message> messages_;
  std::vector<std::size_t> first_;  // per class, and the end
  std::vector<double> lengths_;
};

/// What several processors next to each other send over one network, all the same.
class SenderGroup {
public:
  void clear() {
    sent_.clear();
    equal_ = true;
  }
  /// Each sends a message that takes a channel so long; `end` is that of the first one's receiver.
  /// An empty message takes no channel, and nobody waits for it.
  void add(double length, double* end) {
    if (length > 0.0) {
      sent_.push_back({length, end});
      equal_ = equal_ && length == sent_.front().length;
    }
  }
  /// Places all that so many of them send, whose own ends begin at `own`.
  void place(ChannelLine& line, double* own, std::int64_t count);

private:
  struct Sent {
    double length = 0.0;
    double* end = nullptr;
  };

  std::vector<Sent> sent_;
  bool equal_ = true;
};

}  // namespace gridcast::network
