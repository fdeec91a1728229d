#pragma once
/// JSON of a prediction (docs/commands.md, "JSON", schema `gridcast.prediction/1`).

#include <iosfwd>

#include "gridcast/predict/prediction.h"
#include "gridcast/report/trace_files.h"

namespace gridcast::report {

/// Writes the prediction as one JSON object. Seconds; every number is the shortest text that reads
/// back as the same double, numbers that are not finite become null. Bytes of file names that are
/// not UTF-8 become U+FFFD. Intervals with per-processor detail also get `per_processor`, with the
/// 29 names of [Predictor2010 §2.2] in lower case. Memory does not grow with the number of
/// intervals. A run becomes the member `timeline`: the phases of each track. The caller checks the
/// state of `out` afterwards.
void write_json(std::ostream& out, const model::Prediction& prediction, const Run* run = nullptr);

}  // namespace gridcast::report
