/// A fan over a tree of networks. All its messages are equally long on a level, and each level's
/// follow the order of the processors.

#include "folded_fan.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "channel_line.h"
#include "gridcast/base/floor_sums.h"
#include "gridcast/network/message_time.h"

namespace gridcast::network {
namespace {

/// Ends of equally long messages over one network, by number from 1 on.
class EqualMessages {
public:
  EqualMessages(double length, std::int64_t channels, std::int64_t count,
                std::span<const double> taken)
      : length_(length), count_(count) {
    if (!(length > 0.0)) {
      return;
    }
    // Once the channels differ by at most one message they take turns.
    line_.reset(channels, taken);
    while (static_cast<std::int64_t>(ends_.size()) < count) {
      const bool turns =
          line_.unused() == 0 && line_.times().back() <= line_.times().front() + length;
      if (turns && !take_turns_) {
        take_turns_ = true;
        settled_ = static_cast<std::int64_t>(ends_.size());
      }
      if (take_turns_ && static_cast<std::int64_t>(ends_.size()) >= settled_ + channels) {
        break;
      }
      ends_.push_back(line_.place(length));
    }
    if (!take_turns_) {
      settled_ = count;
    }
    channels_ = channels;
  }

  [[nodiscard]] double operator()(std::int64_t number) const noexcept {
    if (!(length_ > 0.0)) {
      return 0.0;
    }
    const std::int64_t k = number - 1;
    if (k < static_cast<std::int64_t>(ends_.size())) {
      return ends_[static_cast<std::size_t>(k)];
    }
    const std::int64_t turn = (k - settled_) / channels_;
    const std::int64_t channel = (k - settled_) % channels_;
    return ends_[static_cast<std::size_t>(settled_ + channel)] +
           static_cast<double>(turn) * length_;
  }

  /// The ends of messages from a number on, all so much later.
  void list(std::int64_t number, double later, std::span<double> result) const {
    if (!(length_ > 0.0)) {
      std::fill(result.begin(), result.end(), later);
      return;
    }
    std::int64_t k = number - 1;
    std::size_t i = 0;
    for (; i < result.size() && k < static_cast<std::int64_t>(ends_.size()); ++i, ++k) {
      result[i] = later + ends_[static_cast<std::size_t>(k)];
    }
    if (channels_ == 1) {
      const double first = static_cast<double>(k - settled_ - static_cast<std::int64_t>(i));
      for (; i < result.size(); ++i) {
        result[i] = later + ends_.back() + (first + static_cast<double>(i)) * length_;
      }
    }
    while (i < result.size()) {
      const auto channel = static_cast<std::size_t>((k - settled_) % channels_);
      const double turn = later + whole_quotient(k - settled_, channels_) * length_;
      const std::size_t count =
          std::min(result.size() - i, static_cast<std::size_t>(channels_) - channel);
      const double* const from = ends_.data() + static_cast<std::size_t>(settled_) + channel;
      for (std::size_t j = 0; j < count; ++j) {
        result[i + j] = turn + from[j];
      }
      i += count;
      k += static_cast<std::int64_t>(count);
    }
  }

  /// From this number on a message ends one length after that which is as many numbers before as
  /// there are channels.
  [[nodiscard]] std::int64_t regular_from() const noexcept { return settled_ + 1; }
  [[nodiscard]] std::int64_t channels() const noexcept { return channels_; }
  [[nodiscard]] double length() const noexcept { return length_; }

  /// After all: when channels are free that carried something.
  [[nodiscard]] std::vector<double> channel_ends() const {
    if (!take_turns_ || static_cast<std::int64_t>(ends_.size()) == count_) {
      return {line_.times().begin(), line_.times().end()};
    }
    std::vector<double> ends;
    for (std::int64_t k = count_ - channels_ + 1; k <= count_; ++k) {
      ends.push_back((*this)(k));
    }
    return ends;
  }

private:
  double length_ = 0.0;
  std::int64_t count_ = 0;
  std::int64_t channels_ = 1;
  std::int64_t settled_ = 0;
  bool take_turns_ = false;
  ChannelLine line_;
  std::vector<double> ends_;
};

/// Processors by number, such as those under one of the root's networks.
struct Reach {
  std::int64_t lo = 0, hi = 0;

