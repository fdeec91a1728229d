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

void PortLoad::add(const PortLoad& other) {
  messages_.insert(messages_.end(), other.messages_.begin(), other.messages_.end());
}

void PortLoad::sum_up() {
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

void PortLoad::serve(double share) {
  if (!(share > 0.0)) {
    return;
  }
  std::erase_if(messages_, [share](const Messages& each) { return !(each.length > share); });
  for (Messages& each : messages_) {
    each.length -= share;
  }
  sum_up();
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
  passage.others_ = kept_;
  passage.alone_ = passage.own_.share(since_ - passage.begin_);
  keep(passage.own_, passage.alone_);
}

void Port::enter(const PortLoad& load, double begin) {
  go_on(begin);
  keep(load, load.share(since_ - begin));
}

void Port::go_on(double begin) {
  if (begin > since_) {
    kept_.serve(kept_.share(begin - since_));
    since_ = begin;
  }
}

void Port::keep(const PortLoad& load, double share) {
  if (kept_.empty()) {
    kept_ = load;
    kept_.serve(share);
    return;
  }
  PortLoad rest = load;
  rest.serve(share);
  kept_.add(rest);
  kept_.sum_up();
}

void Port::clear() noexcept {
  kept_.clear();
  since_ = -std::numeric_limits<double>::infinity();
}

}  // namespace gridcast::network
