#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "assumed.h"
#include "commands.h"
#include "gridcast/base/json_writer.h"
#include "gridcast/base/readable.h"
#include "gridcast/predict/assumed.h"
#include "gridcast/predict/predictor.h"
#include "gridcast/search/candidates.h"
#include "inputs.h"
#include "output.h"
#include "places.h"
#include "question_options.h"
#include "run.h"

namespace gridcast::cli {
namespace {

struct PlanOptions {
  ProgramOptions program;
  MachineOptions machine;
  sweep::Questions questions;
  model::OptionWords model;
  std::string json;
};

/// How long a prediction of free processes takes here on the largest candidate, seconds: one of at
/// most 256 processes is made, the rest is in proportion to their number. Nothing for processes
/// together, whose predictions hardly depend on it, and if that grid cannot be predicted.
std::optional<double> seconds_of_largest(const LoadedProgram& program,
                                         const machine::Cluster& cluster,
                                         const search::SearchSpace& space) {
  constexpr std::int64_t most_tried = 256;
  if (program.resolved.options.processes == model::ProcessKind::together || space.rank == 0) {
    return std::nullopt;
  }
  std::vector<std::int64_t> extents(static_cast<std::size_t>(space.rank), 1);
  std::int64_t processes = 1;
  for (std::size_t dim = 0; 2 * processes <= std::min(most_tried, space.max_processors);
       dim = (dim + 1) % extents.size()) {
    extents[dim] *= 2;
    processes *= 2;
  }
  const auto begin = std::chrono::steady_clock::now();
  try {
    model::Predictor predictor(program.script, cluster, program.resolved.options);
    std::ignore = predictor.evaluate(machine::Grid(std::span<const std::int64_t>(extents)));
  } catch (const std::exception&) {
    return std::nullopt;
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  return seconds.count() * static_cast<double>(space.max_processors) /
         static_cast<double>(processes);
}

/// The counts of each mode ([Predictor2010 §5]), in words.
std::string plan_text(const search::Plan& plan, const NamedWords& assumed,
                      const std::optional<double>& seconds) {
  std::string text = fmt::format("Rank of the grids     {}\nReference array       {}\n", plan.rank,
                                 fmt::join(plan.reference_extents, " x "));
  text += assumed_lines({assumed}, {}, "Assumed", 22);
  text += fmt::format("Processors            1 to {}\n", plan.processors);
  text += fmt::format("Candidates            {}\n", plan.candidates);
  text += fmt::format("None empty            {}\n", plan.not_bad);
  if (seconds) {
    text += fmt::format("Free processes        about {} for each of the largest candidates\n",
                        seconds_text(*seconds));
  }
  text += "Evaluations by mode\n";
  text += fmt::format("  1 heuristic         a few of {}\n", plan.not_bad);
  text += fmt::format("  2 none empty        {}\n", plan.not_bad);
  text += fmt::format("  3 all               {}\n", plan.candidates);
  text += fmt::format("  4 exact             a few of {}\n", plan.candidates);
  text += fmt::format("  5 compare 1 and 2   {}\n", plan.not_bad);
  return text;
}

void write_plan(std::ostream& out, const search::Plan& plan, const NamedWords& assumed,
                const std::optional<double>& seconds) {
  JsonWriter json(out);
  json.begin_object(Layout::compact);
  json.member("rank", plan.rank);
  json.member("reference_extents", plan.reference_extents);
  json.member("processors", plan.processors);
  json.member("candidates", plan.candidates);
  json.member("not_bad", plan.not_bad);
  json.key("assumed");
  model::write_assumed(json, {assumed});
  json.member("seconds_of_largest", seconds);
  json.end_object();
  out << '\n';
}

int run_plan(const PlanOptions& options) {
  Outputs outputs = Places()
                        .reads(files_of(options.program))
                        .reads(options.machine.file)
                        .writes("--json", options.json)
                        .open();
  const machine::Cluster cluster = load_machine(options.machine);
  LoadedProgram program = load_script(options.program, options.model);
  log_warnings(program.warnings);
  sweep::Questions questions = options.questions;
  questions.min_block = program.resolved.min_block;
  settle(program.resolved, sweep::most_processors(questions, cluster));
  const search::SearchSpaces spaces = sweep::search_spaces(
      program.script, {cluster, questions.threads}, questions, program.resolved.options);
  const search::Plan plan = search::make_plan(spaces);
  const std::optional<double> seconds = seconds_of_largest(program, cluster, spaces.front());
  outputs.write("--json", [&](std::ostream& out) {
    write_plan(out, plan, program.resolved.assumed, seconds);
  });
  if (!outputs.any()) {
    print(plan_text(plan, program.resolved.assumed, seconds));
  }
  return done;
}

}  // namespace

void add_plan(CLI::App& app, Session& session) {
  auto options = std::make_shared<PlanOptions>();
  CLI::App& command =
      add_command(app, session, "plan", "Count the grids that each search mode considers",
                  "gridcast plan jac.ptr --machine cluster.par --max-processors 256");
  add_program(command, options->program);
  add_machine_options(command, options->machine);
  add_questions(command, options->questions);
  add_min_block(command, options->model);
  add_json(command, options->json);
  add_model_options(command, options->model);
  on_chosen(command, session, options, run_plan);
}

}  // namespace gridcast::cli
