#pragma once
/// What a process computes between two calls, by the gaps between the same calls of all iterations.

#include <cstddef>
#include <vector>

#include "gridcast/infer/fold.h"

namespace gridcast::infer {

/// Below this there is but the way from one call to the next, seconds.
inline constexpr double call_seconds = 2e-7;

/// The gaps from number `begin` on: with `every`, those whose number it divides (`first_only`), or
/// the others. Seconds.
[[nodiscard]] std::vector<double> gaps_of(const std::vector<Occurrence>& occurrences,
                                          std::size_t begin, std::size_t every, bool first_only);

/// After how many gaps they repeat; 1: they do not. A program that computes before every fifth of
/// its equal calls has a period of 5. Seen three times at least, in the first 1,536.
[[nodiscard]] std::size_t period_of(const std::vector<double>& gaps);

/// The mean of the least gaps at each place of a period; 0 of no gaps.
[[nodiscard]] double mean_of(const std::vector<double>& gaps, std::size_t period);

}  // namespace gridcast::infer
