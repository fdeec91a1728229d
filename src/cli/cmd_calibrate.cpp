#include <spdlog/spdlog.h>

#include <filesystem>

#include "commands.h"
#include "gridcast/base/error.h"
#include "gridcast/calibrate/calibration.h"
#include "inputs.h"
#include "measured_options.h"
#include "output.h"
#include "places.h"
#include "run.h"

namespace gridcast::cli {
namespace {

struct CalibrateOptions {
  std::vector<std::string> traces;
  MachineOptions machine;
  MeasuredOptions measured;
  std::vector<std::string> files;
  std::vector<std::string> wishes;
  calibrate::FitOptions fit;
  model::ModelOptions model;
  bool rows = false;
  std::string output;
  std::string json;
};

/// Reads each trace as a program of its own.
std::vector<calibrate::CalibratedProgram> programs_of(const CalibrateOptions& options) {
  std::vector<calibrate::CalibratedProgram> programs;
  for (const std::string& trace : options.traces) {
    programs.push_back(calibrated_program(trace, options.model));
  }
  return programs;
}

int run_calibrate(const CalibrateOptions& options) {
  if (options.json == "-" && options.output == "-") {
    throw InputError("--json - and -o - at the same time",
                     "expected at most one result on standard output");
  }
  Places()
      .reads(options.traces)
      .reads(options.machine.file)
      .reads(options.files)
      .writes("-o", options.output)
      .writes("--json", options.json)
      .require_separate();
  std::optional<Output> output;
  std::optional<Output> json;
  if (!options.output.empty()) {
    output.emplace(options.output);
  }
  if (!options.json.empty()) {
    json.emplace(options.json);
  }
  std::vector<calibrate::Measured> measured;
  for (const std::string& file : options.files) {
    measured.push_back(calibrate::read_measured(file, options.measured.unit));
  }
  std::vector<calibrate::Wish> wishes;
  for (const std::string& wish : options.wishes) {
    wishes.push_back(calibrate::Wish::parse(wish));
  }
  const calibrate::Experiments experiments(load_machine(options.machine), programs_of(options),
                                           measured, options.model, options.measured.interval);
  const calibrate::Calibration calibration = calibrate::calibrate(
      experiments,
      calibrate::parameters_of(experiments.cluster(), wishes, experiments.processors()),
      options.fit, [](const std::string& what) { spdlog::info("{}", what); });
  if (output) {
    output->stream() << calibration.machine_text;
    output->commit();
  }
  if (json) {
    calibrate::write_json(json->stream(), calibration, experiments);
    json->commit();
  }
  if (options.json != "-" && options.output != "-") {
    print(calibrate::text_of(calibration, experiments, options.rows));
  }
  return done;
}

}  // namespace

void add_calibrate(CLI::App& app, Session& session) {
  auto options = std::make_shared<CalibrateOptions>();
  CLI::App& command = add_command(
      app, session, "calibrate", "Fit the numbers of a machine to measured times",
      "gridcast calibrate jac.ptr sor.ptr --machine guess.par --measured runs.csv -o fitted.par");
  command
      .add_option("TRACE", options->traces,
                  "Traces of the programs that were run, each a program of its own")
      ->type_name("");
  add_machine_options(command, options->machine);
  command
      .add_option(
          "--measured", options->files,
          "Measured times: runs (columns trace, grid, seconds) or messages (bytes, seconds)")
      ->type_name("RUNS.csv")
      ->allow_extra_args(false)
      ->required();
  command
      .add_option("-o,--output", options->output,
                  "Write the fitted machine to a file, or to "
                  "standard output (-)")
      ->type_name("NEW.par|-");
  command
      .add_option("--fit", options->wishes,
                  "A number to fit, maybe with bounds; all: those that the machine names (default)")
      ->type_name("NAME[=LOW:HIGH]")
      ->allow_extra_args(false);
  add_measured_options(command, options->measured);
  command.add_option("--starts", options->fit.starts, "Starting points of the fit (default: 6)")
      ->type_name("N")
      ->check(CLI::Range(1, 1000));
  command
      .add_option("--loss-width", options->fit.loss_width,
                  "Relative errors beyond this count linearly, not by their square (default: 0.3)")
      ->type_name("E")
      ->check(CLI::PositiveNumber);
  command.add_flag("--rows", options->rows, "Print the errors of every measured time");
  add_json(command, options->json);
  add_model_options(command, options->model);
  on_chosen(command, session, options, run_calibrate);
}

}  // namespace gridcast::cli
