#pragma once
/// The channels of one network while messages take them in the order in which they come, without
/// looking for gaps before those that were sent earlier: the one primitive of channels by classes.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace gridcast::network {

/// Times at which the channels become free, in ascending order.
class ChannelLine {
public:
  /// Times of two states of a network are equal up to a common shift if they miss it by less than
  /// this part of the latest: a few roundings of additions in another order (18 · 2^-52).
  static constexpr double rounding = 4e-15;

  /// All channels free, but those that are taken until these times (any order, no more of them than
  /// channels).
  void reset(std::int64_t channels, std::span<const double> taken = {}) {
    channels_ = channels;
    unused_ = channels - static_cast<std::int64_t>(taken.size());
    times_.resize(std::max<std::size_t>(times_.size(), 2 * taken.size() + 16));
    std::copy(taken.begin(), taken.end(), times_.begin());
    first_ = 0;
    behind_ = taken.size();
    std::sort(times_.begin(), times_.begin() + static_cast<std::ptrdiff_t>(behind_));
    work_ = 0.0;
  }

  /// When a message of this length ends that is ready at `ready` and takes the channel that is free
  /// first. An empty one takes none.
  double place(double length, double ready = 0.0) {
    if (!(length > 0.0)) {
      return ready;
    }
    work_ += length;
    if (channels_ == 1) {
      times_.front() = (unused_ > 0 ? ready : std::max(times_[first_], ready)) + length;
      unused_ = 0;
      first_ = 0;
      behind_ = 1;
      return times_.front();
    }
    double end = ready + length;
    if (unused_ == 0 || (first_ < behind_ && times_[first_] <= ready)) {
      end = std::max(times_[first_++], ready) + length;
    } else {
      --unused_;
    }
    if (behind_ == times_.size()) {
      make_room();
    }
    std::size_t at = behind_++;
    for (; at > first_ && times_[at - 1] > end; --at) {
      times_[at] = times_[at - 1];
    }
    times_[at] = end;
    return end;
  }

  /// Calls f(place), which places messages of the lengths that it gives to place(length), all ready
  /// at 0: where there is one channel without looking for the first.
  template <class F>
  void place_many(F&& f) {
    if (channels_ != 1 || unused_ > 0) {
      f([this](double length) { return place(length); });
      return;
    }
    const double before = times_[first_];
    double until = before;
    f([&until](double length) { return until += length; });
    work_ += until - before;
    times_[first_] = until;
  }

  /// Whether messages of this length that are ready now take the channels by turns from now on.
  [[nodiscard]] bool turns(double length) const noexcept {
    return unused_ == 0 && times_[behind_ - 1] <= times_[first_] + length;
  }

  /// Places `count` messages of one length, by turns(); their ends are valid until the next change.
  std::span<const double> place_all(double length, std::size_t count) {
    const std::size_t channels = behind_ - first_;
    if (behind_ + count > times_.size()) {
      std::copy(times_.begin() + static_cast<std::ptrdiff_t>(first_),
                times_.begin() + static_cast<std::ptrdiff_t>(behind_), times_.begin());
      first_ = 0;
      behind_ = channels;
      times_.resize(std::max(times_.size(), 4 * (channels + count)));
    }
    for (std::size_t i = 0; channels == 1 && i < count; ++i) {
      times_[behind_ + i] = times_[first_] + static_cast<double>(i + 1) * length;
    }
    for (std::size_t done = 0; channels > 1 && done < count; done += channels) {
      const std::size_t some = std::min(channels, count - done);
      const double* const from = times_.data() + first_ + done;
      double* const to = times_.data() + behind_ + done;
      for (std::size_t i = 0; i < some; ++i) {
        to[i] = from[i] + length;
      }
    }
    first_ += count;
    behind_ += count;
    work_ += length * static_cast<double>(count);
    return {times_.data() + behind_ - count, count};
  }

  [[nodiscard]] std::int64_t channels() const noexcept { return channels_; }
  /// Channels that nothing has taken yet.
  [[nodiscard]] std::int64_t unused() const noexcept { return unused_; }
  /// Sum of the lengths of what was placed.
  [[nodiscard]] double work() const noexcept { return work_; }
  /// Of the channels that were taken.
  [[nodiscard]] std::span<const double> times() const noexcept {
    return {times_.data() + first_, behind_ - first_};
  }
  /// All channels are free from then on; -HUGE_VAL if none was taken.
  [[nodiscard]] double last() const noexcept {
    return first_ == behind_ ? -HUGE_VAL : times_[behind_ - 1];
  }

  /// True if the times are those of `before`, a state of as many channels, up to a common shift and
  /// `rounding`; that shift is 0 if channels are unused.
  [[nodiscard]] bool same_but_later(const ChannelLine& before) const noexcept {
    const std::span<const double> now = times();
    const std::span<const double> then = before.times();
    if (unused_ != before.unused_ || now.size() != then.size()) {
      return false;
    }
    const double later = unused_ > 0 || now.empty() ? 0.0 : now.front() - then.front();
    for (std::size_t k = now.size(); k-- > 0;) {
      if (!(std::abs(now[k] - then[k] - later) <= rounding * now.back())) {
        return false;
      }
    }
    return true;
  }

  /// As if everything had been `seconds` later, and `work` more had been placed.
  void shift(double seconds, double work) {
    for (std::size_t i = first_; i < behind_; ++i) {
      times_[i] += seconds;
    }
    work_ += work;
  }

private:
  void make_room() {
    if (2 * first_ < times_.size()) {
      times_.resize(2 * times_.size());
      return;
    }
    std::copy(times_.begin() + static_cast<std::ptrdiff_t>(first_),
              times_.begin() + static_cast<std::ptrdiff_t>(behind_), times_.begin());
    behind_ -= first_;
    first_ = 0;
  }

  std::int64_t channels_ = 1;
  std::int64_t unused_ = 1;
  std::vector<double> times_;
  std::size_t first_ = 0, behind_ = 0;
  double work_ = 0.0;
};

}  // namespace gridcast::network
