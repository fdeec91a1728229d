#include "measured_options.h"

#include <filesystem>

#include "inputs.h"
#include "options.h"

namespace gridcast::cli {

void add_measured_options(CLI::App& command, MeasuredOptions& options) {
  add_choice<double>(command, "--unit", options.unit, {{"s", 1.0}, {"ms", 1e-3}, {"us", 1e-6}},
                     "Unit of measured times whose column names none (default: s)");
  add_choice<calibrate::Interval>(
      command, "--interval", options.interval,
      {{"auto", calibrate::Interval::automatic},
       {"program", calibrate::Interval::program},
       {"user", calibrate::Interval::user}},
      "What was measured: the whole program, or its first interval of the user (default: auto, the "
      "interval if there is one)");
}

calibrate::CalibratedProgram calibrated_program(const std::string& trace,
                                                const model::ModelOptions& options) {
  LoadedProgram program = load_script({trace}, options);
  log_warnings(program.warnings);
  return {std::filesystem::path(trace).filename().string(),
          std::make_shared<const model::Script>(std::move(program.script)),
          {}};
}

}  // namespace gridcast::cli
