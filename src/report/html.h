#pragma once
/// The HTML page of a prediction: the interval tree with the fields of [Predictor2010 app. 2].

#include <iosfwd>
#include <string_view>

#include "gridcast/explain/timeline.h"
#include "gridcast/predict/prediction.h"

namespace gridcast::report {

/// Writes one self-contained HTML5 page (nothing fetched): where time is lost, with `run` a map of
/// the processors and a time line (the only scripts), a tree of the intervals with their
/// efficiencies, then a section per interval, `id="interval-N"` with N counted from 1 in the order
/// of `prediction.intervals`. The caller checks the state of `out` afterwards.
void write_html(std::ostream& out, const model::Prediction& prediction, std::string_view title,
                const model::Timeline* run = nullptr);

}  // namespace gridcast::report
