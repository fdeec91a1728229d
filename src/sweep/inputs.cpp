#include "inputs.h"

#include <algorithm>
#include <iterator>

#include "gridcast/base/error.h"
#include "gridcast/compile/compile.h"
#include "gridcast/evaluate/evaluator.h"
#include "gridcast/evaluate/program_shapes.h"
#include "gridcast/machine/unlikely.h"
#include "gridcast/retrace/merge.h"
#include "gridcast/store/stored_options.h"
#include "gridcast/trace/program.h"

namespace gridcast::sweep {
namespace {

model::IntervalInfo interval_info(const model::Script& script, const model::IntervalSpec& spec) {
  model::IntervalInfo info;
  info.parent = spec.parent;
  info.level = spec.level;
  info.type = spec.type;
  info.count = spec.count;
  info.file = script.text(spec.file);
  info.line = spec.line;
  if (spec.has_expression) {
    info.expression = spec.expression;
  }
  return info;
}

/// How many candidates --min-block leaves out: those that meet all other conditions.
std::optional<std::int64_t> excluded_by_blocks(std::span<const search::SearchSpace> spaces) {
  std::optional<std::int64_t> excluded;
  for (const search::SearchSpace& space : spaces) {
    if (space.conditions.min_block && space.rank > 0) {
      search::SearchSpace without = space;
      without.conditions.min_block.reset();
      excluded =
          excluded.value_or(0) +
          static_cast<std::int64_t>(search::count_candidates(without, search::Selection::all) -
                                    search::count_candidates(space, search::Selection::all));
    }
  }
  return excluded;
}

/// Whether the run has chosen threads, so that its rows tell them.
bool has_threads(const SweepSettings& settings) {
  return !std::ranges::equal(settings.questions.threads, machine::one_thread);
}

store::StoredOptions stored_options(const SweepSettings& settings, const Inputs& inputs,
                                    std::span<const search::SearchSpace> spaces) {
  const search::SearchSpace& space = spaces.front();
  store::StoredOptions options;
  options.model = inputs.resolved.options.text();
  options.heuristic = settings.heuristic == search::Heuristic::classic ? "classic" : "descent";
  options.grid = space.start.text();
  options.max_processors = search::most_cores(spaces);
  options.min_efficiency = settings.goal.min_efficiency;
  options.best = static_cast<std::int64_t>(settings.best);
  options.reference = space.reference_extents;
  options.balanced = space.block_rule == mapping::BlockRule::balanced;
  options.within = settings.goal.within;
  options.conditions = space.conditions.any() ? space.conditions.text() : "";
  options.excluded = excluded_by_blocks(spaces);
  options.threads = machine::threads_text(settings.questions.threads);
  options.spread = inputs.spread;
  if (inputs.resolved.options.processes == model::ProcessKind::free &&
      search_mode(settings.mode, inputs.cluster) == search::Mode::exact) {
    options.margin = settings.margin;
  }
  return options;
}

/// Σ of the deviations of all times over Σ of the times.
double spread_of(const trace::Program& program) {
  double sum = 0.0;
  for (const trace::Deviation& deviation : program.deviations) {
    sum += deviation.call_time + deviation.ret_time;
  }
  return program.duration > 0.0 ? sum / program.duration : 0.0;
}

}  // namespace

Inputs read_inputs(const SweepSettings& settings, std::optional<std::int64_t> most) {
  Inputs inputs;
  inputs.cluster = machine::Cluster::read(settings.machine);
  for (const std::string& assignment : settings.assignments) {
    inputs.cluster.set(assignment);
  }
  inputs.clusters = {inputs.cluster, settings.questions.threads};
  const trace::ReadOptions reading = model::read_options(settings.options);
  trace::Program program = trace::read_run(settings.traces, reading, settings.parameters);
  inputs.resolved = model::resolve(settings.options, program);
  model::settle(inputs.resolved,
                most ? *most : most_processors(settings.questions, inputs.cluster));
  std::optional<ProgramShapes> known;
  if (!settings.shapes.empty()) {
    known = read_program_shapes(program, settings.traces.size(), settings.shapes, reading);
    inputs.resolved.options.shapes = known->hash;
  }
  const model::LoopShapes* const shapes = known ? &known->shapes : nullptr;
  model::Compiled compiled = model::compile(program, model::Detail::folded, shapes);
  inputs.script = std::move(compiled.script);
  if (settings.best_html) {
    inputs.places = model::compile(program, model::Detail::places, shapes).script;
  }
  inputs.spread = spread_of(program);
  inputs.trace_sha256 = std::move(program.sha256);
  inputs.warnings = std::move(compiled.warnings);  // those of the trace among them
  std::ranges::move(machine::unlikely_costs(inputs.cluster), std::back_inserter(inputs.warnings));
  return inputs;
}

search::SearchSpaces search_spaces(const SweepSettings& settings, const Inputs& inputs) {
  Questions questions = settings.questions;
  questions.min_block = inputs.resolved.min_block;
  search::SearchSpaces spaces =
      search_spaces(inputs.script, inputs.clusters, questions, inputs.resolved.options);
  start_at(spaces, settings.grid.value_or(start_grid(inputs.cluster)),
           search_mode(settings.mode, inputs.cluster));
  return spaces;
}

store::RunColumns run_columns(const SweepSettings& settings, const Inputs& inputs) {
  return {inputs.resolved.options.placement != machine::Placement{}, has_threads(settings)};
}

store::StoreSetup store_setup(const SweepSettings& settings, const Inputs& inputs,
                              std::span<const search::SearchSpace> spaces) {
  store::StoreSetup setup;
  store::RunDescription& run = setup.description;
  run.gridcast_version = settings.version;
  run.model_version = model::model_version(inputs.resolved.options);
  run.command_line = settings.command_line;
  run.mode = static_cast<std::int64_t>(search_mode(settings.mode, inputs.cluster));
  run.objective = search::name(settings.goal.objective);
  run.options = stored_options(settings, inputs, spaces).json();
  run.assumed = words_text(inputs.resolved.assumed);
  run.machine = inputs.cluster.text();
  run.machine_name = inputs.cluster.name();
  run.trace_sha256 = inputs.trace_sha256;
  for (const std::filesystem::path& trace : settings.traces) {
    run.traces.push_back(trace.string());
  }
  for (const model::IntervalSpec& spec : inputs.script.tables().intervals) {
    setup.intervals.push_back(interval_info(inputs.script, spec));
  }
  setup.interval_results = settings.intervals;
  setup.extra_columns = store::run_columns(run_columns(settings, inputs));
  return setup;
}

}  // namespace gridcast::sweep
