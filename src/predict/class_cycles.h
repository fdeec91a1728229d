#pragma once
/// Internal: iterations of a program that do the same, each from the moment on at which the one
/// before it waits for all processors.

#include <cstddef>
#include <vector>

#include "gridcast/rules/script.h"

namespace gridcast::model {

/// Operations [begin, begin + period · count) are `count` times the same, the times included. Each
/// begins with an operation that levels the clocks, with nothing under way; none opens or closes an
/// interval.
struct Cycle {
  std::size_t begin = 0, period = 0, count = 0;

  [[nodiscard]] std::size_t end() const noexcept { return begin + period * count; }
  /// Whether one begins at this operation.
  [[nodiscard]] bool begins_at(std::size_t op) const noexcept {
    return op >= begin && op < end() && (op - begin) % period == 0;
  }
};

/// In order, not overlapping.
[[nodiscard]] std::vector<Cycle> find_cycles(const Script& script);

}  // namespace gridcast::model
