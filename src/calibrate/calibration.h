#pragma once
/// Calibrates a machine: fits its numbers to measured times and says how good that is
/// (docs/calibration.md).

#include <functional>
#include <string>
#include <vector>

#include "gridcast/calibrate/comparison.h"
#include "gridcast/calibrate/experiments.h"
#include "gridcast/calibrate/fit.h"
#include "gridcast/calibrate/parameters.h"

namespace gridcast::calibrate {

/// A calibrated machine.
struct Calibration {
  std::vector<Parameter> parameters;
  std::vector<double> values;        ///< in the units of the file, as they are written
  std::vector<FittedNumber> fitted;  ///< of what is fitted (Parameter::number())
  std::vector<double> before;        ///< predicted seconds of all rows with the given machine
  std::vector<double> after;         ///< with the values
  std::vector<double> left_out;      ///< each row with a machine fitted without it; may be empty
  std::vector<std::size_t> let_go;   ///< rows that did not count, as no numbers explain them
  Errors errors_before;
  Errors errors_after;
  Errors errors_left_out;
  std::string left_out_text;  ///< "one program at a time", "a tenth of the runs at a time"
  double trace_cost = 0.0;    ///< fitted seconds per event line
  std::string machine_text;   ///< a .par file with a comment per number
};

/// Says which part of the work begins, for people who wait.
using Announce = std::function<void(const std::string&)>;

/// Fits the parameters to all rows (runs that no numbers explain do not count, unless the options
/// give a width of the loss), then once more without each program (without each tenth of the
/// rows if there is one program or none). Throws InputError.
[[nodiscard]] Calibration calibrate(const Experiments& experiments,
                                    const std::vector<Parameter>& parameters,
                                    const FitOptions& options, const Announce& announce);

/// What became of a number, for people: "told within 1.2 %", "not told by these runs: kept".
[[nodiscard]] std::string verdict(const Calibration& calibration, std::size_t index);

/// The runs that did not count, one per line; empty if all did.
[[nodiscard]] std::string let_go_text(const Calibration& calibration,
                                      const Experiments& experiments);

/// The whole outcome as text.
[[nodiscard]] std::string text_of(const Calibration& calibration, const Experiments& experiments,
                                  bool every_row);

/// The whole outcome as JSON, schema gridcast.calibration/1.
void write_json(std::ostream& out, const Calibration& calibration, const Experiments& experiments);

}  // namespace gridcast::calibrate
