#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <string>
#include <vector>

#include "commands.h"
#include "gridcast/base/readable.h"
#include "gridcast/infer/infer.h"
#include "gridcast/record/plan.h"
#include "infer_options.h"
#include "places.h"
#include "run.h"

namespace gridcast::cli {

int run_infer(const InferOptions& options) {
  Outputs outputs = Places().writes("--output", options.output).open();
  std::vector<record::Recording> recordings;
  for (const std::string& run : options.runs) {
    recordings.push_back(record::read_recording(run));
  }
  const infer::Inferred found = infer::infer(
      std::move(recordings), options.extents.empty() ? std::vector<std::int64_t>()
                                                     : record::parse_extents(options.extents));
  outputs.write("--output", [&](std::ostream& out) { out << found.description; });
  spdlog::info(
      "{} of {} explained; the parameter iterations counts the main loop, at {}, which the runs "
      "repeat {} times",
      found.messages, counted(found.messages, "message"), found.main_loop, found.iterations);
  for (const std::string& place : found.other_loops) {
    spdlog::warn(
        "the loop at {} computes as well, and keeps its iterations: the parameter iterations "
        "counts the loop at {} (to count the other one, exchange the values of repeat in the "
        "description)",
        place, found.main_loop);
  }
  for (const std::string& offset : found.farthest) {
    spdlog::warn(
        "messages go {}, as far as the runs have processes: whether they go further on larger "
        "grids is not known (record a run with twice as many processes along it)",
        offset);
  }
  return done;
}

void add_infer(CLI::App& app, Session& session) {
  auto options = std::make_shared<InferOptions>();
  CLI::App& command =
      add_command(app, session, "infer", "Describe a program from a few recorded runs",
                  "gridcast infer runs/* -o app.toml");
  command.add_option("RUN", options->runs, "Folders of gridcast record")->type_name("")->required();
  command.add_option("-o,--output", options->output, "The description (default: standard output)")
      ->type_name("F");
  command
      .add_option("--extents", options->extents, "Size of the problem in runs recorded without it")
      ->type_name("N1xN2");
  on_chosen(command, session, options, run_infer);
}

}  // namespace gridcast::cli
