#pragma once
/// Which coordinates of the grid are on which node of the machine, as a section of the page of a
/// prediction.

#include <string>

#include "gridcast/predict/prediction.h"

namespace gridcast::report {

/// ", placed by row" and so on; empty if there are not several nodes with several processors.
[[nodiscard]] std::string placement_note(const model::Prediction& prediction);

/// The section with its data and its script; empty like the note. The page works out the node of a
/// coordinate when it draws it, so that its size does not depend on the number of processors.
[[nodiscard]] std::string placement_html(const model::Prediction& prediction);

}  // namespace gridcast::report
