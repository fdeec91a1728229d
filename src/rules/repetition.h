#pragma once
/// Sequential loops whose iterations make the same calls, found in the operations of a
/// script (--extrapolate-iterations; docs/model.md §8, [Forecasting §2.1]).

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gridcast/rules/script.h"

namespace gridcast::model {

/// Fewer iterations than this are not worth a sample.
inline constexpr std::size_t least_sampled_iterations = 24;

/// Operations [begin, begin + period * count) are `count` iterations of the same operations.
struct Repetition {
  std::size_t begin = 0;
  std::size_t period = 0;
  std::size_t count = 0;
  bool nested_pays = false;        ///< more can be left out of the nested loops than of this one
  std::vector<Repetition> nested;  ///< in each iteration; they begin relative to the iteration

  [[nodiscard]] std::size_t end() const noexcept { return begin + period * count; }
};

/// Of the iterations of a loop of free processes (docs/model.md §10): how many are simulated, and
/// for how many of those left out each of the last stands.
struct Simulated {
  std::size_t count = 0, last = 0;
  double rest = 0.0;
};

/// `iterations`: ModelOptions::iterations, not 0.
[[nodiscard]] Simulated simulated_of(const Repetition& loop, std::int64_t iterations);

/// All repetitions of at least three iterations, in order, not overlapping. Iterations begin and
/// end with the same intervals open, the same processor system, and no asynchronous operation under
/// way.
[[nodiscard]] std::vector<Repetition> find_repetitions(std::span<const Op> ops);

}  // namespace gridcast::model
