#include "batch_strategy.h"

#include <algorithm>
#include <utility>

#include "gridcast/base/contract.h"

namespace gridcast::search {

BatchStrategy::BatchStrategy(std::span<const SearchSpace> spaces, const StrategyOptions& options,
                             std::unique_ptr<BatchSource> source)
    : Strategy(spaces, options), source_(std::move(source)) {
  begin_batch();
}

void BatchStrategy::begin_batch() {
  while (missing_ == 0 && !done_) {
    if (!source_->remembers()) {
      known_.clear();
    }
    batch_ = source_->next_batch();
    done_ = batch_.empty();
    unknown_.clear();
    std::copy_if(batch_.begin(), batch_.end(), std::back_inserter(unknown_),
                 [this](const machine::Grid& grid) { return !known_.contains(grid); });
    given_ = 0;
    missing_ = unknown_.size();
    if (missing_ == 0 && !done_) {
      end_batch();
    }
  }
}

void BatchStrategy::end_batch() {
  std::vector<Outcome> outcomes;
  outcomes.reserve(batch_.size());
  for (const machine::Grid& grid : batch_) {
    outcomes.push_back(known_.at(grid));
  }
  source_->take_batch(outcomes);
}

std::vector<machine::Grid> BatchStrategy::choose(std::size_t max) {
  const std::size_t count = std::min(max, unknown_.size() - given_);
  const auto first = unknown_.begin() + static_cast<std::ptrdiff_t>(given_);
  given_ += count;
  return {first, first + static_cast<std::ptrdiff_t>(count)};
}

void BatchStrategy::take(const Outcome& outcome) {
  const bool fresh = known_.emplace(outcome.grid, outcome).second;
  expects(fresh, "a grid was reported twice");
  if (fresh && --missing_ == 0) {
    end_batch();
    begin_batch();
  }
}

}  // namespace gridcast::search
