#pragma once
/// Which phases of a run the tracks of a trace viewer show.

#include <string>
#include <vector>

#include "gridcast/report/trace_files.h"

namespace gridcast::report {

/// Per processor of a run whether a track shows it.
[[nodiscard]] std::vector<bool> shown_processors(const model::Timeline& timeline,
                                                 const std::vector<Track>& tracks);

/// "processor 5 (1,1)", "processor 5 (1,1) and 119 like it".
[[nodiscard]] std::string track_name(const Track& track, const machine::Grid& grid);

}  // namespace gridcast::report
