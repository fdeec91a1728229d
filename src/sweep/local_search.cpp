#include "local_search.h"

#include <cstdint>
#include <exception>
#include <new>
#include <utility>

namespace gridcast::sweep {

LocalSearch::LocalSearch(const model::Script& script, machine::Cluster cluster,
                         const model::ModelOptions& options)
    : cluster_(std::move(cluster)),
      predictor_(script, cluster_, options),
      bound_(script, cluster_, options) {}

search::Outcome LocalSearch::evaluate(const machine::Grid& grid) {
  ++predictions_;
  try {
    const model::Characteristics sums = predictor_.evaluate(grid).front();
    return {grid, false, sums.execution_time, sums.efficiency,
            machine::code_of(grid, predictor_.placement())};
  } catch (const std::bad_alloc&) {
    throw;  // a larger machine would have answered: nobody may think that the grid is out
  } catch (const std::exception&) {
    return {grid, true};
  }
}

std::vector<search::Outcome> LocalSearch::best(const search::SearchSpace& space,
                                               const search::Goal& goal, std::size_t keep) {
  search::StrategyOptions options;
  options.goal = goal;
  options.keep = keep;
  const auto strategy = search::make_strategy(search::Mode::exact, space, options);
  while (!strategy->finished()) {
    for (const machine::GridBox& box : strategy->next_boxes(SIZE_MAX)) {
      const model::BoxBounds bounds = bound_(box, space.max_processors);
      strategy->report(box, {bounds.time, bounds.efficiency});
    }
    for (const machine::Grid& grid : strategy->next(SIZE_MAX)) {
      strategy->report(evaluate(grid));
    }
  }
  return strategy->best().choices();
}

}  // namespace gridcast::sweep
