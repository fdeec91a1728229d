#pragma once
/// Averaging the traces of several runs of one program with the same number of processes: what
/// varies from run to run, kept and shown.

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

namespace gridcast::trace {

/// How one time differs from run to run, in seconds.
struct Spread {
  double mean = 0.0;
  double smallest = 0.0;
  double largest = 0.0;
  double deviation = 0.0;  ///< standard deviation of a sample (divisor: runs - 1)

  /// deviation / mean; 0 if the mean is 0.
  [[nodiscard]] double relative() const noexcept { return mean > 0.0 ? deviation / mean : 0.0; }
};

/// The spread of `times` (at least one), one per run.
[[nodiscard]] Spread spread_of(std::span<const double> times);

/// The two times of one call.
struct CallSpread {
  Spread call_time;
  Spread ret_time;
};

/// All calls of one function of the run-time library: the spread of the sum of their times.
struct FunctionSpread {
  std::string name;
  std::size_t calls = 0;
  Spread time;
};

/// What an average was made of, and how much the runs differ.
struct AverageResult {
  std::size_t runs = 0;
  std::vector<CallSpread> calls;          ///< in the order of the run
  Spread duration;                        ///< of the whole trace
  std::vector<FunctionSpread> functions;  ///< most time first, then by name
  std::vector<std::string> warnings;
};

/// Writes a trace whose times are the means over the runs; its other lines are those of the first.
/// The spread of each time stands in it as an informational line after the call_ line, which
/// readers skip: `#gridcast spread call MEAN MIN MAX DEVIATION ret MEAN MIN MAX DEVIATION`.
/// Throws InputError if the runs differ in their calls (file and line, what the other has) or in
/// their numbers of processes, or if there are fewer than two.
AverageResult average_traces(std::span<const std::filesystem::path> runs, std::ostream& out);

/// The summary as lines of text: the whole trace, then each function.
[[nodiscard]] std::string to_text(const AverageResult& result);

}  // namespace gridcast::trace
