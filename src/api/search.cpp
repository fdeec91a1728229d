#include "gridcast/search.h"

#include "api.h"
#include "gridcast/base/error.h"
#include "gridcast/evaluate/bounds.h"
#include "gridcast/search/strategy.h"

namespace gridcast {
inline namespace v1 {
namespace {

search::Objective objective_of(const std::string& text) {
  using enum search::Objective;
  for (const search::Objective objective : {time, efficiency, node_hours}) {
    if (text == search::name(objective)) {
      return objective;
    }
  }
  throw InputError("objective '" + text + "'", "expected time, efficiency or node-hours");
}

sweep::Questions questions_of(const SearchSettings& settings, const Program::Data& program) {
  sweep::Questions questions;
  questions.threads = settings.threads;
  questions.max_processors = settings.max_processors;
  questions.divides = settings.divides;
  questions.whole_nodes = settings.whole_nodes;
  questions.memory_per_processor = settings.memory_per_processor;
  questions.min_block = program.resolved.min_block;
  return questions;
}

FoundGrid found(const search::Outcome& outcome) {
  return {outer(outcome.grid), outcome.execution_time, outcome.efficiency};
}

std::optional<FoundGrid> best_of(const search::Strategy& strategy) {
  const std::optional<search::Outcome> best = strategy.best().best();
  return best ? std::optional(found(*best)) : std::nullopt;
}

}  // namespace

SearchResult search(const Program& program, const Machine& machine,
                    const SearchSettings& settings) {
  const model::Script& script = program.data().script;
  const machine::Cluster& cluster = machine.data().cluster;
  const sweep::Questions questions = questions_of(settings, program.data());
  model::ResolvedOptions resolved = program.data().resolved;
  model::settle(resolved, sweep::most_processors(questions, cluster));
  const model::ModelOptions& model = resolved.options;
  const search::Mode mode = sweep::search_mode(
      settings.mode ? std::optional(search::mode_from_number(*settings.mode)) : std::nullopt,
      cluster);
  const machine::ThreadedClusters clusters(cluster, settings.threads);
  search::SearchSpaces spaces = sweep::search_spaces(script, clusters, questions, model);
  sweep::start_at(spaces, settings.grid ? inner(*settings.grid) : sweep::start_grid(cluster), mode);
  search::StrategyOptions options;
  options.goal = sweep::goal_on(
      clusters, {objective_of(settings.objective), settings.min_efficiency, settings.within, {}},
      search::most_cores(spaces));
  options.keep = settings.best;
  options.close = model::has_close_bounds(model);
  const auto strategy = search::make_strategy(mode, spaces, options);
  if (mode != search::Mode::none) {
    sweep::require_candidates(spaces, strategy->candidates());
  }
  const auto go_on = [&] {
    return !settings.progress ||
           settings.progress({strategy->evaluated(), strategy->candidates(), best_of(*strategy)});
  };
  SearchResult result;
  result.complete =
      sweep::LocalSearch(script, clusters, spaces, model, settings.margin).run(*strategy, go_on);
  for (const search::Outcome& outcome : strategy->best().choices()) {
    result.best.push_back(found(outcome));
  }
  result.candidates = strategy->candidates();
  result.evaluated = strategy->evaluated();
  return result;
}

}  // namespace v1
}  // namespace gridcast
