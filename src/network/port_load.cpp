#include "gridcast/network/port_load.h"

#include <algorithm>

namespace gridcast::network {

void PortLoad::add(double length, double count) {
  if (!(length > 0.0) || !(count > 0.0)) {
    return;
  }
  constexpr std::ptrdiff_t looked_at = 4;  // few lengths take turns
  const auto last = messages_.rbegin() + std::min(looked_at, messages_.rend() - messages_.rbegin());
  const auto same = std::find_if(messages_.rbegin(), last,
                                 [length](const Messages& each) { return each.length == length; });
  if (same != last) {
    same->count += count;
  } else {
    messages_.push_back({length, count, 0.0, 0.0});
  }
}

void PortLoad::sum_up() {
  if (messages_.size() < 2) {
    for (Messages& each : messages_) {
      each.shorter = 0.0;
      each.no_shorter = each.count;
    }
    return;
  }
  const auto shorter = [](const Messages& a, const Messages& b) { return a.length < b.length; };
  if (!std::is_sorted(messages_.begin(), messages_.end(), shorter)) {
    std::sort(messages_.begin(), messages_.end(), shorter);
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < messages_.size(); ++i) {
    if (kept > 0 && messages_[kept - 1].length == messages_[i].length) {
      messages_[kept - 1].count += messages_[i].count;
    } else {
      messages_[kept++] = messages_[i];
    }
  }
  messages_.resize(kept);
  double seconds = 0.0;
  for (Messages& each : messages_) {
    each.shorter = seconds;
    seconds += each.length * each.count;
  }
  double count = 0.0;
  for (auto each = messages_.rbegin(); each != messages_.rend(); ++each) {
    count += each->count;
    each->no_shorter = count;
  }
}

double PortLoad::served(double length) const noexcept {
  const auto next =
      std::partition_point(messages_.begin(), messages_.end(),
                           [length](const Messages& each) { return each.length < length; });
  return next == messages_.end() ? total() : next->shorter + length * next->no_shorter;
}

double PortLoad::share(double seconds) const noexcept {
  const auto next =
      std::partition_point(messages_.begin(), messages_.end(), [seconds](const Messages& each) {
        return each.shorter + each.length * each.no_shorter < seconds;
      });
  if (next == messages_.end()) {
    return messages_.empty() ? 0.0 : messages_.back().length;
  }
  return std::max(seconds - next->shorter, 0.0) / next->no_shorter;
}

double PortLoad::total() const noexcept {
  return messages_.empty()
             ? 0.0
             : messages_.back().shorter + messages_.back().length * messages_.back().no_shorter;
}

void PortPassage::add(double ready, double length, double count) {
  begin_ = std::min(begin_, ready);
  own_.add(length, count);
}

void PortPassage::clear() noexcept {
  own_.clear();
  others_.clear();
  begin_ = std::numeric_limits<double>::infinity();
  alone_ = 0.0;
}

void Port::enter(PortPassage& passage) {
  passage.own_.sum_up();
  go_on(passage.begin_);
  find_kept(passage.others_);
  passage.alone_ = passage.own_.share(since_ - passage.begin_);
  for (const PortLoad::Messages& each : passage.own_.messages()) {
    keep(each.length - passage.alone_, each.count);
  }
}

void Port::enter(const PortLoad& load, double begin) {
  go_on(begin);
  const double alone = load.share(since_ - begin);
  for (const PortLoad::Messages& each : load.messages()) {
    keep(each.length - alone, each.count);
  }
}

double Port::pass(const machine::Network& network, double bytes, double ready, double count) {
  const double length = port_time(network, bytes);
  go_on(ready);
  const double rest = length - std::min((since_ - ready) / count, length);
  const double others = served(rest);
  keep(rest, count);
  return ready + network.time_of(bytes) + (count - 1.0) * length + others;
}

PortLoad Port::kept() const {
  PortLoad load;
  find_kept(load);
  return load;
}

void Port::find_kept(PortLoad& load) const {
  load.clear();
  for (std::size_t i = first_; i < left_.size(); ++i) {
    load.add(left_[i].served - served_, left_[i].count);
  }
  load.sum_up();
}

void Port::go_on(double begin) {
  if (!(begin > since_)) {
    return;
  }
  double seconds = begin - since_;
  since_ = begin;
  for (; first_ < left_.size(); ++first_) {
    const double next = (left_[first_].served - served_) * count_;
    if (next > seconds) {
      served_ += seconds / count_;
      seconds_ -= seconds;
      forget_first();
      return;
    }
    seconds -= next;
    seconds_ -= next;
    served_ = left_[first_].served;
    count_ -= left_[first_].count;
  }
  left_.clear();
  first_ = 0;
  served_ = count_ = seconds_ = 0.0;
}

/// Gives back those that are through, as often as the rest is as long: then its sum is made anew,
/// so that roundings do not add up.
void Port::forget_first() {
  constexpr std::size_t few = 8;
  if (2 * first_ > left_.size()) {
    left_.erase(left_.begin(), left_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  } else if (left_.size() - first_ > few) {
    return;
  }
  seconds_ = 0.0;
  for (std::size_t i = first_; i < left_.size(); ++i) {
    seconds_ += (left_[i].served - served_) * left_[i].count;
  }
}

void Port::keep(double length, double count) {
  if (!(length > 0.0)) {
    return;
  }
  const double through = served_ + length;
  const auto at =
      std::upper_bound(left_.begin() + static_cast<std::ptrdiff_t>(first_), left_.end(), through,
                       [](double value, const Left& each) { return value < each.served; });
  left_.insert(at, {through, count});
  count_ += count;
  seconds_ += length * count;
}

double Port::served(double length) const noexcept {
  double seconds = seconds_;
  for (std::size_t i = left_.size(); i > first_ && left_[i - 1].served - served_ > length; --i) {
    seconds -= (left_[i - 1].served - served_ - length) * left_[i - 1].count;
  }
  return seconds;
}

void Port::save(std::vector<double>& numbers) const {
  numbers.insert(numbers.end(),
                 {since_, served_, count_, seconds_, static_cast<double>(left_.size() - first_)});
  for (std::size_t i = first_; i < left_.size(); ++i) {
    numbers.insert(numbers.end(), {left_[i].served, left_[i].count});
  }
}

const double* Port::restore(const double* numbers) {
  clear(*numbers++);
  served_ = *numbers++;
  count_ = *numbers++;
  seconds_ = *numbers++;
  for (auto left = static_cast<std::size_t>(*numbers++); left > 0; --left, numbers += 2) {
    left_.push_back({numbers[0], numbers[1]});
  }
  return numbers;
}

void Port::clear(double since) noexcept {
  left_.clear();
  first_ = 0;
  served_ = count_ = seconds_ = 0.0;
  since_ = since;
}

}  // namespace gridcast::network
