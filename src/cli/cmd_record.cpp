#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <optional>

#include "commands.h"
#include "gridcast/base/error.h"
#include "gridcast/record/plan.h"
#include "gridcast/record/run.h"
#include "options.h"
#include "output.h"
#include "places.h"
#include "recording_text.h"
#include "run.h"
#include "shell_words.h"

namespace gridcast::cli {
namespace {

struct RecordOptions {
  std::string folder;
  std::optional<machine::Grid> grid;
  std::string extents;
  std::int32_t rank = 2;
  bool plan = false;
  bool print = false;
  std::optional<record::MpiLibrary> mpi;
  std::vector<std::string> command;
};

int print_plan(const RecordOptions& options) {
  std::vector<std::int64_t> extents(static_cast<std::size_t>(options.rank), 240);
  if (!options.extents.empty()) {
    extents = record::parse_extents(options.extents);
  }
  const std::string app = options.command.empty() ? "./app" : shell_line(options.command);
  std::string text =
      "Structure runs show which messages go to whom; runs on one process show how long "
      "computation\n"
      "takes. A few iterations each are enough: ten if all are alike, twice the period if "
      "something\n"
      "happens in some iterations only. Give your program the extents in the way it takes "
      "them.\n\n";
  for (const record::PlannedRun& run : record::plan_runs(extents)) {
    std::int64_t processes = 1;
    for (const std::int64_t extent : run.grid) {
      processes *= extent;
    }
    const std::string grid = record::extents_text(run.grid);
    const std::string size = record::extents_text(run.extents);
    text += fmt::format(
        "# {}\ngridcast record -o runs/{}-{} --grid {} --extents {} -- mpirun -n {} {}\n",
        run.reason, grid, size, grid, size, processes, app);
  }
  print(text);
  return done;
}

int run_record(const RecordOptions& options) {
  if (options.plan) {
    return print_plan(options);
  }
  if (options.folder.empty() || !options.grid || options.command.empty()) {
    throw InputError("record needs a folder, a grid and a command",
                     "expected gridcast record -o RUN --grid 2x2 -- mpirun -n 4 ./app, or gridcast "
                     "record --plan");
  }
  record::Manifest manifest;
  manifest.grid = *options.grid;
  manifest.command = options.command;
  if (!options.extents.empty()) {
    manifest.extents = record::parse_extents(options.extents);
    if (std::ssize(manifest.extents) < options.grid->rank()) {
      throw InputError("--extents " + options.extents,
                       fmt::format("expected as many as the grid {} has dimensions, or more: it "
                                   "cuts the first ones",
                                   options.grid->text()));
    }
  }
  const std::vector<std::string> command =
      record::prepare_run(options.folder, manifest, options.mpi);
  if (options.print) {
    print(shell_line(command) + "\n");
    return done;
  }
  const int code = record::run_command(command);
  record::end_run(options.folder, manifest, code);
  if (code != 0) {
    spdlog::warn("the program ended with exit code {}; what was recorded is in {}", code,
                 options.folder);
    return code;
  }
  spdlog::info("{}", check_recorded(record::read_recording(options.folder)));
  return done;
}

struct ShowRecordingOptions {
  std::string folder;
  std::string json;
};

int run_show_recording(const ShowRecordingOptions& options) {
  Outputs outputs = Places().writes("--json", options.json).open();
  const record::Recording recording = record::read_recording(options.folder);
  const bool verified = record::verify_grid(recording);
  outputs.write("--json", [&](std::ostream& out) { write_recording(out, recording, verified); });
  if (!outputs.any()) {
    print(recording_text(recording, verified));
  }
  return done;
}

}  // namespace

void add_record(CLI::App& app, Session& session) {
  auto options = std::make_shared<RecordOptions>();
  CLI::App& command =
      add_command(app, session, "record", "Record the MPI calls of a run, without compiling again",
                  "gridcast record -o runs/2x2 --grid 2x2 --extents 1000x700 -- mpirun -n 4 ./app");
  command.add_option("-o,--output", options->folder, "New folder for the recording")
      ->type_name("RUN");
  add_grid(command, options->grid, "Grid of the ranks in this run; held against MPI_Cart_create");
  command
      .add_option("--extents", options->extents, "Size of the problem in this run, stored with it")
      ->type_name("N1xN2");
  command.add_flag("--plan", options->plan, "Print which runs to record, and why");
  command
      .add_option("--rank", options->rank, "With --plan: dimensions of the program (default: 2)")
      ->type_name("R")
      ->check(CLI::Range(1, machine::max_grid_rank));
  using Mpi = std::optional<record::MpiLibrary>;
  add_choice<Mpi>(command, "--mpi", options->mpi,
                  {{"openmpi", record::MpiLibrary::openmpi}, {"mpich", record::MpiLibrary::mpich}},
                  "MPI library of the program (default: that of the launcher; of srun openmpi)");
  command.add_flag("--print", options->print,
                   "Make the folder and print the line to run, e.g. in a job of srun");
  command
      .add_option("COMMAND", options->command,
                  "After --: mpirun, mpiexec or srun with the program, or one process")
      ->type_name("");
  on_chosen(command, session, options, run_record);
}

void add_recording(CLI::App& app, Session& session) {
  CLI::App& group = *app.add_subcommand("recording", "Look into a recorded run");
  group.footer("Example:\n  gridcast recording show runs/2x2");
  group.require_subcommand(1);
  auto options = std::make_shared<ShowRecordingOptions>();
  CLI::App& command =
      add_command(group, session, "show", "Print what each rank called, from where, how long",
                  "gridcast recording show runs/2x2");
  command.add_option("RUN", options->folder, "Folder of gridcast record")
      ->type_name("")
      ->required();
  add_json(command, options->json);
  on_chosen(command, session, options, run_show_recording);
}

}  // namespace gridcast::cli
