#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "commands.h"
#include "gridcast/base/error.h"
#include "gridcast/evaluate/questions.h"
#include "gridcast/farm/launched.h"
#include "gridcast/infer/infer.h"
#include "gridcast/record/plan.h"
#include "infer_options.h"
#include "inputs.h"
#include "run.h"
#include "sweep_options.h"
#include "tune_runs.h"

namespace gridcast::cli {
namespace {

struct TuneOptions {
  TunedProgram program;
  std::string folder = "tune";
  SweepOptions search;  ///< its program is the inferred one
};

void make_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!std::filesystem::is_directory(folder)) {
    throw InputError(folder, 0, "cannot be made", "expected -o with the name of a folder");
  }
}

/// The search of the program that will be described.
SweepOptions search_of(const TuneOptions& options) {
  SweepOptions search = options.search;
  search.program.files = {options.folder + "/app.toml"};
  const std::vector<std::int64_t> extents = record::parse_extents(options.program.extents);
  std::vector<std::string> parameters;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    parameters.push_back(infer::extent_name(d) + "=" + std::to_string(extents[d]));
  }
  std::vector<std::string>& given = search.program.parameters;
  given.insert(given.begin(), parameters.begin(), parameters.end());
  if (search.store.empty()) {
    search.store = options.folder + "/search.h5";
  }
  search.settings.resume = sweep::Resume::automatic;
  return search;
}

int run_tune(const TuneOptions& options) {
  if (sweep::launched_by_mpi()) {
    throw InputError("tune was started by mpirun or srun",
                     "expected it alone: it starts the runs of the program itself");
  }
  if (options.program.command.empty()) {
    throw InputError("tune needs a command",
                     "expected as last words -- mpirun -n {} ./app {n1} {n2} {p1} {p2}");
  }
  const SweepOptions search = search_of(options);
  static_cast<void>(parameters_of(search.program));
  const std::int64_t processors =
      sweep::most_processors(search.settings.questions, read_machine(search.machine));
  const std::vector<TuneRun> runs =
      plan_tune_runs(options.program, processors, options.folder + "/runs");
  make_folder(options.folder);
  search_places(search).require_usable();
  record_tune_runs(runs);
  InferOptions inferred{.runs = {}, .output = search.program.files.front()};
  for (const TuneRun& run : runs) {
    inferred.runs.push_back(run.folder);
  }
  std::sort(inferred.runs.begin(), inferred.runs.end());
  const int code = run_infer(inferred);
  return code == done ? run_search(search) : code;
}

void add_program_options(CLI::App& command, TuneOptions& options) {
  TunedProgram& program = options.program;
  command
      .add_option("--extents", program.extents, "Size of the problem that the grid is wanted for")
      ->type_name("N1xN2")
      ->required();
  command
      .add_option("--run-extents", program.run_extents,
                  "Size of the problem in the recorded runs (default: small, by --extents and the "
                  "processors); required if the command names none")
      ->type_name("N1xN2");
  command
      .add_option("--size-run", program.size_runs,
                  "A run on one process with a problem of this size, instead of those of the "
                  "command; give several")
      ->type_name("N1xN2='COMMAND'")
      ->allow_extra_args(false);
  command
      .add_option("--rank", program.rank,
                  "Dimensions of the grid, which cuts the first extents (default: all)")
      ->type_name("R")
      ->check(CLI::Range(1, machine::max_grid_rank));
  command
      .add_option("-o,--output", options.folder,
                  "Folder of the recordings, the description and the search (default: tune)")
      ->type_name("DIR");
  add_parameters(command, options.search.program.parameters);
  command
      .add_option("COMMAND", program.command,
                  "After --: mpirun, mpiexec or srun with the program; {} is the number of "
                  "processes, {p1} {p2} ... or {grid} their grid, {n1} {n2} ... or {extents} the "
                  "size of the problem")
      ->type_name("");
}

}  // namespace

void add_tune(CLI::App& app, Session& session) {
  auto options = std::make_shared<TuneOptions>();
  options->search.settings.command_line = session.command_line;
  CLI::App& command = add_command(
      app, session, "tune", "Find the best grid of an MPI program: record, infer, search",
      "gridcast tune --extents 4000x3000 --machine cluster.par -- mpirun -n {} ./app "
      "{n1} {n2} {p1} {p2}");
  add_program_options(command, *options);
  add_machine_options(command, options->search.machine);
  command
      .add_option("--store", options->search.store,
                  "Store of all results, new or gone on with (default: search.h5 in the folder)")
      ->type_name("S.h5");
  add_search_options(command, options->search);
  add_run_options(command, options->search);
  add_model_options(command, options->search.settings.options);
  on_chosen(command, session, options, run_tune);
}

}  // namespace gridcast::cli
