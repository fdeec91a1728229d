#pragma once
/// Internal: sequential loops whose iterations make the same calls, found in the operations of a
/// script
/// (--extrapolate-iterations; MODEL.md §8, seed 004 §2.1).

#include <cstddef>
#include <span>
#include <vector>

#include "gridcast/model/script.h"

namespace gridcast::model {

/// Operations [begin, begin + period * count) are `count` iterations of the same operations.
struct Repetition {
  std::size_t begin = 0;
  std::size_t period = 0;
  std::size_t count = 0;
  std::vector<Op> median;  ///< one iteration with the median of each time

  [[nodiscard]] std::size_t end() const noexcept { return begin + period * count; }
};

/// All repetitions of at least three iterations, in order, not overlapping. Iterations begin and
/// end with the same intervals open, the same processor system, and no asynchronous operation under
/// way.
[[nodiscard]] std::vector<Repetition> find_repetitions(std::span<const Op> ops);

}  // namespace gridcast::model
