#pragma once
/// Plain text about a prediction, for a terminal.

#include <string>

#include "gridcast/predict/prediction.h"

namespace gridcast::report {

/// The figures of the whole program and the ten nested intervals that lose most time, as lines of
/// UTF-8 text. Warnings are left out: the command line prints them to stderr.
[[nodiscard]] std::string text_summary(const model::Prediction& prediction);

/// One or two sentences that say where the lost time of an interval goes: the largest of its parts
/// (repeated work, each kind of communication, pipelined loops apart from other exchanges of shadow
/// edges, idle time), up to two more that matter, and uneven load.
[[nodiscard]] std::string explain(const model::IntervalResult& interval);

}  // namespace gridcast::report
