#pragma once
/// The order in which the portions of a pipelined loop end.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "gridcast/network/networks.h"

namespace gridcast::model {

/// Portions that end, the earliest first; of those that end at the same time the lowest processor.
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
  void reset(double origin) {
    origin_ = origin;
    later_.clear();
    ready_.clear();
    now_ = -never;
  }

  void push(const Event& event) {
    if (event.time <= now_) {
      push(ready_, event, lower);
    } else {
      push(later_, event, earlier);
    }
  }

  /// The next one; at an infinite time if there are no more.
  Event pop() {
    if (ready_.empty()) {
      if (later_.empty()) {
        return {never, 0};
      }
      // Times that differ by rounding only are a tie, which goes to the lowest sender.
      const Event first = pop(later_, earlier);
      now_ = first.time + network::relative_slack * (origin_ + first.time);
      if (later_.empty() || later_.front().time > now_) {
        return first;
      }
      for (push(ready_, first, lower); !later_.empty() && later_.front().time <= now_;) {
        push(ready_, pop(later_, earlier), lower);
      }
    }
    return pop(ready_, lower);
  }

private:
  using Heap = std::vector<Event>;
  static bool earlier(const Event& a, const Event& b) noexcept { return a.time > b.time; }
  static bool lower(const Event& a, const Event& b) noexcept { return a.processor > b.processor; }

  template <class Behind>
  static void push(Heap& heap, const Event& event, Behind&& behind) {
    heap.push_back(event);
    std::push_heap(heap.begin(), heap.end(), behind);
  }
  template <class Behind>
  static Event pop(Heap& heap, Behind&& behind) {
    std::pop_heap(heap.begin(), heap.end(), behind);
    const Event event = heap.back();
    heap.pop_back();
    return event;
  }

  Heap later_, ready_;  // ready: those at the time of the latest event
  double now_ = 0.0;
  double origin_ = 0.0;
};

}  // namespace gridcast::model
