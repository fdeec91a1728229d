#include "comparison.h"

#include "heuristic.h"

namespace gridcast::search {

ComparisonStrategy::ComparisonStrategy(std::span<const SearchSpace> spaces,
                                       const StrategyOptions& options)
    : Strategy(spaces, options),
      heuristic_(spaces, options, make_heuristic(spaces, options, Selection::not_bad)),
      stream_(spaces, Selection::not_bad),
      not_bad_best_(options.goal) {}

void ComparisonStrategy::advance() {
  upcoming_ = stream_.next();
  while (upcoming_) {
    const auto known = heuristic_.known().find(*upcoming_);
    if (known == heuristic_.known().end()) {
      return;
    }
    not_bad_best_.add(known->second);
    upcoming_ = stream_.next();
  }
}

std::vector<machine::Grid> ComparisonStrategy::choose(std::size_t max) {
  if (!heuristic_.finished()) {
    return heuristic_.next(max);
  }
  std::vector<machine::Grid> grids;
  while (grids.size() < max && upcoming_) {
    grids.push_back(*upcoming_);
    advance();
  }
  return grids;
}

void ComparisonStrategy::take(const Outcome& outcome) {
  if (heuristic_.finished()) {
    not_bad_best_.add(outcome);
    return;
  }
  heuristic_.report(outcome);
  if (heuristic_.finished()) {
    advance();
  }
}

std::optional<Comparison> ComparisonStrategy::comparison() const {
  if (!finished()) {
    return std::nullopt;
  }
  return Comparison{heuristic_.best().best(), not_bad_best_.best(), heuristic_.evaluated(),
                    not_bad()};
}

}  // namespace gridcast::search
