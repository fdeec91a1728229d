#pragma once
/// Leaving out intervals beyond a depth of nesting ([Predictor2010 §2.1]).

#include <cstdint>

#include "gridcast/predict/prediction.h"

namespace gridcast::report {

/// Keeps the intervals of at most this level; the whole program has level 0. What is kept stays as
/// it is: times of an interval contain those nested in it.
void limit_depth(model::Prediction& prediction, std::int32_t levels);

}  // namespace gridcast::report
