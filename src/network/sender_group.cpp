#include "sender_group.h"

#include <algorithm>
#include <span>

namespace gridcast::network {
namespace {

/// Fewer senders next to each other are followed one by one.
constexpr std::size_t few = 4;
/// Raises each to every `step`-th of the ends.
void raise(double* each, std::size_t count, const double* ends, std::size_t step) {
  for (std::size_t j = 0; j < count; ++j) {
    each[j] = std::max(each[j], ends[j * step]);
  }
}

}  // namespace

void SenderGroup::list(std::vector<SingleMessage>& messages) const {
  for (std::size_t i = 0; i < count_; ++i) {
    for (const Sent& sent : sent_) {
      messages.push_back({sent.length, own_ + i, sent.end + i});
    }
  }
}

void SenderGroup::place(ChannelLine& line, std::int64_t shift) const {
  double* const own = own_ + shift;
  const std::size_t each = sent_.size();
  const double length = sent_.front().length;
  std::size_t i = 0;
  for (; i < count_ && !(equal_ && count_ - i >= few && line.turns(length)); ++i) {
    for (const Sent& sent : sent_) {
      const double end = line.place(sent.length);
      double& received = sent.end[shift + static_cast<std::ptrdiff_t>(i)];
      own[i] = std::max(own[i], end);
      received = std::max(received, end);
    }
  }
  if (i < count_) {
    const std::size_t rest = count_ - i;
    const std::span<const double> all = line.place_all(length, rest * each);
    for (std::size_t k = 0; k < each; ++k) {
      raise(sent_[k].end + shift + i, rest, all.data() + k, each);
    }
    raise(own + i, rest, all.data() + each - 1, each);
  }
}

}  // namespace gridcast::network
