#pragma once
/// Modes 0, 2 and 3: the grids are known beforehand, results decide nothing.

#include "gridcast/search/strategy.h"

namespace gridcast::search {

/// Mode 0: the given grid.
class SingleGridStrategy final : public Strategy {
public:
  SingleGridStrategy(const SearchSpace& space, const StrategyOptions& options);
  [[nodiscard]] bool finished() const override { return evaluated() == 1; }

private:
  [[nodiscard]] std::vector<machine::Grid> choose(std::size_t max) override;
  void take(const Outcome& outcome) override;

  machine::Grid grid_;
};

/// Modes 2 and 3: the candidates one after another.
class ExhaustiveStrategy final : public Strategy {
public:
  ExhaustiveStrategy(const SearchSpace& space, const StrategyOptions& options, Selection selection);
  [[nodiscard]] bool finished() const override { return !upcoming_ && evaluated() == handed_out(); }

private:
  [[nodiscard]] std::vector<machine::Grid> choose(std::size_t max) override;
  void take(const Outcome& outcome) override;
  [[nodiscard]] bool evaluates_all() const override { return true; }

  CandidateStream stream_;
  std::optional<machine::Grid> upcoming_;
};

}  // namespace gridcast::search
