#pragma once
/// Modes 0, 2 and 3: the grids are known beforehand, results decide nothing.

#include "gridcast/search/strategy.h"

namespace gridcast::search {

/// Mode 0: the given grid, with each number of threads.
class GivenGridStrategy final : public Strategy {
public:
  GivenGridStrategy(std::span<const SearchSpace> spaces, const StrategyOptions& options);
  [[nodiscard]] bool finished() const override { return evaluated() == grids_.size(); }

private:
  [[nodiscard]] std::vector<machine::Grid> choose(std::size_t max) override;
  void take(const Outcome& outcome) override;

  std::vector<machine::Grid> grids_;
};

/// Modes 2 and 3: the candidates one after another.
class ExhaustiveStrategy final : public Strategy {
public:
  ExhaustiveStrategy(std::span<const SearchSpace> spaces, const StrategyOptions& options,
                     Selection selection);
  [[nodiscard]] bool finished() const override { return !upcoming_ && evaluated() == handed_out(); }

private:
  [[nodiscard]] std::vector<machine::Grid> choose(std::size_t max) override;
  void take(const Outcome& outcome) override;
  [[nodiscard]] bool evaluates_all() const override { return true; }

  CandidateStreams stream_;
  std::optional<machine::Grid> upcoming_;
};

}  // namespace gridcast::search
