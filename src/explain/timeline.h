#pragma once
/// What each processor does when in a predicted run: for time lines and for the formats of trace
/// viewers (docs/model.md, "Time lines").

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gridcast/figures/losses.h"
#include "gridcast/machine/cluster.h"
#include "gridcast/machine/grid.h"
#include "gridcast/rules/options.h"
#include "gridcast/rules/script.h"

namespace gridcast::model {

/// What a processor does with its time.
enum class Doing : std::uint8_t {
  computing,      ///< the user's computation
  library,        ///< work of the run-time library
  io,             ///< reading and writing, on processor 0
  communicating,  ///< until its part of a communication is through
  pipeline,       ///< waiting within a pipelined loop
  waiting,        ///< for processors that come later
  idle,           ///< at the end, for the last one
};
inline constexpr std::size_t doing_count = 7;

/// "computing", "library", ... as in files.
[[nodiscard]] const char* name(Doing doing) noexcept;

/// A stretch of time in which a processor does one thing at one place.
struct Phase {
  std::uint32_t processor = 0;  ///< of the root grid
  std::uint32_t place = 0;      ///< index into Timeline::places
  Activity activity = Activity::program;
  Doing doing = Doing::idle;
  double begin = 0.0;  ///< seconds
  double end = 0.0;
};

/// A predicted run. The phases of a processor follow each other without gaps from 0 to the
/// execution time.
struct Timeline {
  std::vector<Phase> phases;        ///< of each processor in order of time
  std::vector<std::string> places;  ///< "file:line"; the last is the program as a whole
  std::size_t processors = 1;
  double execution_time = 0.0;  ///< seconds
  std::string omitted;          ///< why there are no phases; empty if there are
};

/// Phases that a time line has at most, unless told otherwise.
inline constexpr std::size_t most_phases = 5'000'000;
/// The same for the page of a prediction.
inline constexpr std::size_t most_phases_of_page = 1'000'000;

/// Records the run on a grid with all iterations, whatever the options say. `places`: the program
/// compiled with Detail::places. If there would be more than `most` phases only `omitted` is filled
/// in. Throws InputError as a prediction does.
[[nodiscard]] Timeline record_timeline(const Script& places, const machine::Cluster& cluster,
                                       const machine::Grid& grid, const ModelOptions& options,
                                       std::size_t most = most_phases);

}  // namespace gridcast::model
