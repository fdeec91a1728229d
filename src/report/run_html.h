#pragma once
/// The run as a section of the page of a prediction: a map of the processors, a time line.

#include <string>

#include "gridcast/explain/timeline.h"
#include "gridcast/machine/grid.h"

namespace gridcast::report {

/// The section with its data and its script; a word if the time line has no phases.
[[nodiscard]] std::string run_html(const model::Timeline& timeline, const machine::Grid& grid);

}  // namespace gridcast::report
