#include "commands.h"
#include "gridcast/base/error.h"
#include "gridcast/report/html.h"
#include "gridcast/report/json.h"
#include "gridcast/report/text.h"
#include "inputs.h"
#include "output.h"
#include "places.h"
#include "run.h"

namespace gridcast::cli {
namespace {

struct PredictOptions {
  ProgramOptions program;
  MachineOptions machine;
  std::optional<machine::Grid> grid;
  model::ModelOptions model;
  bool per_processor = false;
  std::string json;
  std::string html;
};

int run_predict(const PredictOptions& options) {
  if (options.json == "-" && options.html == "-") {
    throw InputError("--json - and --html - at the same time",
                     "expected at most one result on standard output");
  }
  Places()
      .reads(files_of(options.program))
      .reads(options.machine.file)
      .writes("--json", options.json)
      .writes("--html", options.html)
      .require_separate();
  // Opened first: a bad place shows before a long prediction.
  std::optional<Output> json;
  std::optional<Output> html;
  if (!options.json.empty()) {
    json.emplace(options.json);
  }
  if (!options.html.empty()) {
    html.emplace(options.html);
  }
  const machine::Cluster cluster = load_machine(options.machine);
  const LoadedProgram program = load_script(options.program, options.model);
  const model::Prediction prediction = predict(program, cluster, choose_grid(options.grid, cluster),
                                               options.model, options.per_processor);
  log_warnings(prediction.warnings);
  if (json) {
    report::write_json(json->stream(), prediction);
    json->commit();
  }
  if (html) {
    report::write_html(html->stream(), prediction, prediction_title(prediction));
    html->commit();
  }
  if (!json && !html) {
    print(report::text_summary(prediction));
  }
  return done;
}

}  // namespace

void add_predict(CLI::App& app, Session& session) {
  auto options = std::make_shared<PredictOptions>();
  CLI::App& command =
      add_command(app, session, "predict", "Predict a program on one grid of a machine",
                  "gridcast predict jac.ptr --machine cluster.par --grid 4x2 --html jac.html");
  add_program(command, options->program);
  add_machine_options(command, options->machine);
  add_grid(command, options->grid,
           "Processor grid (default: the machine's topology, else one processor)");
  add_json(command, options->json);
  command.add_option("--html", options->html, "Write a page with the tree of intervals")
      ->type_name("F");
  command.add_flag("--processors", options->per_processor,
                   "Add the characteristics of each processor");
  add_model_options(command, options->model);
  on_chosen(command, session, options, run_predict);
}

}  // namespace gridcast::cli
