#pragma once
/// What was measured, for other programs (docs/json.md).

#include <iosfwd>

#include "gridcast/measure/kernels.h"
#include "gridcast/measure/measured_machine.h"

namespace gridcast::measure {

/// All figures with their intervals, and all that was timed; seconds and bytes.
void write_machine_json(std::ostream& out, const MeasuredMachine& machine);

/// The ratios of a comparison.
void write_comparison_json(std::ostream& out, const Comparison& comparison);

}  // namespace gridcast::measure
