#pragma once
/// Where the total time of an interval went: productive and lost parts that add up to it.

#include <array>
#include <string>
#include <string_view>

#include "gridcast/predict/prediction.h"

namespace gridcast::report {

/// One part of the total time, seconds.
struct Part {
  std::string_view name;
  double seconds = 0.0;
};

inline constexpr std::size_t part_count = 11;

/// Productive CPU, SYS, I/O; insufficient parallelism; communication by kind, that of pipelined
/// loops apart from other exchanges of shadow edges; idle. Their sum is the total time.
[[nodiscard]] std::array<Part, part_count> parts_of_total(const model::IntervalResult& interval);

/// The parts as a stacked bar with a legend of numbered entries (HTML).
[[nodiscard]] std::string breakdown_bar(const model::IntervalResult& interval);

}  // namespace gridcast::report
