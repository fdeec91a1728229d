#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "assumed.h"
#include "commands.h"
#include "gridcast/base/error.h"
#include "gridcast/base/json_writer.h"
#include "gridcast/base/readable.h"
#include "gridcast/evaluate/robustness.h"
#include "gridcast/predict/assumed.h"
#include "gridcast/store/run_columns.h"
#include "inputs.h"
#include "output.h"
#include "places.h"
#include "question_options.h"
#include "robust_answer.h"
#include "run.h"
#include "stored_search.h"

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
  double margin = sweep::usual_margin;
  std::string json;
  std::string store;
};

std::string edge_text(double value, const std::optional<search::Outcome>& beyond) {
  return beyond ? fmt::format("{:.6g} ({})", value, placed_grid_text(*beyond))
                : fmt::format("{:.6g} (and on)", value);
}

/// Columns as wide as their contents.
std::string range_table(const sweep::Robustness& found) {
  std::vector<std::array<std::string, 4>> rows{
      {"Number of the machine", "value", "best from (before)", "to (behind)"}};
  for (const sweep::NumberRange& range : found.ranges) {
    rows.push_back({range.name, fmt::format("{:.6g}", range.value),
                    edge_text(range.low, range.below), edge_text(range.high, range.above)});
  }
  std::array<std::size_t, 3> widths{};
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < widths.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  std::string text = "\n";
  for (const auto& row : rows) {
    text += fmt::format("{:<{}}  {:>{}}  {:<{}}  {}\n", row[0], widths[0], row[1], widths[1],
                        row[2], widths[2], row[3]);
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
  std::string text =
      fmt::format("Best grid   {}: {}, efficiency {:.4f}\n", placed_grid_text(*found.best),
                  seconds_text(found.best->execution_time), found.best->efficiency);
  if (found.runner_up) {
    text += fmt::format("Runner-up   {}: {}, efficiency {:.4f}; worse by {:.3g} %\n",
                        placed_grid_text(*found.runner_up),
                        seconds_text(found.runner_up->execution_time), found.runner_up->efficiency,
                        100.0 * found.gap);
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
  json.member("threads", outcome->grid.threads());
  json.member("placement",
              machine::placement_of(outcome->grid, outcome->placement).text(outcome->grid.rank()));
  json.member("execution_time", outcome->execution_time);
  json.member("efficiency", outcome->efficiency);
  json.end_object();
}

void put_range(JsonWriter& json, const sweep::NumberRange& range) {
  json.begin_object(Layout::line);
  json.member("name", range.name);
  json.member("value", range.value);
  json.member("low", range.low);
  json.member("high", range.high);
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
  json.member("share", each.share);
  json.member("times", each.times);
  json.end_object();
}

void write_robustness(std::ostream& out, const RobustOptions& options, const std::string& machine,
                      const NamedWords& assumed, const sweep::Robustness& found) {
  JsonWriter json(out);
  json.begin_object(Layout::lines);
  json.member("schema", "gridcast.robustness/1");
  json.member("machine", machine);
  json.member("objective", search::name(options.goal.objective));
  json.key("assumed");
  model::write_assumed(json, {assumed});
  json.member("reach", options.reach);
  json.member("precision", options.precision);
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
  json.member("searches", static_cast<std::int64_t>(found.searches));
  json.member("predictions", static_cast<std::int64_t>(found.predictions));
  json.end_object();
  out << '\n';
}

/// That the store was searched for what is asked here, before anything is searched.
void require_same_search(const RobustOptions& options, const LoadedProgram& program,
                         const machine::Cluster& cluster, const sweep::RobustnessQuestion& question,
                         const StoredSearch& search) {
  const store::RunDescription& about = search.store.setup.description;
  const auto refuse = [&](const std::string& what) {
    throw InputError(options.store + " is the store of " + what,
                     "expected the store of a sweep of this program on this machine, with the same "
                     "objective and conditions");
  };
  if (store::has_inputs(search.store.setup)) {
    refuse("several searches");
  }
  if (about.trace_sha256 != program.sha256) {
    refuse("another program");
  }
  if (about.machine != cluster.text()) {
    refuse("another machine");
  }
  const search::Goal goal = goal_of(search.store.setup);
  if (goal.objective != options.goal.objective ||
      goal.min_efficiency != options.goal.min_efficiency || goal.within ||
      search.options.conditions != question.spaces.front().conditions.text()) {
    refuse("a search with another objective or other conditions");
  }
  if (stored_threads(about) != options.questions.threads) {
    refuse("a search with other numbers of threads");
  }
  if (search.store.state != store::StoreState::complete || !search.answer.best) {
    refuse("a search that is not complete");
  }
}

/// Puts the result into the store. The same prediction of the same best grid: options of the model
/// are the same, too.
void store_robustness(const RobustOptions& options, const sweep::RobustnessQuestion& question,
                      const sweep::Robustness& found, const StoredSearch& search) {
  const store::Robustness result = stored_robustness(found, question);
  if (!is_about(result, search.answer) ||
      found.best->execution_time != search.answer.best->execution_time) {
    throw InputError(
        options.store + " has another best grid or another prediction of it, not " + result.best,
        "expected the store of a sweep with the same options of the model");
  }
  store::add_robustness(options.store, result);
}

int run_robust(const RobustOptions& options) {
  Places places;
  places.reads(files_of(options.program))
      .reads(options.machine.file)
      .writes("--json", options.json);
  if (!options.store.empty()) {
    places.writes_store(options.store);
  }
  Outputs outputs = places.open();
  const machine::Cluster cluster = load_machine(options.machine);
  LoadedProgram program = load_script(options.program, options.model);
  log_warnings(program.warnings);
  sweep::Questions questions = options.questions;
  questions.min_block = program.resolved.min_block;
  settle(program.resolved, sweep::most_processors(questions, cluster));
  sweep::RobustnessQuestion question;
  const machine::ThreadedClusters clusters(cluster, questions.threads);
  question.spaces =
      sweep::search_spaces(program.script, clusters, questions, program.resolved.options);
  question.goal = sweep::goal_on(clusters, options.goal, search::most_cores(question.spaces));
  question.options = program.resolved.options;
  question.reach = options.reach;
  question.precision = options.precision;
  question.margin = options.margin;
  std::optional<StoredSearch> search;
  if (!options.store.empty()) {
    search = read_search(options.store);
    require_same_search(options, program, cluster, question, *search);
  }
  const sweep::Robustness found = sweep::find_robustness(program.script, cluster, question);
  if (!found.best) {
    throw RunError(options.machine.file, "no grid can be predicted, or none is efficient enough",
                   "gridcast sweep says why");
  }
  if (search) {
    store_robustness(options, question, found, *search);
  }
  outputs.write("--json", [&](std::ostream& out) {
    write_robustness(out, options, cluster.name(), program.resolved.assumed, found);
  });
  if (!outputs.any()) {
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
  add_min_block(command, options->model);
  add_objective(command, options->goal);
  add_model_option(command, options->model, "placement");
  add_margin(command, options->margin);
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
  command
      .add_option("--store", options->store,
                  "Add the result to the store of a complete sweep, whose answer then shows it")
      ->type_name("S.h5");
  add_json(command, options->json);
  add_model_options(command, options->model);
  on_chosen(command, session, options, run_robust);
}

}  // namespace gridcast::cli
