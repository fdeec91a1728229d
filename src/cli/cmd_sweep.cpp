#include "commands.h"
#include "run_options.h"
#include "sweep_options.h"

namespace gridcast::cli {

void add_sweep(CLI::App& app, Session& session) {
  auto options = std::make_shared<SweepOptions>();
  options->settings.command_line = session.command_line;
  CLI::App& command = add_command(
      app, session, "sweep", "Search for the best grid and store every result",
      "mpirun -n 4 gridcast sweep jac.ptr --machine cluster.par --mode 3 --store jac.h5");
  add_program(command, options->program);
  add_shape_traces(command, options->program.shapes);
  add_machine_options(command, options->machine);
  command.add_option("--store", options->store, "Store of all results, new, or with --resume")
      ->type_name("S.h5")
      ->required();
  add_search_options(command, *options);
  add_resume(command, options->settings.resume);
  add_run_options(command, *options);
  add_model_options(command, options->settings.options);
  on_chosen(command, session, options, run_search);
}

}  // namespace gridcast::cli
