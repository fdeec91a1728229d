#pragma once
/// When the channels of a network are free again: a heap of times with the earliest on top.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

namespace gridcast::network {

/// Makes times that are in any order such a heap.
inline void make_end_heap(std::vector<double>& ends) {
  std::make_heap(ends.begin(), ends.end(), std::greater<>());
}

/// One more channel is taken, until `end`.
inline void push_end(std::vector<double>& ends, double end) {
  ends.push_back(end);
  std::push_heap(ends.begin(), ends.end(), std::greater<>());
}

/// The channel that is free first is taken until `end`, which is no earlier: this sinks from the
/// top of the heap to its place. Precondition: there is one.
inline void replace_earliest(std::vector<double>& ends, double end) noexcept {
  std::size_t hole = 0;
  for (std::size_t child = 1; child < ends.size(); child = 2 * hole + 1) {
    child += child + 1 < ends.size() && ends[child + 1] < ends[child] ? 1 : 0;
    if (ends[child] >= end) {
      break;
    }
    ends[hole] = ends[child];
    hole = child;
  }
  ends[hole] = end;
}

}  // namespace gridcast::network
