#pragma once
/// Reads a prediction back from its JSON (docs/json.md, "Predictions").

#include <iosfwd>
#include <string>

#include "gridcast/predict/prediction.h"

namespace gridcast::report {

/// The schema of what write_json() writes and read_prediction() reads.
inline constexpr const char* prediction_schema = "gridcast.prediction/1";

/// "main", "user", "seq" or "par".
[[nodiscard]] const char* interval_type_name(trace::IntervalType type) noexcept;

/// Everything but the characteristics per processor and what recording cost. `file` is for messages
/// only. Throws InputError if this is no JSON, or not that of a prediction.
[[nodiscard]] model::Prediction read_prediction(std::istream& in, const std::string& file);

}  // namespace gridcast::report
