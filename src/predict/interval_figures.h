#pragma once
/// Internal: figures of intervals added up.

#include "gridcast/predict/prediction.h"

namespace gridcast::model {

/// Adds the figures of an interval `factor` times; what has been counted stays as it is.
void add(OperationTimes& to, const OperationTimes& from, double factor);
void add(TimesByKind& to, const TimesByKind& from, double factor);
void add(ProcessorTimes& to, const ProcessorTimes& from, double factor);
void add(Characteristics& to, const Characteristics& from, double factor);
void add(IntervalResult& to, const IntervalResult& from, double factor);

}  // namespace gridcast::model
