#pragma once
/// The call structure of a program as a place/transition net (docs/analysis.md).

#include <iosfwd>
#include <string>

#include "gridcast/nets/net.h"
#include "gridcast/report/plot.h"
#include "gridcast/trace/program.h"

namespace gridcast::nets {

/// A net in which every process runs through the calls of the program for ever: a token per process
/// in the place of its next call. Parallel loops and waits are transitions of each process,
/// whatever synchronises one of all processes together; what a start sends is a place that one
/// transition fills and one empties. Repetitions of the same calls are drawn once. The rate of a
/// transition is one over its mean time in the trace, for a loop one over its process's share.
/// Throws InputError if more than `most_calls` calls are left.
[[nodiscard]] Net program_net(const trace::Program& program, std::size_t processes,
                              std::size_t most_calls = 2000);

/// Everything about a net.
struct NetAnalysis {
  Net net;
  Reachable reachable;
  SteadyState steady;
};
[[nodiscard]] NetAnalysis analyse_net(Net net);

[[nodiscard]] std::string net_text(const NetAnalysis& analysis);
/// One JSON object, schema gridcast.net/1 (docs/analysis.md).
void write_net_json(std::ostream& out, const NetAnalysis& analysis);
/// How long the transitions are enabled, the busiest first.
[[nodiscard]] report::Plot net_plot(const NetAnalysis& analysis);

}  // namespace gridcast::nets
