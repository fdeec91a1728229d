#pragma once
/// The order in which the portions of a pipelined loop end.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <queue>
#include <vector>

#include "gridcast/network/networks.h"

namespace gridcast::model {

/// Portions that end, the earliest first; of those that end at the same time the lowest processor.
/// Portions that take equally long end nearly in the order in which they were begun, so each length
/// has a list of its own, which is kept sorted from its end; what belongs far from it goes to a
/// heap beside the lists.
class PortionEvents {
public:
  /// A processor's portion ends.
  struct Event {
    double time = 0.0;
    std::uint32_t processor = 0;
  };

  /// When nothing happens.
  static constexpr double never = std::numeric_limits<double>::infinity();

  /// Times are counted from `origin`.
  void reset(std::size_t lengths, double origin) {
    origin_ = origin;
    lists_.resize(std::max<std::size_t>(lengths, 1));
    for (List& list : lists_) {
      list.events.clear();
      list.front = 0;
    }
    next_.assign(lists_.size(), never);
    if (!others_.empty() || !ready_.empty()) {  // of what was given up
      others_ = {};
      ready_ = {};
    }
    now_ = -never;
  }

  void push(Event event, std::size_t length) {
    if (event.time <= now_) {
      ready_.push(event);
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

  /// The next one; at an infinite time if there are no more.
  Event pop() {
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
        return {never, 0};
      }
      // Times that differ by rounding only are a tie, which goes to the lowest sender.
      now_ = earliest + network::relative_slack * (origin_ + earliest);
      const Event event = take(first);
      if (std::min(second, next_[first]) > now_) {
        return event;
      }
      for (std::size_t i = 0; i < next_.size(); ++i) {
        while (next_[i] <= now_) {
          ready_.push(take(i));
        }
      }
      ready_.push(event);
    }
    const Event event = ready_.top();
    ready_.pop();
    return event;
  }

private:
  static constexpr std::size_t most_moves = 32;

  /// Of portions that take equally long, the first of which is at `front`.
  struct List {
    std::vector<Event> events;
    std::size_t front = 0;
  };

  /// Orders a heap by time.
  struct Later {
    bool operator()(const Event& a, const Event& b) const noexcept { return a.time > b.time; }
  };
  /// Orders a heap of events at the same time.
  struct LaterSender {
    bool operator()(const Event& a, const Event& b) const noexcept {
      return a.processor > b.processor;
    }
  };

  /// The event at this place belongs far before it.
  [[gnu::noinline]] void put_aside(List& list, std::size_t at) {
    others_.push(list.events[at]);
    list.events.erase(list.events.begin() + static_cast<std::ptrdiff_t>(at));
    next_.resize(lists_.size());
    next_.push_back(others_.top().time);
  }

  [[gnu::noinline]] Event take_other() noexcept {
    const Event event = others_.top();
    others_.pop();
    next_.back() = never;
    if (!others_.empty()) {
      next_.back() = others_.top().time;
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
  std::priority_queue<Event, std::vector<Event>, Later> others_;
  std::vector<double> next_;  // time of the first event of each list, and of the others if any
  std::priority_queue<Event, std::vector<Event>, LaterSender> ready_;
  double now_ = 0.0;
  double origin_ = 0.0;
};

}  // namespace gridcast::model
