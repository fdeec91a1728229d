#include "exhaustive.h"

#include <algorithm>

namespace gridcast::search {

GivenGridStrategy::GivenGridStrategy(std::span<const SearchSpace> spaces,
                                     const StrategyOptions& options)
    : Strategy(spaces, options) {
  grids_.reserve(spaces.size());
  for (const SearchSpace& space : spaces) {
    grids_.push_back(space.start.with_threads(space.threads));
  }
}

std::vector<machine::Grid> GivenGridStrategy::choose(std::size_t max) {
  const auto first = grids_.begin() + static_cast<std::ptrdiff_t>(handed_out());
  const auto left = static_cast<std::size_t>(grids_.end() - first);
  return {first, first + static_cast<std::ptrdiff_t>(std::min(max, left))};
}

void GivenGridStrategy::take(const Outcome& /*outcome*/) {}

ExhaustiveStrategy::ExhaustiveStrategy(std::span<const SearchSpace> spaces,
                                       const StrategyOptions& options, Selection selection)
    : Strategy(spaces, options), stream_(spaces, selection), upcoming_(stream_.next()) {}

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
