#include <fmt/format.h>

#include <sstream>

#include "assumed.h"
#include "commands.h"
#include "gridcast/base/error.h"
#include "gridcast/base/json_writer.h"
#include "gridcast/base/readable.h"
#include "gridcast/sweep/robustness.h"
#include "inputs.h"
#include "output.h"
#include "places.h"
#include "question_options.h"
#include "run.h"

namespace gridcast::cli {
namespace {

struct RobustOptions {
  ProgramOptions program;
  MachineOptions machine;
  sweep::Questions questions;
  search::Goal goal;
  model::OptionWords model;
  double reach = 64.0;
  double precision = 0.01;
  std::string json;
};

std::string grid_text(const search::Outcome& outcome) {
  const std::string placement =
      outcome.placement == 0
          ? ""
          : " placed by " +
                machine::placement_of(outcome.grid, outcome.placement).text(outcome.grid.rank());
  return outcome.grid.text() + placement;
}

std::string edge_text(double value, const std::optional<search::Outcome>& beyond) {
  return beyond ? fmt::format("{:.6g} ({})", value, grid_text(*beyond))
                : fmt::format("{:.6g} (and on)", value);
}

std::string range_table(const sweep::Robustness& found) {
  std::string text = fmt::format("\n{:<28}{:>12}  {:<30}  {}\n", "Number of the machine", "value",
                                 "best from (before)", "to (behind)");
  for (const sweep::NumberRange& range : found.ranges) {
    text += fmt::format("{:<28}{:>12.6g}  {:<30}  {}\n", range.name, range.value,
                        edge_text(range.low, range.below), edge_text(range.high, range.above));
  }
  return text;
}

std::string tolerance_table(const sweep::Robustness& found) {
  std::string text = "\nHow many times TStart may grow\n";
  for (const sweep::LatencyTolerance& each : found.tolerances) {
    text += fmt::format("  {:<26}+{:g} % time  {}\n",
                        each.network.empty() ? "all networks" : each.network, 100.0 * each.share,
                        each.times ? fmt::format("{:.4g} times", *each.times) : "without limit");
  }
  return text;
}

std::string robust_text(const sweep::Robustness& found) {
  if (!found.best) {
    return "No grid can be predicted.\n";
  }
  std::string text = fmt::format("Best grid   {}: {}, efficiency {:.4f}\n", grid_text(*found.best),
                                 seconds_text(found.best->execution_time), found.best->efficiency);
  if (found.runner_up) {
    text += fmt::format("Runner-up   {}: {}, efficiency {:.4f}; worse by {:.3g} %\n",
                        grid_text(*found.runner_up), seconds_text(found.runner_up->execution_time),
                        found.runner_up->efficiency, 100.0 * found.gap);
  }
  return text + range_table(found) + tolerance_table(found);
}

void put_grid(JsonWriter& json, const char* key, const std::optional<search::Outcome>& outcome) {
  json.key(key);
  if (!outcome) {
    json.null();
    return;
  }
  json.begin_object(Layout::line);
  json.key("grid");
  json.begin_array(Layout::line);
  for (const std::int32_t extent : outcome->grid.extents()) {
    json.integer(extent);
  }
  json.end_array();
  json.key("placement");
  json.string(machine::placement_of(outcome->grid, outcome->placement).text(outcome->grid.rank()));
  json.key("execution_time");
  json.number(outcome->execution_time);
  json.key("efficiency");
  json.number(outcome->efficiency);
  json.end_object();
}

void put_range(JsonWriter& json, const sweep::NumberRange& range) {
  json.begin_object(Layout::line);
  json.key("name");
  json.string(range.name);
  json.key("value");
  json.number(range.value);
  json.key("low");
  json.number(range.low);
  json.key("high");
  json.number(range.high);
  put_grid(json, "below", range.below);
  put_grid(json, "above", range.above);
  json.end_object();
}

void put_tolerance(JsonWriter& json, const sweep::LatencyTolerance& each) {
  json.begin_object(Layout::line);
  json.key("network");
  if (each.network.empty()) {
    json.null();
  } else {
    json.string(each.network);
  }
  json.key("share");
  json.number(each.share);
  json.key("times");
  if (each.times) {
    json.number(*each.times);
  } else {
    json.null();
  }
  json.end_object();
}

void write_robustness(std::ostream& out, const RobustOptions& options, const std::string& machine,
                      const sweep::Robustness& found) {
  JsonWriter json(out);
  json.begin_object(Layout::lines);
  json.key("schema");
  json.string("gridcast.robustness/1");
  json.key("machine");
  json.string(machine);
  json.key("objective");
  json.string(search::name(options.goal.objective));
  json.key("reach");
  json.number(options.reach);
  json.key("precision");
  json.number(options.precision);
  put_grid(json, "best", found.best);
  put_grid(json, "runner_up", found.runner_up);
  json.key("gap");
  if (found.runner_up) {
    json.number(found.gap);
  } else {
    json.null();
  }
  json.key("numbers");
  json.begin_array(Layout::lines);
  for (const sweep::NumberRange& range : found.ranges) {
    put_range(json, range);
  }
  json.end_array();
  json.key("latency");
  json.begin_array(Layout::lines);
  for (const sweep::LatencyTolerance& each : found.tolerances) {
    put_tolerance(json, each);
  }
  json.end_array();
  json.key("searches");
  json.integer(static_cast<std::int64_t>(found.searches));
  json.key("predictions");
  json.integer(static_cast<std::int64_t>(found.predictions));
  json.end_object();
  out << '\n';
}

int run_robust(const RobustOptions& options) {
  Places()
      .reads(files_of(options.program))
      .reads(options.machine.file)
      .writes("--json", options.json)
      .require_separate();
  std::optional<Output> json;
  if (!options.json.empty()) {
    json.emplace(options.json);
  }
  const machine::Cluster cluster = load_machine(options.machine);
  const LoadedProgram program = load_script(options.program, options.model);
  log_warnings(program.warnings);
  sweep::RobustnessQuestion question;
  question.space =
      sweep::search_space(program.script, cluster, options.questions, program.resolved.options);
  question.goal = sweep::goal_on(cluster, options.goal, question.space.max_processors);
  question.options = program.resolved.options;
  question.reach = options.reach;
  question.precision = options.precision;
  const sweep::Robustness found = sweep::find_robustness(program.script, cluster, question);
  if (!found.best) {
    throw RunError(options.machine.file, "no grid can be predicted, or none is efficient enough",
                   "gridcast sweep says why");
  }
  if (json) {
    write_robustness(json->stream(), options, cluster.name(), found);
    json->commit();
  } else {
    print(assumed_lines({program.resolved.assumed}, {}, "Assumed", 12) + robust_text(found));
  }
  return done;
}

}  // namespace

void add_robust(CLI::App& app, Session& session) {
  auto options = std::make_shared<RobustOptions>();
  CLI::App& command =
      add_command(app, session, "robust",
                  "How far numbers of the machine may change until another grid is the best",
                  "gridcast robust jac.ptr --machine cluster.par --max-processors 256");
  add_program(command, options->program);
  add_machine_options(command, options->machine);
  add_questions(command, options->questions);
  add_objective(command, options->goal);
  add_model_option(command, options->model, "placement");
  command
      .add_option("--reach", options->reach,
                  "Numbers are followed up to so many times themselves, and down (default: 64)")
      ->type_name("TIMES")
      ->check(CLI::Range(1.01, 1e6));
  command
      .add_option("--precision", options->precision,
                  "Relative width between a value inside and the next one outside (default: 0.01)")
      ->type_name("SHARE")
      ->check(CLI::Range(1e-9, 0.5));
  add_json(command, options->json);
  add_model_options(command, options->model);
  on_chosen(command, session, options, run_robust);
}

}  // namespace gridcast::cli
