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

/// The least of them, at least 0; 0 of none.
[[nodiscard]] double least(const std::vector<double>& gaps);

/// True if the gaps repeat with a period: a program that computes before every fifth of its equal
/// calls has one of 5. Seen three times at least.
[[nodiscard]] bool has_period(const std::vector<double>& gaps);

/// The mean over a period of the least gaps at each of its places; the least gap if there is none.
[[nodiscard]] double mean_of_period(const std::vector<double>& gaps);

}  // namespace gridcast::infer
