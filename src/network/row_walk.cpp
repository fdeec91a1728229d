/// How the messages of a row are placed.

#include "row_walk.h"

#include <algorithm>
#include <numeric>

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

RowWalk::RowWalk(FoldedEnds& ends, const ClassExchange& exchange,
                 std::span<const NetworkLevel> levels)
    : ends_(&ends), classes_(&ends.classes()), levels_(levels), row_(ends.row_length()) {
  prepare(exchange);
  lines_.resize(levels.size());
  many_alike_ = levels.size() == 1 || levels.front().size >= 8;
  single_ = levels.size() == 2 && !many_alike_ && levels.front().network.channels == 1 &&
            levels.back().network.channels == 1;
  phases_.assign(levels.size(), 0);
  for (std::size_t level = 0; level < levels.size(); ++level) {
    lines_[level].reset(levels[level].network.channels);
  }
  for (std::vector<double>& row : top_) {
    row.assign(row_size(), 0.0);
  }
  if (levels.size() > 1) {
    low_ = top_;
    // Rows can only repeat if they begin at the same place below the top network.
    const std::int64_t part = levels[levels.size() - 2].size;
    phase_period_ = part / std::gcd(part, row_);
  }
}

void RowWalk::run() {
  const std::span<const std::int64_t> starts = classes_->starts(ends_->along());
  for (std::size_t run = 0; run + 1 < starts.size(); ++run) {
    search_ = {};
    for (std::int64_t y = starts[run]; y < starts[run + 1]; ++y) {
      look_for_period(y, starts[run], starts[run + 1]);
      place_row(run, y);
      if (y > 0) {
        keep(y - 1);
      }
    }
  }
  keep(classes_->extent(ends_->along()) - 1);
  const bool flat = levels_.size() == 1;
  ends_->set_channels(lines_.back().times(), flat ? -1.0 : below_until_);
}

void RowWalk::prepare(const ClassExchange& exchange) {
  first_message_.assign(1, 0);
  const auto along = static_cast<std::size_t>(ends_->along());
  for (std::size_t which = 0; which < classes_->size(); ++which) {
    for (const ClassMessage& message : exchange.messages(which)) {
      std::int64_t rows = 0;
      rows += message.shift[along];
      messages_.push_back({message.offset, rows, message.offset - rows * row_, lengths_.size()});
      for (const NetworkLevel& level : levels_) {
        lengths_.push_back(channel_time(level.network, message.bytes));
      }
    }
    first_message_.push_back(messages_.size());
  }
}

std::size_t RowWalk::level_of(std::int64_t offset) const noexcept {
  std::size_t level = 0;
  for (; level + 1 < levels_.size(); ++level) {
    const std::int64_t there = phases_[level] + offset;
    if (there >= 0 && there < levels_[level].size) {
      break;
    }
  }
  return level;
}

void RowWalk::place_row(std::size_t run, std::int64_t y) {
  std::fill(top_[slot(y + 1)].begin(), top_[slot(y + 1)].end(), 0.0);
  std::fill(low_[slot(y + 1)].begin(), low_[slot(y + 1)].end(), 0.0);
  for (std::int64_t rows = -1; rows <= 1; ++rows) {
    const std::size_t which = slot(y + rows);
    rows_at_[static_cast<std::size_t>(rows + 1)] = {low_[which].data(), top_[which].data()};
  }
  const std::size_t top = levels_.size() - 1;
  for (std::size_t level = 0; level < top; ++level) {
    phases_[level] = y * row_ % levels_[level].size;
  }
  for (const FoldedEnds::Segment& segment : ends_->segments()) {
    const std::size_t which = ends_->first_class(run) + segment.which;
    const std::span<const Message> messages{messages_.data() + first_message_[which],
                                            messages_.data() + first_message_[which + 1]};
    if (single_) {
      place_singly(messages, y, segment.begin, segment.end);
      continue;
    }
    for (std::int64_t x = segment.begin; x < segment.end;) {
      for (std::size_t level = 0; level < top; ++level) {
        if (phases_[level] == 0) {
          lines_[level].reset(levels_[level].network.channels);
        }
      }
      std::int64_t count = 1;
      if (many_alike_) {
        count = std::min(segment.end - x, alike(messages));
        for (std::size_t level = 0; level <= top && !messages.empty(); ++level) {
          place(messages, level, y, x, count);
        }
      } else {
        for (const Message& message : messages) {
          place(message, y, x);
        }
      }
      x += count;
      for (std::size_t level = 0; level < top; ++level) {
        phases_[level] += count;
        phases_[level] = phases_[level] < levels_[level].size ? phases_[level] : 0;
      }
    }
  }
}

