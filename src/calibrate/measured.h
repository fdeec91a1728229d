#pragma once
/// Measured times as people write them down: a CSV file with a line per run of a program, or per
/// message between two processors (docs/calibration.md).

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "gridcast/machine/grid.h"

namespace gridcast::calibrate {

/// One run of a program.
struct MeasuredRun {
  std::string trace;  ///< as the file names it; empty: the only one
  machine::Grid grid;
  double seconds = 0.0;
  std::size_t line = 0;
};

/// `pairs` messages that started together, number i from processor from + i to to + i: seconds from
/// the start until the last has arrived.
struct MeasuredMessages {
  std::int64_t from = 0;
  std::int64_t to = 1;
  std::int64_t pairs = 1;
  double bytes = 0.0;
  double seconds = 0.0;
  std::size_t line = 0;
};

/// A whole file: runs or messages.
struct Measured {
  std::string file;
  std::vector<MeasuredRun> runs;
  std::vector<MeasuredMessages> messages;
};

/// Reads a file. The first line that is no comment (#) names the columns, in any order and case:
/// runs have `grid` (4x2) or `p1`...`p4` (1 or nothing
/// in dimensions that a grid does not have; `rank` may say how many it has) and maybe `trace`,
/// else `program`, else `variant`, which name the program;
/// messages have `bytes` or `size` (1500, 1.5K) and maybe `from`, `to`, `pairs`. The time is the
/// first of `seconds`, `milliseconds`
/// (`ms`), `microseconds` (`us`), `time`, `median`, `mean`, `min`, `execution_time`; the names
/// after `us` count in `unit` seconds. Other columns are left alone. Throws InputError with the
/// line.
[[nodiscard]] Measured read_measured(const std::filesystem::path& path, double unit = 1.0);

/// The same from text; `name` stands for the file in errors.
[[nodiscard]] Measured parse_measured(std::string_view text, const std::string& name,
                                      double unit = 1.0);

}  // namespace gridcast::calibrate
