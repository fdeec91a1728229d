#pragma once
/// What gridcast-measure takes.

#include <memory>
#include <string>
#include <vector>

#include "gridcast/farm/limits.h"
#include "gridcast/measure/measured_machine.h"
#include "options.h"

namespace gridcast::cli {

/// The options of gridcast-measure.
struct MeasureOptions {
  std::string output;
  std::string table;
  std::string html;
  std::string json;  ///< of a measurement, or of a ratio
  measure::NetworkModel network = measure::NetworkModel::ports;
  bool quick = false;
  sweep::WatchLimits watch;
  bool kernel = false;
  std::vector<std::string> ratio;  ///< two tables or traces; empty: measure
};

/// The definition of its command line, which fills in `options` and `session`; both outlive it.
[[nodiscard]] std::unique_ptr<CLI::App> define_measure(MeasureOptions& options, Session& session);

/// `gridcast-measure ...`; returns the exit code.
[[nodiscard]] int measure_command_line(int argc, char** argv);

}  // namespace gridcast::cli
