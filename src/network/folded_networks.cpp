#include "folded_networks.h"

#include <algorithm>
#include <vector>

#include "gridcast/network/message_time.h"
#include "row_walk.h"
#include "sender_group.h"

namespace gridcast::network {
namespace {

/// Processors of a part from which on many next to each other send over the same networks.
constexpr std::int64_t large_part = 8;

/// What the processors of each class send.
class ExchangeRows {
public:
  ExchangeRows(FoldedEnds& ends, const ClassExchange& exchange,
               std::span<const NetworkLevel> levels);

  void run();

private:
  struct Message {
    std::int64_t offset = 0;
    std::int64_t rows = 0;      // of the receiver after the sender's
    std::int64_t position = 0;  // of the receiver in its row after the sender's
    std::size_t lengths = 0;    // per level
  };

  /// The row y, whose first processor is of that class.
  void place_row(std::size_t first_class, std::int64_t y);
  /// What the processor x of the row y and those behind it send that send alike, as far as it
  /// matters which of their messages stay under which networks: `most` at most; how many.
  std::int64_t place_groups(std::span<const Message> messages, std::int64_t y, std::int64_t x,
                            std::int64_t most);
  /// The parts from that on which begins with processor x of a row do as the one that groups_ is
  /// about did.
  void repeat_parts(std::int64_t x, std::int64_t count);
  [[nodiscard]] std::size_t level_of(std::int64_t place, std::int64_t offset) const noexcept;
  SenderGroup& next_group(std::size_t level, std::int64_t count, double* own);

