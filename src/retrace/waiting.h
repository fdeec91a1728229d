#pragma once
/// Which return times of a run on several processes hold waiting for other processes, and what is
/// left of them without it (docs/traces.md).

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "raw_trace.h"

namespace gridcast::trace {

/// What the return time of a function is made of.
enum class ReturnTime : std::uint8_t {
  work,      ///< work of this process
  transfer,  ///< work whose amount depends on the data (copying), and waiting
  waiting    ///< a bookkeeping that is the same each time, and waiting
};

[[nodiscard]] ReturnTime return_time_of(std::string_view function);

/// The smallest return times at each place (function, file, line) of all processes and all
/// executions. Where a call waits in every process of the group (a reduction that all leave
/// together, an exchange of edges), the smallest of the group still holds waiting or transfers; the
/// execution in which nobody waited shows what the call costs by itself.
///
/// Clocks count microseconds, and the library carries what an event is too short on to later ones:
/// a return of less than a microsecond is no measurement, and the smallest of many would be 0.
class LeastReturns {
public:
  explicit LeastReturns(const std::vector<RawTrace>& traces);

  /// What is left of `smallest` (of one call of the group) without waiting: the least time at the
  /// place, but no less than a microsecond where the call itself took one.
  [[nodiscard]] static double without_waiting(double smallest, double least);

  /// Of the place of one call. The first dopl_ of a loop, which only begins it, and those after
  /// computed portions are different places.
  [[nodiscard]] double at(std::size_t trace, std::size_t record) const;

private:
  using Key = std::tuple<std::string, std::string, std::uint32_t, bool>;
  std::vector<std::vector<std::uint32_t>> place_of_;  ///< per trace and record
  std::vector<double> least_;
};

}  // namespace gridcast::trace