void RowWalk::place_singly(std::span<const Message> messages, std::int64_t y, std::int64_t begin,
                           std::int64_t end) {
  const std::int64_t size = levels_.front().size;
  singles_.clear();
  for (std::int64_t place = 0; place < size; ++place) {
    for (const Message& message : messages) {
      const bool between = place + message.offset < 0 || place + message.offset >= size;
      const double length = lengths_[message.lengths + (between ? 1 : 0)];
      if (length > 0.0) {
        singles_.add({between, length, row_of(message.rows, between) + message.position});
      }
    }
    singles_.end_place();
  }
  const auto place = [&](std::int64_t from, std::int64_t to) {
    SingleChannels::Taken taken{lines_.front().until(), lines_.back().until()};
    singles_.place(from, to, static_cast<std::size_t>((y * row_ + from) % size),
                   {row_of(0, false), row_of(0, true)}, taken);
    if ((y * row_ + to - 1) / size > (y * row_ + from - 1) / size || y * row_ + from == 0) {
      lines_.front().reset(1);
    }
    lines_.front().go_on(taken.inside);
    lines_.back().go_on(taken.between);
  };
  // The first node by itself: until when its network is taken is asked for.
  const std::int64_t first = std::clamp(size - y * row_, begin, end);
  if (first > begin) {
    place(begin, first);
    below_until_ = std::max(below_until_, lines_.front().until());
  }
  if (end > first) {
    place(first, end);
  }
}

void RowWalk::place(const Message& message, std::int64_t y, std::int64_t x) {
  const std::size_t level = level_of(message.offset);
  const double length = lengths_[message.lengths + level];
  if (!(length > 0.0)) {
    return;  // takes no channel, and nobody waits for it
  }
  const double end = lines_[level].place(length);
  const bool top = level + 1 == levels_.size();
  double& own = row_of(0, top)[x];
  double& other = row_of(message.rows, top)[x + message.position];
  own = std::max(own, end);
  other = std::max(other, end);
  if (!top && y * row_ + x < levels_[levels_.size() - 2].size) {
    below_until_ = std::max(below_until_, end);
  }
}

std::int64_t RowWalk::alike(std::span<const Message> messages) const noexcept {
  std::int64_t count = row_;
  for (std::size_t level = 0; level + 1 < levels_.size(); ++level) {
    const std::int64_t phase = phases_[level];
    const std::int64_t size = levels_[level].size;
    count = std::min(count, size - phase);
    for (const Message& message : messages) {
      const std::int64_t border = message.offset < 0 ? -message.offset : size - message.offset;
      count = border > phase ? std::min(count, border - phase) : count;
    }
  }
  return count;
}

void RowWalk::place(std::span<const Message> messages, std::size_t level, std::int64_t y,
                    std::int64_t x, std::int64_t count) {
  const bool top = level + 1 == levels_.size();
  double* const own = row_of(0, top) + x;
  sent_.clear();
  bool equal = true;
  for (const Message& message : messages) {
    const double length = lengths_[message.lengths + level];
    // An empty message takes no channel, and nobody waits for it.
    if (length > 0.0 && level_of(message.offset) == level) {
      sent_.push_back({length, row_of(message.rows, top) + x + message.position});
      equal = equal && length == sent_.front().length;
    }
  }
  if (sent_.empty()) {
    return;
  }
  ChannelLine& line = lines_[level];
  std::size_t i = 0;
  const auto senders = static_cast<std::size_t>(count);
  const std::size_t each = sent_.size();
  for (; i < senders && !(equal && line.turns(sent_.front().length)); ++i) {
    for (const Sent& sent : sent_) {
      const double end = line.place(sent.length);
      own[i] = std::max(own[i], end);
      sent.other[i] = std::max(sent.other[i], end);
    }
  }
  if (i < senders) {
    const std::size_t rest = senders - i;
    const std::span<const double> all = line.place_all(sent_.front().length, rest * each);
    for (std::size_t k = 0; k < each; ++k) {
      raise(sent_[k].other + i, rest, all.data() + k, each);
    }
    raise(own + i, rest, all.data() + each - 1, each);
  }
  if (!top && y * row_ + x < levels_[levels_.size() - 2].size) {
    below_until_ = std::max(below_until_, line.times().back());
  }
}

void RowWalk::keep(std::int64_t y) {
  ends_->add_band(1, 1);
  const std::span<double> row = ends_->row(ends_->last_band(), 0);
  const std::vector<double>& top = top_[slot(y)];
  const std::vector<double>& low = low_[slot(y)];
  const std::span<double> moves = ends_->steps(ends_->last_band(), 0);
  double below_later = 0.0;
  for (std::size_t x = 0; x < row.size(); ++x) {
    const double below = low.empty() ? 0.0 : low[x];
    row[x] = std::max(top[x], below);
    moves[x] = top[x] > 0.0 ? 1.0 : 0.0;  // for fold()
    below_later += top[x] < below ? moves[x] : 0.0;
  }
  mixed_ = below_later > 0.0 ? y : mixed_;
}

}  // namespace gridcast::network
