#pragma once
/// How fast a processor is: loops of rising arithmetic per element, integers, and streams through
/// memory ([Predictor2010 app. 1]).

#include <filesystem>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gridcast::measure {

/// One loop.
struct KernelTime {
  std::string name;      ///< "arithmetic 4": four multiply-adds per element
  double seconds = 0.0;  ///< per element, median of the repetitions
  double low = 0.0;      ///< quartiles
  double high = 0.0;
};

/// Times all loops, each on all of these processors at once, by a thread bound to each; seconds per
/// element of one thread that is as fast as their mean. Without processors one thread runs wherever
/// the system puts it. With `quick` for a fraction of a second. Throws RunError if a thread cannot
/// be started or bound, std::bad_alloc if the arrays find no place.
[[nodiscard]] std::vector<KernelTime> time_kernels(bool quick,
                                                   std::span<const int> processors = {});

/// A table as CSV: kernel, seconds, low, high; with the times of the same loops on a whole socket
/// also busy (seconds) and ratio (seconds / busy).
void write_kernels(std::ostream& out, const std::vector<KernelTime>& kernels,
                   std::span<const KernelTime> busy = {});

/// Reads a table of either kind, without the columns of a whole socket. Throws InputError with file
/// and line.
[[nodiscard]] std::vector<KernelTime> read_kernels(const std::filesystem::path& path);

/// How many times as fast the machine of `second` is as that of `first`.
struct Speed {
  std::string name;
  double ratio = 1.0;
};

/// Two tables of kernels, or two traces of one program, loop by loop or interval by interval.
struct Comparison {
  std::string first;   ///< file
  std::string second;  ///< file
  std::vector<Speed> speeds;
  std::optional<double> mean;  ///< geometric; of tables
};

/// Per loop that both tables have. Throws InputError if there is none.
[[nodiscard]] std::vector<Speed> speeds_of(const std::vector<KernelTime>& first,
                                           const std::vector<KernelTime>& second);

/// Geometric mean of the ratios.
[[nodiscard]] double mean_speed(const std::vector<Speed>& speeds);

}  // namespace gridcast::measure
