#pragma once
/// Mode 5: the heuristic, then all candidates that are not bad, no grid evaluated twice
/// ([Predictor2010 §5]).

#include "batch_strategy.h"

namespace gridcast::search {

class ComparisonStrategy final : public Strategy {
public:
  ComparisonStrategy(std::span<const SearchSpace> spaces, const StrategyOptions& options);

  [[nodiscard]] bool finished() const override {
    return heuristic_.finished() && !upcoming_ && evaluated() == handed_out();
  }
  [[nodiscard]] std::optional<Comparison> comparison() const override;

private:
  [[nodiscard]] std::vector<machine::Grid> choose(std::size_t max) override;
  void take(const Outcome& outcome) override;
  [[nodiscard]] bool evaluates_all() const override { return true; }
  void advance();

  BatchStrategy heuristic_;
  CandidateStreams stream_;
  std::optional<machine::Grid> upcoming_;  ///< next candidate that the heuristic did not evaluate
  Best not_bad_best_;
};

}  // namespace gridcast::search
