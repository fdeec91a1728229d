#include "gridcast/evaluate/local_search.h"

#include <cstdint>
#include <exception>
#include <new>
#include <utility>

namespace gridcast::sweep {

LocalSearch::LocalSearch(const model::Script& script, machine::ThreadedClusters clusters,
                         std::span<const search::SearchSpace> spaces,
                         const model::ModelOptions& options, double margin)
    : spaces_(spaces), clusters_(std::move(clusters)) {
  for (std::size_t i = 0; i < clusters_.numbers().size(); ++i) {
    const machine::Cluster& seen = clusters_.at(i);
    knowers_.push_back(std::unique_ptr<Knower>(
        new Knower{{script, seen, options}, {script, seen, options, margin}}));
  }
}

search::Outcome LocalSearch::evaluate(const machine::Grid& grid) {
  ++predictions_;
  try {
    model::Predictor& predictor = knower_of(grid.threads()).predictor;
    const model::Characteristics sums = predictor.evaluate(grid).front();
    return {grid, false, sums.execution_time, sums.efficiency,
            machine::code_of(grid, predictor.placement())};
  } catch (const std::bad_alloc&) {
    throw;  // a larger machine would have answered: nobody may think that the grid is out
  } catch (const std::exception&) {
    return {grid, true};
  }
}

bool LocalSearch::run(search::Strategy& strategy, const std::function<bool()>& go_on) {
  constexpr std::size_t at_a_time = 256;  // of a million candidates
  while (!strategy.finished()) {
    for (const search::AskedBox& asked : strategy.next_boxes(at_a_time)) {
      const std::int32_t threads = asked.box.threads();
      const std::int64_t most = search::space_of_threads(spaces_, threads).max_processors;
      strategy.report(asked.box, knower_of(threads).bounds(asked, most));
    }
    for (const machine::Grid& grid : strategy.next(at_a_time)) {
      strategy.report(evaluate(grid));
      if (go_on && !go_on()) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace gridcast::sweep
