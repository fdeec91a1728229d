#pragma once
/// The section of one interval: the fields of [Predictor2010 app. 2].

#include <iosfwd>

#include "gridcast/predict/prediction.h"

namespace gridcast::report {

/// Writes the tree of the intervals and a section for each.
void write_intervals(std::ostream& out, const model::Prediction& prediction);

/// More intervals than this use the layout for many sections.
inline constexpr std::size_t many_intervals = 50;

}  // namespace gridcast::report
