#include <spdlog/spdlog.h>

#include <limits>

#include "commands.h"
#include "gridcast/base/error.h"
#include "gridcast/base/readable.h"
#include "gridcast/explain/timeline.h"
#include "gridcast/report/depth.h"
#include "gridcast/report/html.h"
#include "gridcast/report/json.h"
#include "gridcast/report/text.h"
#include "gridcast/report/trace_files.h"
#include "gridcast/rules/min_block.h"
#include "inputs.h"
#include "places.h"
#include "question_options.h"
#include "run.h"

namespace gridcast::cli {
namespace {

struct PredictOptions {
  ProgramOptions program;
  MachineOptions machine;
  std::optional<machine::Grid> grid;
  model::OptionWords model;
  bool per_processor = false;
  double most_loss_steps = model::most_loss_steps;
  std::optional<std::int32_t> depth;
  std::string json;
  std::string html;
  std::string trace_events;
  std::string paje;
  bool timeline = false;
  bool every_processor = false;
};

/// The run for --timeline, --trace-events and --paje.
report::Run run_of(model::Timeline timeline, bool every_processor) {
  if (!timeline.omitted.empty()) {
    throw InputError(
        timeline.omitted,
        "expected a smaller grid or fewer iterations for --timeline, --trace-events and --paje");
  }
  std::vector<report::Track> tracks = every_processor ? report::tracks_of_processors(timeline)
                                                      : report::tracks_of_classes(timeline);
  return {std::move(timeline), std::move(tracks)};
}

/// Writes the run in a format of trace viewers, and says before if that will be much.
void write_tracks(report::TraceWriter write, const report::Run& run,
                  const model::Prediction& prediction, const std::string& place,
                  std::ostream& out) {
  constexpr double much = 50e6;  // bytes
  const auto& [timeline, tracks] = run;
  const std::string title = prediction_title(prediction);
  const double bytes = report::expected_bytes(write, timeline, tracks, prediction.grid, title);
  if (bytes > much) {
    spdlog::warn("{} will have about {} ({})", place, bytes_text(bytes),
                 counted(static_cast<std::int64_t>(tracks.size()), "track"));
  }
  write(out, timeline, tracks, prediction.grid, title);
}

/// Throws InputError if a block of the grid is shorter than --min-block asks for.
void require_blocks(const LoadedProgram& program, const machine::Cluster& cluster,
                    const machine::Grid& grid) {
  const model::MinBlock min = model::MinBlock::parse(program.resolved.min_block);
  if (min.any() &&
      !model::BlockLimit(program.script, cluster, program.resolved.options, min).admits(grid)) {
    throw InputError(
        "grid " + grid.text() + " has a block shorter than --min-block " + min.text() + " allows",
        "expected fewer processors along a dimension, or --min-block 0");
  }
}

int run_predict(const PredictOptions& options) {
  if (options.timeline && options.json.empty()) {
    throw InputError("--timeline adds the run to --json", "expected --json F, too");
  }
  Outputs outputs = Places()
                        .reads(files_of(options.program))
                        .reads(options.machine.file)
                        .writes("--json", options.json)
                        .writes("--html", options.html)
                        .writes("--trace-events", options.trace_events)
                        .writes("--paje", options.paje)
                        .open();
  const machine::Cluster cluster = load_machine(options.machine);
  const bool tracks = options.timeline || outputs.has("--trace-events") || outputs.has("--paje");
  LoadedProgram program =
      load_script(options.program, options.model,
                  tracks || outputs.has("--html") || options.most_loss_steps > 0.0);
  program.most_loss_steps = options.most_loss_steps;
  const machine::Grid grid = choose_grid(options.grid, cluster);
  settle(program.resolved, grid.processors());
  require_blocks(program, cluster, grid);
  model::Prediction prediction = predict(program, cluster, grid, options.per_processor);
  prediction.threads = options.machine.threads;
  if (options.depth) {
    report::limit_depth(prediction, *options.depth);
  }
  model::ModelOptions model = program.resolved.options;
  model.placement = prediction.placement.value_or(model.placement);
  log_warnings(prediction.warnings);
  std::optional<report::Run> run;
  if (tracks) {
    run = run_of(model::record_timeline(*program.places, cluster, prediction.grid, model),
                 options.every_processor);
  }
  outputs.write("--json", [&](std::ostream& out) {
    report::write_json(out, prediction, options.timeline ? &*run : nullptr);
  });
  outputs.write("--html", [&](std::ostream& out) {
    const model::Timeline drawn = model::record_timeline(*program.places, cluster, prediction.grid,
                                                         model, model::most_phases_of_page);
    report::write_html(out, prediction, prediction_title(prediction), &drawn);
  });
  outputs.write("--trace-events", [&](std::ostream& out) {
    write_tracks(report::write_trace_events, *run, prediction, options.trace_events, out);
  });
  outputs.write("--paje", [&](std::ostream& out) {
    write_tracks(report::write_paje, *run, prediction, options.paje, out);
  });
  if (!outputs.any()) {
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
  add_shape_traces(command, options->program.shapes);
  add_machine_options(command, options->machine);
  add_threads(command, options->machine);
  add_grid(command, options->grid,
           "Processor grid (default: the machine's topology, else one processor)");
  add_json(command, options->json);
  command.add_option("--html", options->html, "Write a page with the tree of intervals")
      ->type_name("F");
  command
      .add_option("--trace-events", options->trace_events,
                  "Write the run as trace events, for Perfetto or Chrome's tracing")
      ->type_name("F");
  command.add_option("--paje", options->paje, "Write the run as a Paje trace")->type_name("F");
  command.add_flag("--timeline", options->timeline,
                   "Add the run to --json: what each track does when, for plot --kind timeline");
  command.add_flag("--every-processor", options->every_processor,
                   "A track per processor in these (default: one for all that do the same)");
  command.add_flag("--processors", options->per_processor,
                   "Add the characteristics of each processor");
  command
      .add_option("--depth", options->depth,
                  "Show intervals nested at most so deep; 0: the whole program only")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber);
  add_choice<double>(command, "--losses", options->most_loss_steps,
                     {{"auto", model::most_loss_steps},
                      {"always", std::numeric_limits<double>::infinity()},
                      {"never", 0.0}},
                     "Where time is lost, by place and cause: if it does not take long (auto)");
  add_model_option(command, options->model, "placement");
  add_min_block(command, options->model);
  add_model_options(command, options->model);
  on_chosen(command, session, options, run_predict);
}

}  // namespace gridcast::cli
