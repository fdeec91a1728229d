#pragma once
/// Internal: the order in which the portions of a pipelined loop end.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "gridcast/network/networks.h"

namespace gridcast::model {

/// Portions that end, the earliest first; of those that end at the same time the lowest processor.
/// Portions that take equally long end nearly in the order in which they were begun, so each length
/// has a list of its own, which is kept sorted from its end; what belongs far from it goes to a
/// heap beside the lists.
class PortionEvents {
public:
  struct Event {
    double time = 0.0;
    std::uint32_t processor = 0;
  };

  /// Times are counted from `origin`.
  void reset(std::size_t lengths, double origin) {
    origin_ = origin;
    lists_.resize(std::max<std::size_t>(lengths, 1));
    for (List& list : lists_) {
      list.events.clear();
      list.front = 0;
    }
    next_.assign(lists_.size(), never);
    others_.clear();
    ready_.clear();
    now_ = -never;
  }

  void push(const Event& event, std::size_t length) {
    if (event.time <= now_) {
      ready_.push_back(event);
      std::push_heap(ready_.begin(), ready_.end(), later_sender);
      return;
    }
    List& list = lists_[length];
    list.events.push_back(event);
    std::size_t i = list.events.size() - 1;
    const std::size_t nearest = std::max(list.front + most_moves, i) - most_moves;
    for (; i > nearest && list.events[i - 1].time > event.time; --i) {
      std::swap(list.events[i - 1], list.events[i]);
    }
    if (i == nearest && i > list.front && list.events[i - 1].time > event.time) [[unlikely]] {
      put_aside(list, i);
    }
    next_[length] = list.events[list.front].time;
  }

  std::optional<Event> pop() {
    if (ready_.empty()) {
      std::size_t first = 0;
      double earliest = next_.front();
      double second = never;
      for (std::size_t i = 1; i < next_.size(); ++i) {
        const bool earlier = next_[i] < earliest;
        second = earlier ? earliest : std::min(second, next_[i]);
        earliest = earlier ? next_[i] : earliest;
        first = earlier ? i : first;
      }
      if (earliest == never) {
        return std::nullopt;
      }
      // Times that differ by rounding only are a tie, which goes to the lowest sender.
      now_ = earliest + network::relative_slack * (origin_ + earliest);
      const Event event = take(first);
      if (std::min(second, next_[first]) > now_) {
        return event;
      }
      for (std::size_t i = 0; i < next_.size(); ++i) {
        while (next_[i] <= now_) {
          ready_.push_back(take(i));
        }
      }
      ready_.push_back(event);
      std::make_heap(ready_.begin(), ready_.end(), later_sender);
    }
    std::pop_heap(ready_.begin(), ready_.end(), later_sender);
    const Event event = ready_.back();
    ready_.pop_back();
    return event;
  }

private:
  static constexpr double never = std::numeric_limits<double>::infinity();
  static constexpr std::size_t most_moves = 32;

  struct List {
    std::vector<Event> events;
    std::size_t front = 0;
  };

  [[nodiscard]] static bool later(const Event& a, const Event& b) noexcept {
    return a.time > b.time;
  }
  [[nodiscard]] static bool later_sender(const Event& a, const Event& b) noexcept {
    return a.processor > b.processor;
  }

  /// The event at this place belongs far before it.
  [[gnu::noinline]] void put_aside(List& list, std::size_t at) {
    others_.push_back(list.events[at]);
    std::push_heap(others_.begin(), others_.end(), later);
    list.events.erase(list.events.begin() + static_cast<std::ptrdiff_t>(at));
    next_.resize(lists_.size());
    next_.push_back(others_.front().time);
  }

  [[gnu::noinline]] Event take_other() noexcept {
    std::pop_heap(others_.begin(), others_.end(), later);
    const Event event = others_.back();
    others_.pop_back();
    next_.back() = never;
    if (!others_.empty()) {
      next_.back() = others_.front().time;
    }
    return event;
  }

  Event take(std::size_t length) noexcept {
    if (length == lists_.size()) [[unlikely]] {
      return take_other();
    }
    List& list = lists_[length];
    const Event event = list.events[list.front++];
    if (list.front < list.events.size()) {
      next_[length] = list.events[list.front].time;
    } else {
      list.events.clear();
      list.front = 0;
      next_[length] = never;
    }
    return event;
  }

  std::vector<List> lists_;
  std::vector<Event> others_;
  std::vector<double> next_;  // time of the first event of each list, and of the others if any
  std::vector<Event> ready_;
  double now_ = 0.0;
  double origin_ = 0.0;
};

}  // namespace gridcast::model
