// Lines that the times of messages follow.
#include <algorithm>
#include <cmath>
#include <limits>

#include "gridcast/measure/link_fit.h"

namespace gridcast::measure {
namespace {

constexpr std::size_t most_segments = 4;
constexpr std::size_t least_sizes = 3;

struct FittedLine {
  double start = 0.0;
  double per_byte = 0.0;
  double squares = 0.0;  ///< of relative errors
};

/// Least squares of (start + per_byte · bytes) / seconds − 1 over samples first … last − 1.
FittedLine line_through(const std::vector<Sample>& samples, std::size_t first, std::size_t last) {
  double aa = 0.0;
  double ab = 0.0;
  double bb = 0.0;
  double a1 = 0.0;
  double b1 = 0.0;
  for (std::size_t i = first; i < last; ++i) {
    const double seconds = 0.5 * samples[i].median();
    const double a = 1.0 / seconds;
    const double b = static_cast<double>(samples[i].bytes) / seconds;
    aa += a * a;
    ab += a * b;
    bb += b * b;
    a1 += a;
    b1 += b;
  }
  const double determinant = aa * bb - ab * ab;
  FittedLine line;
  line.start = (a1 * bb - b1 * ab) / determinant;
  line.per_byte = (b1 * aa - a1 * ab) / determinant;
  if (line.per_byte < 0.0) {
    line = {a1 / aa, 0.0, 0.0};
  }
  for (std::size_t i = first; i < last; ++i) {
    const double seconds = 0.5 * samples[i].median();
    const double error =
        (line.start + line.per_byte * static_cast<double>(samples[i].bytes)) / seconds - 1.0;
    line.squares += error * error;
  }
  return line;
}

/// The best split of the first `count` samples into `segments` lines: where the last one begins.
struct Split {
  double squares = std::numeric_limits<double>::infinity();
  std::size_t begin = 0;
};

}  // namespace

std::vector<Segment> segments_of(const std::vector<Sample>& single) {
  const std::size_t count = single.size();
  // best[s][n]: of the first n samples with s + 1 lines.
  std::vector<std::vector<Split>> best(most_segments, std::vector<Split>(count + 1));
  for (std::size_t s = 0; s < most_segments; ++s) {
    for (std::size_t n = (s + 1) * least_sizes; n <= count; ++n) {
      for (std::size_t begin = s * least_sizes; begin + least_sizes <= n; ++begin) {
        if (s == 0 && begin > 0) {
          break;
        }
        const double before = s == 0 ? 0.0 : best[s - 1][begin].squares;
        const double squares = before + line_through(single, begin, n).squares;
        if (squares < best[s][n].squares) {
          best[s][n] = {squares, begin};
        }
      }
    }
  }
  std::size_t lines = 0;
  double least = std::numeric_limits<double>::infinity();
  // Errors below a thousandth are not worth another line.
  constexpr double floor = 1e-6;
  const auto rows = static_cast<double>(count);
  for (std::size_t s = 0; s < most_segments; ++s) {
    if (!std::isfinite(best[s][count].squares)) {
      continue;
    }
    const double numbers = 3.0 * static_cast<double>(s) + 2.0;  // two of a line and its beginning
    const double criterion =
        rows * std::log(best[s][count].squares / rows + floor) + numbers * std::log(rows);
    if (criterion < least) {
      least = criterion;
      lines = s;
    }
  }
  std::vector<Segment> segments;
  std::size_t end = count;
  for (std::size_t s = lines + 1; s-- > 0 && end > 0;) {
    const std::size_t begin = best[s][end].begin;
    const FittedLine line = line_through(single, begin, end);
    segments.push_back({single[begin].bytes, single[end - 1].bytes, line.start, line.per_byte});
    end = begin;
  }
  std::ranges::reverse(segments);
  return segments;
}

}  // namespace gridcast::measure
