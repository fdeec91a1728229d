/// An exchange over a tree of networks, message after message until rows repeat.
///
/// All messages are ready at the start, and a network's messages follow the order of their senders.
/// So within each level one network at a time is in use, those below the top begin anew with each
/// part of the machine, and what follows a row depends only on when channels become free: those of
/// the top network seen from the first of them, those of the networks under which the row begins.

#include "folded_exchange.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "channel_line.h"
#include "gridcast/network/message_time.h"

namespace gridcast::network {
namespace {

/// Times that differ by less than this part of themselves differ by rounding only.
constexpr double equal_but_for = 4e-15;

class RowWalk {
public:
  RowWalk(FoldedEnds& ends, const ClassExchange& exchange, std::span<const NetworkLevel> levels)
      : ends_(&ends), classes_(&ends.classes()), levels_(levels), row_(ends.row_length()) {
    prepare(exchange);
    lines_.resize(levels.size());
    many_alike_ = levels.size() == 1 || levels.front().size >= 8;
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

  void run() {
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

private:
  static constexpr std::size_t window = 3;

  struct Message {
    std::int64_t offset = 0;
    std::int64_t rows = 0;      ///< of the receiver after the sender's
    std::int64_t position = 0;  ///< of the receiver in its row after the sender's
    std::size_t lengths = 0;    ///< in lengths_, per level
  };
  /// A message of each of several senders in a row.
  struct Sent {
    double length = 0.0;
    double* other = nullptr;  ///< the end of the first one's receiver
  };
  /// What the search for a period knows in a run of rows.
  struct Search {
    bool armed = false, done = false;
    std::int64_t since = 0, next = 0;
    std::int64_t period = 0, jump = -1;
    double later = 0.0, work = 0.0;
    std::vector<ChannelLine> lines;
  };

  [[nodiscard]] std::size_t row_size() const noexcept { return static_cast<std::size_t>(row_); }

  void prepare(const ClassExchange& exchange) {
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

  static std::size_t slot(std::int64_t y) noexcept {
    return static_cast<std::size_t>((y + static_cast<std::int64_t>(window)) %
                                    static_cast<std::int64_t>(window));
  }

  /// Ends of the row so many behind the one that is placed, over the top network or those below.
  [[nodiscard]] double* row_of(std::int64_t rows, bool top) const noexcept {
    return rows_at_[static_cast<std::size_t>(rows + 1)][top ? 1 : 0];
  }

  /// The lowest level whose network connects the processor that is next with the one so far on.
  [[nodiscard]] std::size_t level_of(std::int64_t offset) const noexcept {
    std::size_t level = 0;
    for (; level + 1 < levels_.size(); ++level) {
      const std::int64_t there = phases_[level] + offset;
      if (there >= 0 && there < levels_[level].size) {
        break;
      }
    }
    return level;
  }

  void place_row(std::size_t run, std::int64_t y) {
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

  /// What the processor x of the row sends to one of its neighbours.
  void place(const Message& message, std::int64_t y, std::int64_t x) {
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

  /// How many senders from the next one on send over the same levels, under the same networks.
  [[nodiscard]] std::int64_t alike(std::span<const Message> messages) const noexcept {
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

  /// Raises each to every `step`-th of the ends.
  static void raise(double* each, std::size_t count, const double* ends, std::size_t step) {
    for (std::size_t j = 0; j < count; ++j) {
      each[j] = std::max(each[j], ends[j * step]);
    }
  }

  /// What `count` senders from the processor x of the row on send over a level.
  void place(std::span<const Message> messages, std::size_t level, std::int64_t y, std::int64_t x,
             std::int64_t count) {
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

  /// The ends of a row are known.
  void keep(std::int64_t y) {
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

  [[nodiscard]] bool same_lines() const {
    if (!lines_.back().same_but_later(search_.lines.back(), equal_but_for)) {
      return false;
    }
    for (std::size_t level = 0; level + 1 < lines_.size(); ++level) {
      const bool inside = phases_begin_[level] != 0;
      if (inside && !std::ranges::equal(lines_[level].times(), search_.lines[level].times())) {
        return false;
      }
    }
    return true;
  }

  void arm(std::int64_t y) {
    search_.armed = true;
    search_.since = y;
    search_.lines = lines_;
  }

  void look_for_period(std::int64_t& y, std::int64_t lo, std::int64_t hi) {
    if (search_.done || hi - lo < 4) {
      return;
    }
    phases_begin_.resize(levels_.size());
    for (std::size_t level = 0; level + 1 < levels_.size(); ++level) {
      phases_begin_[level] = y * row_ % levels_[level].size;
    }
    if (search_.jump >= 0) {
      if (y == search_.jump) {
        leave_out(y, hi);
      }
      return;
    }
    if (search_.armed && (y - search_.since) % phase_period_ == 0 && same_lines()) {
      search_.period = y - search_.since;
      search_.work = lines_.back().work() - search_.lines.back().work();
      search_.later = lines_.back().unused() > 0
                          ? 0.0
                          : search_.work / static_cast<double>(lines_.back().channels());
      // The rows of the period have all their messages two rows later.
      search_.jump = y + 2;
      return;
    }
    if (y - lo >= search_.next) {
      arm(y);
      search_.next = 2 * (y - lo) + phase_period_;
    }
  }

  /// Rows since + 1 … since + period repeat as long as the row behind is one of the run.
  void leave_out(std::int64_t& y, std::int64_t hi) {
    search_.jump = -1;
    if (mixed_ > search_.since) {
      // An end below the top network, which does not move, will not be the latest for long.
      search_.armed = false;
      search_.next = 0;
      return;
    }
    search_.done = true;
    const std::int64_t times = (hi - 1 - y) / search_.period;
    if (times < 1) {
      return;
    }
    const std::int64_t period = search_.period;
    fold(period, times);
    const double later = static_cast<double>(times) * search_.later;
    lines_.back().shift(later, static_cast<double>(times) * search_.work);
    y += times * period;
    move_window(y - times * period, y, later);
  }

  void fold(std::int64_t period, std::int64_t times) {
    for (std::int64_t i = 0; i < period; ++i) {
      const std::size_t band = ends_->bands().size() - static_cast<std::size_t>(period - i);
      const FoldedEnds::Band at = ends_->bands()[band];
      const std::span<double> steps = ends_->steps(at, 0);
      for (double& step : steps) {
        step = step > 0.0 ? search_.later : 0.0;
      }
    }
    ends_->repeat_last(period, period * (times + 1));
  }

  /// The rows around y, whose ends are not all known, are now those around `to`.
  void move_window(std::int64_t from, std::int64_t to, double later) {
    std::array<std::vector<double>, window> top;
    std::array<std::vector<double>, window> low;
    for (std::int64_t row = -1; row <= 1; ++row) {
      top[slot(to + row)] = std::move(top_[slot(from + row)]);
      low[slot(to + row)] = std::move(low_[slot(from + row)]);
      for (double& end : top[slot(to + row)]) {
        end += end > 0.0 ? later : 0.0;
      }
    }
    top_ = std::move(top);
    low_ = std::move(low);
  }

  FoldedEnds* ends_;
  const ProcessorClasses* classes_;
  std::span<const NetworkLevel> levels_;
  std::int64_t row_;
  std::vector<Message> messages_;
  std::vector<std::size_t> first_message_;  // per class
  std::vector<double> lengths_;
  std::vector<ChannelLine> lines_;  // per level
  std::vector<Sent> sent_;
  std::vector<std::int64_t> phases_, phases_begin_;       // per level but the top
  std::array<std::vector<double>, window> top_, low_;     // ends of the rows around the sender's;
                                                          // empty: there is nothing below
  std::array<std::array<double*, 2>, window> rows_at_{};  // see row_of()
  std::int64_t phase_period_ = 1;
  bool many_alike_ = true;   // senders next to each other that send over the same levels
  std::int64_t mixed_ = -1;  // the last row with a later end below the top network
  double below_until_ = 0.0;
  Search search_;
};

}  // namespace

void FoldedExchange::work_out(const ProcessorClasses& classes, const ClassExchange& exchange,
                              std::span<const NetworkLevel> levels) {
  begin(classes);
  RowWalk(*this, exchange, levels).run();
  finish();
}

}  // namespace gridcast::network
