#include <spdlog/spdlog.h>

#include <filesystem>

#include "assumed.h"
#include "commands.h"
#include "gridcast/base/error.h"
#include "gridcast/calibrate/calibration.h"
#include "gridcast/calibrate/fit.h"
#include "gridcast/farm/ranks.h"
#include "gridcast/farm/shared_jobs.h"
#include "inputs.h"
#include "measured_options.h"
#include "output.h"
#include "places.h"
#include "run.h"
#include "run_options.h"

namespace gridcast::cli {
namespace {

struct CalibrateOptions {
  std::vector<std::string> traces;
  std::vector<std::string> shapes;  ///< --shape-traces
  MachineOptions machine;
  MeasuredOptions measured;
  std::vector<std::string> files;
  std::vector<std::string> wishes;
  calibrate::FitOptions fit;
  model::OptionWords model;
  sweep::WatchLimits watch;
  bool rows = false;
  std::string output;
  std::string json;
};

Places places_of(const CalibrateOptions& options) {
  Places places;
  for (const std::string& file : options.files) {
    places.reads(file_and_unit(file).first);
  }
  return places.reads(files_of({options.traces, {}, {}, options.shapes}))
      .reads(options.machine.file)
      .writes("-o", options.output)
      .writes("--json", options.json);
}

/// What a calibration begins with; the files of results are opened on the rank that writes them.
struct Inputs {
  Inputs(const CalibrateOptions& options, bool writes)
      : wishes(wishes_of(options)),
        experiments(load_machine(options.machine),
                    calibrated_programs(options.traces, options.shapes, options.model),
                    measured_of(options), options.measured.interval) {
    if (writes) {
      outputs = places_of(options).open();
    }
  }

  static std::vector<calibrate::Wish> wishes_of(const CalibrateOptions& options) {
    std::vector<calibrate::Wish> wishes;
    for (const std::string& wish : options.wishes) {
      wishes.push_back(calibrate::Wish::parse(wish));
    }
    return wishes;
  }
  static std::vector<calibrate::Measured> measured_of(const CalibrateOptions& options) {
    std::vector<calibrate::Measured> measured;
    for (const std::string& file : options.files) {
      measured.push_back(read_measured_times(file, options.measured.unit));
    }
    return measured;
  }

  std::vector<calibrate::Wish> wishes;
  calibrate::Experiments experiments;
  Outputs outputs;
};

calibrate::Calibration fit_machine(const CalibrateOptions& options, const Inputs& inputs,
                                   calibrate::Distribute distribute) {
  calibrate::FitOptions fit = options.fit;
  fit.distribute = std::move(distribute);
  const calibrate::Experiments& experiments = inputs.experiments;
  return calibrate::calibrate(
      experiments,
      calibrate::parameters_of(experiments.cluster(), inputs.wishes, experiments.processors()), fit,
      [](const std::string& what) { spdlog::info("{}", what); });
}

void write_results(const CalibrateOptions& options, const calibrate::Calibration& calibration,
                   Inputs& inputs) {
  inputs.outputs.write("-o", [&](std::ostream& out) { out << calibration.machine_text; });
  inputs.outputs.write("--json", [&](std::ostream& out) {
    calibrate::write_json(out, calibration, inputs.experiments);
  });
  if (options.json != "-" && options.output != "-") {
    std::vector<std::string> programs;
    for (const calibrate::CalibratedProgram& program : inputs.experiments.programs()) {
      programs.push_back(program.name);
    }
    print(assumed_lines(inputs.experiments.assumed(), programs, "assumed", 8));
    print(calibrate::text_of(calibration, inputs.experiments, options.rows));
  }
}

/// How a rank ended.
struct CalibrateOutcome {
  int exit_code = done;
  std::string message;
  bool lost_ranks = false;
  bool unreachable_ranks = false;
};

/// Every rank holds all inputs and does its part of the fits; rank 0 writes.
CalibrateOutcome calibrate_together(const CalibrateOptions& options,
                                    const boost::mpi::communicator& world) {
  CalibrateOutcome outcome;
  const bool writes = world.rank() == 0;
  const auto distribute = [&world](std::size_t count, const auto& job) {
    return sweep::share_jobs(world, count, job);
  };
  const auto work = [&] {
    std::optional<Inputs> inputs;
    static_cast<void>(distribute(static_cast<std::size_t>(world.size()), [&](std::size_t) {
      inputs.emplace(options, writes);
      return std::vector<double>();
    }));
    const calibrate::Calibration calibration = fit_machine(options, *inputs, distribute);
    if (writes) {
      write_results(options, calibration, *inputs);
    }
  };
  if (writes) {
    sweep::guarded(outcome, work);
    return outcome;
  }
  try {
    work();
  } catch (const InputError&) {
    outcome.exit_code = bad_input;
  } catch (const std::exception&) {
    outcome.exit_code = failed;
  }
  return outcome;
}

int run_calibrate(const CalibrateOptions& options) {
  calibrate::require_solver();
  places_of(options).require_usable();
  return sweep::run_program<CalibrateOutcome>(
      options.watch,
      [&] {
        Inputs inputs(options, true);
        write_results(options, fit_machine(options, inputs, calibrate::run_here), inputs);
        return CalibrateOutcome();
      },
      [&](const boost::mpi::communicator& world) { return calibrate_together(options, world); },
      [](const CalibrateOutcome& outcome) { return outcome.exit_code; });
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
  add_shape_traces(command, options->shapes);
  add_machine_options(command, options->machine);
  command
      .add_option("--measured", options->files,
                  "Measured times: runs (columns trace, grid, seconds) or messages (bytes, "
                  "seconds); :ms or "
                  ":us behind the name is the unit of columns that name none")
      ->type_name("RUNS.csv[:s|ms|us]")
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
                  "Relative errors beyond this count linearly, not by their square (default: twice "
                  "the spread of most errors, 0.3 with few times)")
      ->type_name("E")
      ->check(CLI::PositiveNumber);
  command.add_flag("--rows", options->rows, "Print the errors of every measured time");
  add_json(command, options->json);
  add_start_limit(command, options->watch);
  add_peer_limit(command, options->watch);
  add_model_options(command, options->model);
  on_chosen(command, session, options, run_calibrate);
}

}  // namespace gridcast::cli
