#include <fmt/format.h>

#include "commands.h"
#include "gridcast/base/readable.h"
#include "gridcast/sweep/dataset.h"
#include "output.h"
#include "places.h"
#include "run.h"
#include "run_options.h"
#include "stored_search.h"
#include "version.h"

namespace gridcast::cli {
namespace {

struct DatasetOptions {
  std::string design;
  std::string store;
  std::string events;
  std::string json;
  sweep::DatasetSettings settings;  ///< what needs no conversion is parsed into its place
};

int print_outcome(const std::string& store, const sweep::DatasetOutcome& outcome) {
  if (outcome.exit_code != bad_input) {
    print(fmt::format(
        "{}, {} in {}, {} failed{}\n",
        counted(static_cast<std::int64_t>(outcome.variants), "variant"),
        counted(static_cast<std::int64_t>(outcome.evaluated), "prediction"), store, outcome.failed,
        outcome.postponed > 0 ? fmt::format(", {} to be tried again", outcome.postponed) : ""));
  }
  return outcome.exit_code;
}

/// The design and everything that it names.
std::vector<std::string> inputs_of(const std::string& file) {
  const sweep::DatasetDesign design = sweep::read_design(file);
  std::vector<std::string> inputs{file};
  for (const std::vector<std::filesystem::path>& traces : design.traces) {
    inputs.insert(inputs.end(), traces.begin(), traces.end());
  }
  inputs.insert(inputs.end(), design.machines.begin(), design.machines.end());
  if (design.sizes) {
    for (const trace::SizedTrace& trace : design.sizes->from) {
      inputs.push_back(trace.path);
    }
  }
  return inputs;
}

int run_dataset_command(const DatasetOptions& options) {
  Places()
      .reads(inputs_of(options.design))
      .writes_store(options.store)
      .writes("--events", options.events)
      .writes("--json", options.json)
      .require_usable();
  sweep::DatasetSettings settings = options.settings;
  settings.design = options.design;
  settings.store = options.store;
  settings.version = version();
  if (!options.events.empty()) {
    settings.events = options.events;
  }
  return sweep::run_dataset_program(settings, [&](const sweep::DatasetOutcome& outcome) {
    return finish_with_status(options.json, options.store,
                              [&] { return print_outcome(options.store, outcome); });
  });
}

}  // namespace

void add_dataset(CLI::App& app, Session& session) {
  auto options = std::make_shared<DatasetOptions>();
  sweep::DatasetSettings& settings = options->settings;
  settings.command_line = session.command_line;
  CLI::App& command = add_command(
      app, session, "dataset", "Predict programs on many variants of machines and store a table",
      "mpirun -n 4 gridcast dataset configs/designs/link_hypercube.toml --store link.h5");
  command.add_option("DESIGN", options->design, "Design of the data set (docs/datasets.md)")
      ->type_name("DESIGN.toml")
      ->required();
  command.add_option("--store", options->store, "Store of the table, new, or with --resume")
      ->type_name("S.h5")
      ->required();
  add_resume(command, settings.resume);
  add_run_limits(command, settings, "predictions that fail (default: 100000)");
  add_json(command, options->json);
  command.add_option("--events", options->events, "Append JSON lines about the run")
      ->type_name("F");
  add_model_options(command, settings.model);
  on_chosen(command, session, options, run_dataset_command);
}

}  // namespace gridcast::cli
