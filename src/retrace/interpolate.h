#pragma once
/// From traces of one program at several problem sizes to the trace at another size.

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

namespace gridcast::trace {

/// A trace and the problem size at which it was recorded (any number that grows with the problem).
struct SizedTrace {
  std::filesystem::path path;
  double size = 0.0;
};

/// How times and parameters depend on the size.
struct InterpolateOptions {
  /// Highest degree of the polynomials in the size; never more than the number of sizes minus 1.
  std::size_t degree = 3;
};

/// What was written, and how.
struct InterpolateResult {
  std::size_t calls = 0;
  std::size_t degree = 0;              ///< of the polynomials for times
  std::size_t varying_parameters = 0;  ///< values of parameters that depend on the size
  std::size_t clamped_times = 0;       ///< times that came out negative and are written as 0
  double duration = 0.0;               ///< Σ(call_time + ret_time) at the new size, seconds
  std::vector<std::string> warnings;
};

/// Writes the trace at `size`. The traces must make the same calls (function, file, line) in the
/// same order, so the numbers of iterations must be equal. Each time is the value of a polynomial
/// in the size fitted by least squares (through all points if there are degree + 1 sizes). Each
/// whole number among the parameters (extents, bounds, widths, lengths) must be a polynomial in the
/// size, with a whole value at `size`; those that say what kind of call it is must be equal.
/// Everything else (addresses, texts) is taken from the trace whose size is nearest.
///
/// Throws InputError where the traces differ (file and line), where a parameter follows no
/// polynomial or has no whole value, and for fewer than two different sizes.
InterpolateResult interpolate_traces(std::span<const SizedTrace> traces, double size,
                                     std::ostream& out, const InterpolateOptions& options = {});

}  // namespace gridcast::trace
