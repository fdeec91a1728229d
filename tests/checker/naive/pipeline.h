#pragma once
/// A pipelined loop, portion by portion (docs/model.md §6).

#include <optional>

#include "free.h"
#include "transfers.h"

namespace gridcast::naive {

/// What a processor did in a pipelined loop. Seconds.
struct PipelineTimes {
  double waiting = 0;
  double overlap = 0;
  double end = 0;  ///< its clock after the last portion
};

/// Clock per processor of the root grid before the loop.
using Clocks = std::vector<double>;

/// Runs the loop, or writes down what `free` processes do in it, as a pipeline; nothing if it has
/// no pipelined dimension. `call_time` is that of the whole loop on a processor of performance 1.
[[nodiscard]] std::optional<std::vector<PipelineTimes>> run_pipeline(
    Machine& machine, const Loop& loop, const std::vector<Edges>& new_values, double call_time,
    const System& current, const Clocks& clocks, FreeRun* free);

}  // namespace gridcast::naive
