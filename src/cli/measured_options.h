#pragma once
/// What the commands that read measured times have in common.

#include <CLI/CLI.hpp>
#include <string>

#include "gridcast/calibrate/experiments.h"
#include "gridcast/rules/options.h"

namespace gridcast::cli {

/// How measured times are to be read.
struct MeasuredOptions {
  double unit = 1.0;  ///< seconds of a time whose column does not name a unit
  calibrate::Interval interval = calibrate::Interval::automatic;
};

/// --unit and --interval.
void add_measured_options(CLI::App& command, MeasuredOptions& options);

/// Reads a trace as a program whose runs were measured; prints its warnings.
[[nodiscard]] calibrate::CalibratedProgram calibrated_program(const std::string& trace,
                                                              const model::ModelOptions& options);

}  // namespace gridcast::cli
