#pragma once
/// Rank 0's state of a sweep: the search, the store, what was found, and when to stop.

#include <memory>
#include <optional>
#include <unordered_map>

#include "gridcast/search/strategy.h"
#include "gridcast/store/run_columns.h"
#include "gridcast/sweep/sweep.h"
#include "inputs.h"
#include "stored_job.h"
#include "stored_run.h"

namespace gridcast::sweep {

struct GridHash {
  [[nodiscard]] std::size_t operator()(const machine::Grid& grid) const noexcept;
};

class Session final : public StoredJob {
public:
  /// Opens the store. `begin`: when the sweep began, seconds_now(); `ranks`: of the job. Throws
  /// InputError.
  Session(const SweepSettings& settings, const Inputs& inputs, const StopSignals& signals,
          double begin, int ranks);

  [[nodiscard]] std::vector<Task> next(std::size_t max) override;
  void give_up(const Task& task, const std::string& reason) override;
  [[nodiscard]] bool finished() const override { return strategy_->finished(); }

  /// Ends the store; the outcome is then complete. Throws RunError.
  void finish();

  /// Predicts the best grid with all that a page tells.
  void describe_best(const Inputs& inputs);

  [[nodiscard]] const SweepOutcome& outcome() const noexcept { return outcome_; }

private:
  struct Known {
    double execution_time = 0.0;
    double efficiency = 0.0;
    bool failed = false;
    std::int32_t placement = 0;
  };

  void take_stored_rows();
  [[nodiscard]] RunOutcome& run() override { return outcome_; }
  void take_row(const Task& task, const store::ResultRow& row, const Reason& reason,
                std::span<const model::Characteristics> intervals) override;
  void take_bounds(const Task& task, const store::ResultRow& row) override;
  [[nodiscard]] std::optional<search::Outcome> best_so_far() const override { return best_.best(); }
  [[nodiscard]] std::optional<search::Proof> proof_so_far() const override {
    return strategy_->proof();
  }
  /// Remembers the row if it is the best so far; returns whether it is.
  bool note_best(const store::ResultRow& row);
  void fill_outcome();
  [[nodiscard]] std::vector<search::FrontEntry> front() const;
  [[nodiscard]] std::optional<store::Best> best_rows();

  const SweepSettings* settings_;
  model::ModelOptions options_;  ///< those that hold for the program
  store::RunColumns columns_;    ///< that the store has
  std::vector<std::int64_t> extents_;
  mapping::BlockRule rule_;
  search::Mode mode_;
  search::SearchSpaces spaces_;
  search::Goal goal_;
  std::shared_ptr<const machine::NodeList> nodes_;  ///< none if no front is asked for
  std::unique_ptr<search::Strategy> strategy_;
  std::unordered_map<machine::Grid, Known, GridHash> known_;  ///< rows of earlier runs
  search::Best best_;         ///< of all rows in the store, those not asked for yet included
  search::FrontSteps steps_;  ///< of all of them, too
  std::optional<store::ResultRow> best_row_;
  std::optional<store::ResultRow> unconstrained_row_;
  SweepOutcome outcome_;
};

}  // namespace gridcast::sweep
