#include "local_search.h"

#include <cstdint>
#include <exception>
#include <new>
#include <utility>

namespace gridcast::sweep {

namespace {

std::vector<std::int32_t> threads_of(std::span<const search::SearchSpace> spaces) {
  std::vector<std::int32_t> numbers;
  numbers.reserve(spaces.size());
  for (const search::SearchSpace& space : spaces) {
    numbers.push_back(space.threads);
  }
  return numbers;
}

}  // namespace

LocalSearch::LocalSearch(const model::Script& script, const machine::Cluster& cluster,
                         const RobustnessQuestion& question)
    : question_(&question), clusters_(cluster, threads_of(question.spaces)) {
  knowers_.reserve(question.spaces.size());
  for (std::size_t i = 0; i < question.spaces.size(); ++i) {
    const machine::Cluster& seen = clusters_.at(i);
    knowers_.push_back(std::unique_ptr<Knower>(new Knower{
        {script, seen, question.options}, {script, seen, question.options, question.margin}}));
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

std::vector<search::Outcome> LocalSearch::best(std::size_t keep) {
  const search::SearchSpaces& spaces = question_->spaces;
  search::StrategyOptions options;
  options.goal = question_->goal;
  options.keep = keep;
  const auto strategy = search::make_strategy(search::Mode::exact, spaces, options);
  while (!strategy->finished()) {
    for (const machine::GridBox& box : strategy->next_boxes(SIZE_MAX)) {
      const std::int64_t most = search::space_of_threads(spaces, box.threads()).max_processors;
      strategy->report(box, knower_of(box.threads()).bounds(box, most));
    }
    for (const machine::Grid& grid : strategy->next(SIZE_MAX)) {
      strategy->report(evaluate(grid));
    }
  }
  return strategy->best().choices();
}

}  // namespace gridcast::sweep
