#pragma once
/// The critical path of free processes, as text and as a section of a page.

#include <string>

#include "gridcast/predict/prediction.h"

namespace gridcast::report {

/// The largest parts of the path in lines of text; empty if nobody asked.
[[nodiscard]] std::string critical_path_text(const model::Prediction& prediction);

/// The same as a section of a page.
[[nodiscard]] std::string critical_path_html(const model::Prediction& prediction);

}  // namespace gridcast::report
