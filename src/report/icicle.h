#pragma once
/// Internal: total time as a picture.

#include <string>

#include "gridcast/predict/prediction.h"

namespace gridcast::report {

/// Intervals as boxes as wide as their share of the total time, nested ones below, each a link to
/// its section; under them the productive time and the places where time is lost, as wide as what
/// they take. Empty if no time was spent.
[[nodiscard]] std::string icicle_html(const model::Prediction& prediction);

}  // namespace gridcast::report
