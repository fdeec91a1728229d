#pragma once
/// Strategies in which results decide what comes next. They work batch by batch: all results of a
/// batch are awaited and then looked at in the order of the batch, so that neither the order of
/// reports nor the number of workers has an influence.

#include <map>
#include <span>

#include "gridcast/search/strategy.h"

namespace gridcast::search {

/// Order of grids in maps: that of the exported tables.
struct GridOrder {
  bool operator()(const machine::Grid& a, const machine::Grid& b) const noexcept {
    return machine::compare(a, b) < 0;
  }
};

/// Decides batches of grids from the results of the batches before.
class BatchSource {
public:
  BatchSource() = default;
  virtual ~BatchSource() = default;
  BatchSource(const BatchSource&) = delete;
  BatchSource& operator=(const BatchSource&) = delete;

  /// The next batch, different grids; empty when there is nothing left to do. Grids of earlier
  /// batches may come again if remembers(): they are not evaluated again.
  [[nodiscard]] virtual std::vector<machine::Grid> next_batch() = 0;

  /// The results of the last batch, in its order.
  virtual void take_batch(std::span<const Outcome> outcomes) = 0;

  /// True if earlier results must be kept because a batch may contain their grids again.
  [[nodiscard]] virtual bool remembers() const = 0;
};

/// Runs a BatchSource.
class BatchStrategy final : public Strategy {
public:
  BatchStrategy(std::span<const SearchSpace> spaces, const StrategyOptions& options,
                std::unique_ptr<BatchSource> source);

  [[nodiscard]] bool finished() const override { return done_; }

  /// Results of all batches by grid, if the source remembers.
  [[nodiscard]] const std::map<machine::Grid, Outcome, GridOrder>& known() const noexcept {
    return known_;
  }

private:
  [[nodiscard]] std::vector<machine::Grid> choose(std::size_t max) override;
  void take(const Outcome& outcome) override;
  void begin_batch();
  void end_batch();

  std::unique_ptr<BatchSource> source_;
  std::map<machine::Grid, Outcome, GridOrder> known_;  ///< of the current batch at least
  std::vector<machine::Grid> batch_;
  std::vector<machine::Grid> unknown_;  ///< grids of the batch without a result from before
  std::size_t given_ = 0;               ///< how many of unknown_ were handed out
  std::size_t missing_ = 0;             ///< results of the batch not in yet
  bool done_ = false;
};

}  // namespace gridcast::search