  FoldedEnds* ends_;
  std::span<const NetworkLevel> levels_;
  std::size_t top_;
  std::int64_t part_;  // processors under a network below the top one; all if there is none
  RowWalk rows_;
  std::vector<Message> messages_;
  std::vector<std::size_t> first_;  // per class, and the end
  std::vector<double> lengths_;
  std::vector<SenderGroup> groups_;  // since a part began at recorded_ in the row
  std::size_t used_ = 0;             // of these
  std::int64_t recorded_ = 0;
  std::vector<SingleMessage> singles_;
  double below_;  // when the networks above processor 0 but for the top one are free
};

std::int64_t size_of_parts(std::span<const NetworkLevel> levels, std::int64_t all) {
  return levels.size() > 1 ? levels[levels.size() - 2].size : all;
}

ExchangeRows::ExchangeRows(FoldedEnds& ends, const ClassExchange& exchange,
                           std::span<const NetworkLevel> levels)
    : ends_(&ends),
      levels_(levels),
      top_(levels.size() - 1),
      part_(size_of_parts(levels, ends.classes().processors())),
      rows_(ends, levels, size_of_parts(levels, 1), 1),
      first_(1, 0),
      below_(levels.size() > 1 ? 0.0 : -1.0) {
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

void ExchangeRows::run() {
  const std::span<const std::int64_t> starts = ends_->classes().starts(ends_->along());
  for (std::size_t run = 0; run + 1 < starts.size(); ++run) {
    rows_.walk(starts[run], starts[run + 1],
               [this, first = ends_->first_class(run)](std::int64_t y) { place_row(first, y); });
  }
  rows_.finish(below_);
}

void ExchangeRows::place_row(std::size_t first_class, std::int64_t y) {
  for (const FoldedEnds::Segment& segment : ends_->segments()) {
    const std::size_t which = first_class + segment.which;
    const std::span messages(messages_.data() + first_[which],
                             messages_.data() + first_[which + 1]);
    std::int64_t place = (y * ends_->row_length() + segment.begin) % part_;
    used_ = 0;
    for (std::int64_t x = segment.begin; x < segment.end;) {
      std::int64_t count = 0;
      if (place == 0 && x - part_ >= segment.begin && x + part_ <= segment.end) {
        count = (segment.end - x) / part_;
        repeat_parts(x, count);
        count *= part_;
      } else {
        if (place == 0) {
          used_ = 0;
          recorded_ = x;
        }
        count = place_groups(messages, y, x, segment.end - x);
      }
      x += count;
      place = place + count < part_ ? place + count : 0;
    }
  }
}

std::int64_t ExchangeRows::place_groups(std::span<const Message> messages, std::int64_t y,
                                        std::int64_t x, std::int64_t most) {
  const std::int64_t number = y * ends_->row_length() + x;
  std::int64_t count = most;
  for (std::size_t level = 0; level < top_; ++level) {
    const std::int64_t size = levels_[level].size;
    const std::int64_t place = number % size;
    count = std::min(count, size - place);
    for (const Message& message : messages) {
      const std::int64_t border = message.offset < 0 ? -message.offset : size - message.offset;
      count = border > place ? std::min(count, border - place) : count;
    }
  }
  const std::int64_t place = number % part_;
  for (std::size_t level = 0; level <= top_; ++level) {
    ChannelLine& line = rows_.line(level);
    if (level < top_ && place % levels_[level].size == 0) {
      line.reset(levels_[level].network.channels);
    }
    SenderGroup& group = next_group(level, count, rows_.ends_over(level, 0) + x);
    for (const Message& message : messages) {
      if (level_of(place, message.offset) == level) {
        group.add(lengths_[message.lengths + level],
                  rows_.ends_over(level, message.rows) + x + message.position);
      }
    }
    if (group.empty()) {
      --used_;
      continue;
    }
    group.place(line);
    below_ = level < top_ && number < part_ ? std::max(below_, line.last()) : below_;
  }
  return count;
}

void ExchangeRows::repeat_parts(std::int64_t x, std::int64_t count) {
  const std::int64_t behind = x + count * part_;
  double* const low = rows_.ends_over(0, 0);
  for (std::int64_t at = x; at < behind; ++at) {
    low[at] = low[at - part_];  // messages within a part go along the row
  }
  const std::span groups(groups_.data(), used_);
  ChannelLine& line = rows_.line(top_);
  if (part_ >= large_part || line.channels() > 1) {
    for (; x < behind; x += part_) {
      for (const SenderGroup& group : groups) {
        if (group.level() == top_) {
          group.place(line, x - recorded_);
        }
      }
    }
    return;
  }
  singles_.clear();
  for (const SenderGroup& group : groups) {
    if (group.level() == top_) {
      group.list(singles_);
    }
  }
  line.place_many([&](auto&& place) {
    for (; x < behind; x += part_) {
      const std::int64_t shift = x - recorded_;
      for (const SingleMessage& message : singles_) {
        const double end = place(message.length);  // ends ascend
        message.own[shift] = message.end[shift] = end;
      }
    }
  });
}

SenderGroup& ExchangeRows::next_group(std::size_t level, std::int64_t count, double* own) {
  if (used_ == groups_.size()) {
    groups_.emplace_back();
  }
  groups_[used_].begin(level, count, own);
  return groups_[used_++];
}

std::size_t ExchangeRows::level_of(std::int64_t place, std::int64_t offset) const noexcept {
  std::size_t level = 0;
  for (; level < top_; ++level) {
    const std::int64_t there = place % levels_[level].size + offset;
    if (there >= 0 && there < levels_[level].size) {
      break;
    }
  }
  return level;
}

/// Processors by number, such as those under one of the root's networks.
struct Reach {
  std::int64_t lo = 0, hi = 0;

  [[nodiscard]] bool has(std::int64_t p) const noexcept { return lo <= p && p < hi; }
};

/// Messages from the root. They are equally long on a level, and each level's follow the order of
/// the processors.
class FanRows {
public:
  FanRows(FoldedEnds& ends, const Fan& fan, std::span<const NetworkLevel> levels, double base,
          std::span<const double> taken)
      : ends_(&ends), root_(fan.root), base_(base), rows_(ends, levels, 1, 0, base, taken) {
    const std::int64_t all = ends.classes().processors();
    for (const NetworkLevel& level : levels) {
      const std::int64_t lo = root_ / level.size * level.size;
      reaches_.push_back({lo, std::min(lo + level.size, all)});
      lengths_.push_back(channel_time(level.network, fan.bytes));
    }
    reaches_.back() = {0, all};
  }

  void run() {
    // Rows before and behind the part of the machine that the root is in are alike.
    const std::int64_t row = ends_->row_length();
    const Reach below =
        reaches_.size() > 1 ? reaches_[reaches_.size() - 2] : Reach{root_, root_ + 1};
    const Reach part{below.lo / row, (below.hi + row - 1) / row};
    const std::span<const std::int64_t> starts = ends_->classes().starts(ends_->along());
    for (std::size_t run = 0; run + 1 < starts.size(); ++run) {
      for (std::int64_t y = starts[run]; y < starts[run + 1];) {
        const std::int64_t border = y < part.lo ? part.lo : part.has(y) ? y + 1 : starts[run + 1];
        const std::int64_t until = std::min(border, starts[run + 1]);
        rows_.walk(y, until, [this](std::int64_t at) { place_row(at); });
        y = until;
      }
    }
    double until = reaches_.size() > 1 ? 0.0 : -1.0;
    for (std::size_t level = 0; level + 1 < reaches_.size(); ++level) {
      until = std::max(until, rows_.line(level).last());
    }
    rows_.finish(until);
    set_root(base_ + last_);
  }

private:
  void place_row(std::int64_t y) {
    const Reach here{y * ends_->row_length(), (y + 1) * ends_->row_length()};
    for (std::int64_t p = here.lo; p < here.hi;) {
      // Processors before or behind those under the network below, as far as they are of one level.
      std::size_t level = reaches_.size() - 1;
      while (level > 0 && reaches_[level - 1].has(p)) {
        --level;
      }
      if (p == root_) {
        ++p;
        continue;
      }
      const Reach inner = level > 0 ? reaches_[level - 1] : Reach{root_, root_ + 1};
      const std::int64_t until = std::min(here.hi, p < inner.lo ? inner.lo : reaches_[level].hi);
      double* const received = rows_.ends_over(level, 0) + (p - here.lo);
      group_.begin(level, until - p, received);
      group_.add(lengths_[level], received);
      if (!group_.empty()) {
        group_.place(rows_.line(level));
        last_ = std::max(last_, received[until - p - 1]);
      }
      p = until;
    }
  }

  /// The root is through when the last of its messages is; its row is one of those not left out.
  void set_root(double end) {
    const std::int64_t row = ends_->row_length();
    for (const FoldedEnds::Band& band : ends_->bands()) {
      if (band.first == root_ / row) {
        ends_->row(band, 0)[static_cast<std::size_t>(root_ % row)] = end;
      }
    }
  }

  FoldedEnds* ends_;
  std::int64_t root_;
  double base_;
  double last_ = 0.0;  // end of a message
  RowWalk rows_;
  std::vector<Reach> reaches_;   // per level
  std::vector<double> lengths_;  // of a message
  SenderGroup group_;
};

}  // namespace

void fold_exchange(const ProcessorClasses& classes, const ClassExchange& exchange,
                   std::span<const NetworkLevel> levels, FoldedEnds& ends) {
  ends.begin(classes);
  ExchangeRows(ends, exchange, levels).run();
  ends.finish();
}

void fold_fan(const ProcessorClasses& classes, const Fan& fan, std::span<const NetworkLevel> levels,
              std::span<const std::int64_t> speaking, std::span<const double> taken,
              FoldedEnds& ends) {
  ends.begin(classes);
  double base = 0.0;
  for (std::size_t level = 0; level < speaking.size(); ++level) {
    const machine::Network& network = levels[level].network;
    const std::int64_t rounds = (speaking[level] + network.channels - 1) / network.channels;
    base = std::max(base, static_cast<double>(rounds) * channel_time(network, fan.bytes));
  }
  FanRows(ends, fan, levels, base, taken).run();
  ends.finish();
}

}  // namespace gridcast::network
