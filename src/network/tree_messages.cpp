#include "tree_messages.h"

#include "gridcast/network/message_time.h"

namespace gridcast::network {
namespace {

/// Raises each to every `step`-th of the ends.
void raise(double* each, std::size_t count, const double* ends, std::size_t step) {
  for (std::size_t j = 0; j < count; ++j) {
    each[j] = std::max(each[j], ends[j * step]);
  }
}

}  // namespace

TreeMessages::TreeMessages(const FoldedEnds& ends, const ClassExchange& exchange,
                           std::span<const NetworkLevel> levels) {
  first_.assign(1, 0);
  const auto along = static_cast<std::size_t>(ends.along());
  for (std::size_t which = 0; which < ends.classes().size(); ++which) {
    for (const ClassMessage& message : exchange.messages(which)) {
      const auto rows = std::int64_t{0} + message.shift[along];
      messages_.push_back(
          {message.offset, rows, message.offset - rows * ends.row_length(), lengths_.size()});
      for (const NetworkLevel& level : levels) {
        lengths_.push_back(channel_time(level.network, message.bytes));
      }
    }
    first_.push_back(messages_.size());
  }
}

std::int64_t TreeMessages::alike(std::span<const Message> messages, std::int64_t place,
                                 std::int64_t size) noexcept {
  std::int64_t count = size - place;
  for (const Message& message : messages) {
    const std::int64_t border = message.offset < 0 ? -message.offset : size - message.offset;
    count = border > place ? std::min(count, border - place) : count;
  }
  return count;
}

void SenderGroup::place(ChannelLine& line, double* own, std::int64_t count) {
  if (sent_.empty()) {
    return;
  }
  std::size_t i = 0;
  const auto senders = static_cast<std::size_t>(count);
  const std::size_t each = sent_.size();
  const double length = sent_.front().length;
  for (; i < senders && !(equal_ && line.turns(length)); ++i) {
    for (const Sent& sent : sent_) {
      const double end = line.place(sent.length);
      own[i] = std::max(own[i], end);
      sent.end[i] = std::max(sent.end[i], end);
    }
  }
  if (i < senders) {
    const std::size_t rest = senders - i;
    const std::span<const double> all = line.place_all(length, rest * each);
    for (std::size_t k = 0; k < each; ++k) {
      raise(sent_[k].end + i, rest, all.data() + k, each);
    }
    raise(own + i, rest, all.data() + each - 1, each);
  }
}

}  // namespace gridcast::network
