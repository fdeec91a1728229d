#include "exhaustive.h"

namespace gridcast::search {

SingleGridStrategy::SingleGridStrategy(const SearchSpace& space, const StrategyOptions& options)
    : Strategy(space, options), grid_(space.start) {}

std::vector<machine::Grid> SingleGridStrategy::choose(std::size_t max) {
  if (max == 0 || handed_out() > 0) {
    return {};
  }
  return {grid_};
}

void SingleGridStrategy::take(const Outcome& /*outcome*/) {}

ExhaustiveStrategy::ExhaustiveStrategy(const SearchSpace& space, const StrategyOptions& options,
                                       Selection selection)
    : Strategy(space, options), stream_(space, selection), upcoming_(stream_.next()) {}

std::vector<machine::Grid> ExhaustiveStrategy::choose(std::size_t max) {
  std::vector<machine::Grid> grids;
  while (grids.size() < max && upcoming_) {
    grids.push_back(*upcoming_);
    upcoming_ = stream_.next();
  }
  return grids;
}

void ExhaustiveStrategy::take(const Outcome& /*outcome*/) {}

}  // namespace gridcast::search
