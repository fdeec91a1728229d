#pragma once
/// What the commands that read measured times have in common.

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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

/// A file of measured times and the unit behind its name ("pingpong.csv:us"), if there is one.
[[nodiscard]] std::pair<std::string, std::optional<double>> file_and_unit(const std::string& text);

/// Reads it; `unit` of times whose column and file name none.
[[nodiscard]] calibrate::Measured read_measured_times(const std::string& text, double unit);

/// Reads each trace as a program whose runs were measured, with what the runs of --shape-traces
/// tell about it; prints warnings. Throws InputError.
[[nodiscard]] std::vector<calibrate::CalibratedProgram> calibrated_programs(
    const std::vector<std::string>& traces, const std::vector<std::string>& shapes,
    const model::OptionWords& given);

}  // namespace gridcast::cli
