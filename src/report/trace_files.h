#pragma once
/// A predicted run in the formats of trace viewers (docs/commands.md, "Predict").

#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "gridcast/explain/timeline.h"
#include "gridcast/machine/grid.h"

namespace gridcast::report {

/// A line of a trace viewer.
struct Track {
  std::size_t processor = 0;   ///< whose phases it has
  std::size_t processors = 1;  ///< that have these phases, it included
};

/// A predicted run and its tracks.
struct Run {
  model::Timeline timeline;
  std::vector<Track> tracks;
};

/// One track for all processors whose phases are the same and end at the same times, to a
/// thousandth of the run; that of the lowest processor stands for them. In the order of their
/// processors.
[[nodiscard]] std::vector<Track> tracks_of_classes(const model::Timeline& timeline);

/// One track per processor.
[[nodiscard]] std::vector<Track> tracks_of_processors(const model::Timeline& timeline);

/// Writes trace events as Chrome's tracing and Perfetto read them (JSON object format, complete
/// events): a thread per track, times in microseconds. The caller checks the state of `out`
/// afterwards. Precondition: nothing is omitted.
void write_trace_events(std::ostream& out, const model::Timeline& timeline,
                        const std::vector<Track>& tracks, const machine::Grid& grid,
                        std::string_view title);

/// A phase of a track as it is read back.
struct TrackPhase {
  std::string track;
  std::string doing;   ///< "computing", ...
  double begin = 0.0;  ///< seconds
  double end = 0.0;
};

/// Reads what write_trace_events() writes, or the run of a prediction (write_json), in the order of
/// the file; `file` is for messages only. Throws InputError if it is something else.
[[nodiscard]] std::vector<TrackPhase> read_phases(std::istream& in, const std::string& file);

/// Writes a Paje trace: a container per track with one state, the file and line of each in the
/// additional field Place, times in seconds. The same precondition.
void write_paje(std::ostream& out, const model::Timeline& timeline,
                const std::vector<Track>& tracks, const machine::Grid& grid,
                std::string_view title);

/// One of the two.
using TraceWriter = void (*)(std::ostream&, const model::Timeline&, const std::vector<Track>&,
                             const machine::Grid&, std::string_view);

/// Bytes that the writer will write, to a few per cent, without writing more than a thousandth.
[[nodiscard]] double expected_bytes(TraceWriter write, const model::Timeline& timeline,
                                    const std::vector<Track>& tracks, const machine::Grid& grid,
                                    std::string_view title);

}  // namespace gridcast::report