  [[nodiscard]] std::int64_t size() const noexcept { return hi - lo; }
  [[nodiscard]] bool has(std::int64_t p) const noexcept { return lo <= p && p < hi; }
};

class FanRows {
public:
  FanRows(FoldedEnds& ends, const Fan& fan, std::span<const NetworkLevel> levels, double base,
          std::span<const double> taken)
      : ends_(&ends), root_(fan.root), base_(base) {
    const std::int64_t all = ends.classes().processors();
    Reach inner{root_, root_ + 1};
    reaches_.push_back(inner);
    for (std::size_t level = 0; level < levels.size(); ++level) {
      const bool top = level + 1 == levels.size();
      const std::int64_t size = levels[level].size;
      const std::int64_t lo = top ? 0 : root_ / size * size;
      const Reach reach{lo, top ? all : std::min(lo + size, all)};
      const machine::Network& network = levels[level].network;
      const std::int64_t count = reach.size() - inner.size();
      messages_.emplace_back(channel_time(network, fan.bytes), network.channels, count,
                             top ? taken : std::span<const double>{});
      if (count > 0) {
        last_ = std::max(last_, messages_.back()(count));
        below_ = top ? below_ : last_;
      }
      reaches_.push_back(reach);
      inner = reach;
    }
  }

  void run() {
    const std::span<const std::int64_t> starts = ends_->classes().starts(ends_->along());
    const EqualMessages& top = messages_.back();
    const std::int64_t row = ends_->row_length();
    period_ = top.channels() / std::gcd(top.channels(), row);
    step_ = whole_quotient(period_ * row, top.channels()) * top.length();
    for (std::size_t run = 0; run + 1 < starts.size(); ++run) {
      for (std::int64_t y = starts[run]; y < starts[run + 1];) {
        y += place_rows(y, starts[run + 1]);
      }
    }
    ends_->set_channels(top.channel_ends(), messages_.size() == 1 ? -1.0 : below_);
  }

private:
  /// The row y and those behind it that are like it, of one run; how many.
  std::int64_t place_rows(std::int64_t y, std::int64_t until) {
    const std::int64_t row = ends_->row_length();
    const Reach& below = reaches_[reaches_.size() - 2];
    // Rows before and behind the part of the machine that the root is in are regular.
    bool regular = true;
    if ((y + 1) * row <= below.lo) {
      until = std::min(until, below.lo / row);
    } else if (y * row < below.hi) {
      regular = false;
    }
    regular = regular && until - y > period_ &&
              number(y * row, messages_.size() - 1) >= messages_.back().regular_from();
    const std::int64_t kept = regular ? period_ : 1;
    const std::int64_t count = regular ? until - y : 1;
    ends_->add_band(count, kept);
    for (std::int64_t i = 0; i < kept; ++i) {
      fill(y + i);
      const std::span<double> steps = ends_->steps(ends_->last_band(), i);
      std::fill(steps.begin(), steps.end(), regular ? step_ : 0.0);
    }
    return count;
  }

  /// Number of the message over a level to a processor that gets it there.
  [[nodiscard]] std::int64_t number(std::int64_t p, std::size_t level) const noexcept {
    const Reach& inner = reaches_[level];
    return p - reaches_[level + 1].lo + 1 - (p < inner.lo ? 0 : inner.size());
  }

  void fill(std::int64_t y) {
    const FoldedEnds::Band& band = ends_->last_band();
    const std::span<double> row = ends_->row(band, y - band.first);
    const Reach here{y * ends_->row_length(), (y + 1) * ends_->row_length()};
    if (here.has(root_)) {
      row[static_cast<std::size_t>(root_ - here.lo)] = base_ + last_;
    }
    for (std::int64_t p = here.lo; p < here.hi;) {
      // Processors before or behind those under the network below, as far as they are of one level.
      std::size_t level = messages_.size() - 1;
      while (level > 0 && reaches_[level].has(p)) {
        --level;
      }
      if (p == root_) {
        ++p;
        continue;
      }
      const Reach& inner = reaches_[level];
      const std::int64_t until =
          std::min(here.hi, p < inner.lo ? inner.lo : reaches_[level + 1].hi);
      messages_[level].list(
          number(p, level), base_,
          row.subspan(static_cast<std::size_t>(p - here.lo), static_cast<std::size_t>(until - p)));
      p = until;
    }
  }

  FoldedEnds* ends_;
  std::int64_t root_;
  double base_;
  double last_ = 0.0, below_ = 0.0;
  std::vector<EqualMessages> messages_;  // per level
  std::vector<Reach> reaches_;           // the root itself, then per level
  std::int64_t period_ = 1;  // of regular rows, each so many seconds after that before it
  double step_ = 0.0;
};

}  // namespace

void FoldedFan::work_out(const ProcessorClasses& classes, const Fan& fan,
                         std::span<const NetworkLevel> levels,
                         std::span<const std::int64_t> speaking, std::span<const double> taken) {
  if (!fan.any || classes.processors() == 1) {
    silent_ = true;
    return;
  }
  begin(classes);
  double base = 0.0;
  for (std::size_t level = 0; fan.gather && level < levels.size(); ++level) {
    const machine::Network& network = levels[level].network;
    const std::int64_t rounds = (speaking[level] + network.channels - 1) / network.channels;
    base = std::max(base, static_cast<double>(rounds) * channel_time(network, fan.bytes));
  }
  FanRows(*this, fan, levels, base, taken).run();
  finish();
}

}  // namespace gridcast::network
