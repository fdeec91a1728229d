#include "gridcast/search/strategy.h"

#include <string>

#include "batch_strategy.h"
#include "comparison.h"
#include "exact.h"
#include "exhaustive.h"
#include "gridcast/base/contract.h"
#include "gridcast/base/error.h"
#include "heuristic.h"

namespace gridcast::search {
namespace {

/// A program without distributions has no candidates, but its given grid can be predicted.
Plan plan_of(std::span<const SearchSpace> spaces) {
  return spaces.front().rank == 0 ? Plan{0, {}, most_cores(spaces), 0, 0} : make_plan(spaces);
}

void check_start(const SearchSpace& space) {
  if (space.start.processors() > space.max_processors) {
    const machine::Grid start = space.start.with_threads(space.threads);
    throw InputError("the grid " + start.text() + " takes more processors than the " +
                         std::to_string(space.max_processors * space.threads) + " that there are",
                     "expected a smaller grid or a larger cluster");
  }
}

/// The only grid of a search must meet the conditions.
void check_only(const SearchSpace& space) {
  check_start(space);
  if (!space.conditions.admits(space.start)) {
    throw InputError("the grid " + space.start.text() + " does not meet the conditions " +
                         space.conditions.text(),
                     "expected a grid that does, or a search mode from 1 to 5");
  }
}

}  // namespace

Mode mode_from_number(int number) {
  if (number < 0 || number > 5) {
    throw InputError("search mode " + std::to_string(number),
                     "expected 0 (none), 1 (heuristic), 2 (all that leave no processor empty), "
                     "3 (all), 4 (exact) or 5 (1 and 2 compared)");
  }
  return static_cast<Mode>(number);
}

Strategy::Strategy(std::span<const SearchSpace> spaces, const StrategyOptions& options)
    : plan_(plan_of(spaces)),
      best_(options.goal, options.keep),
      steps_(options.goal, options.nodes),
      shares_(options.front.size()) {}

std::vector<FrontState> Strategy::front_states() const {
  return std::vector<FrontState>(shares_, {finished() && evaluates_all(), 1});
}

std::vector<machine::Grid> Strategy::next(std::size_t max) {
  std::vector<machine::Grid> grids = choose(max);
  handed_out_ += grids.size();
  return grids;
}

void Strategy::report(const Outcome& outcome) {
  expects(evaluated_ < handed_out_, "a result was reported that nobody was asked for");
  ++evaluated_;
  best_.add(outcome);
  steps_.add(outcome);
  take(outcome);
}

std::unique_ptr<Strategy> make_strategy(Mode mode, std::span<const SearchSpace> spaces,
                                        const StrategyOptions& options) {
  for (const SearchSpace& space : spaces) {
    if (mode != Mode::none) {
      validate(space);
    }
    if (mode == Mode::none) {
      check_only(space);
    } else if (mode == Mode::heuristic || mode == Mode::comparison) {
      check_start(space);
    }
  }
  switch (mode) {
    case Mode::none:
      return std::make_unique<GivenGridStrategy>(spaces, options);
    case Mode::heuristic:
      return std::make_unique<BatchStrategy>(spaces, options,
                                             make_heuristic(spaces, options, Selection::all));
    case Mode::not_bad:
      return std::make_unique<ExhaustiveStrategy>(spaces, options, Selection::not_bad);
    case Mode::all:
      return std::make_unique<ExhaustiveStrategy>(spaces, options, Selection::all);
    case Mode::exact:
      return std::make_unique<ExactStrategy>(spaces, options);
    case Mode::comparison:
      return std::make_unique<ComparisonStrategy>(spaces, options);
  }
  throw InputError("an unknown search mode", "expected 0 to 5");
}

}  // namespace gridcast::search
