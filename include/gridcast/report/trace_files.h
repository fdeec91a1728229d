#pragma once
/// A predicted run in the formats of trace viewers (docs/commands.md, "Predict").

#include <iosfwd>
#include <string_view>

#include "gridcast/explain/timeline.h"
#include "gridcast/machine/grid.h"

namespace gridcast::report {

/// Writes trace events as Chrome's tracing and Perfetto read them (JSON object format, complete
/// events): a thread per processor, times in microseconds. The caller checks the state of `out`
/// afterwards. Precondition: nothing is omitted.
void write_trace_events(std::ostream& out, const model::Timeline& timeline,
                        const machine::Grid& grid, std::string_view title);

/// Writes a Paje trace: a container per processor with one state, the file and line of each in the
/// additional field Place, times in seconds. The same precondition.
void write_paje(std::ostream& out, const model::Timeline& timeline, const machine::Grid& grid,
                std::string_view title);

}  // namespace gridcast::report
