#pragma once
/// Rank 0's state of a sweep: the search, the store, what was found, and when to stop.

#include <memory>
#include <optional>
#include <unordered_map>

#include "events.h"
#include "forecast.h"
#include "gridcast/farm/farm.h"
#include "gridcast/farm/signals.h"
#include "gridcast/search/strategy.h"
#include "gridcast/store/run_columns.h"
#include "gridcast/store/writer.h"
#include "gridcast/sweep/sweep.h"
#include "inputs.h"
#include "progress.h"
#include "stored_run.h"

namespace gridcast::sweep {

struct GridHash {
  [[nodiscard]] std::size_t operator()(const machine::Grid& grid) const noexcept;
};

class Session final : public Job {
public:
  /// Opens the store. `begin`: when the sweep began, seconds_now(); `ranks`: of the job. Throws
  /// InputError.
  Session(const SweepSettings& settings, const Inputs& inputs, const StopSignals& signals,
          double begin, int ranks);

  [[nodiscard]] std::vector<Task> next(std::size_t max) override;
  void take(std::span<const Task> tasks, const Results& results, int worker,
            double seconds) override;
  void give_up(const Task& task, const std::string& reason) override;
  void lost(const LostRank& lost) override;
  [[nodiscard]] bool finished() const override { return strategy_->finished(); }
  [[nodiscard]] bool should_stop() override;
  void tick() override;

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
  void take_row(const store::ResultRow& row, const Reason& reason,
                std::span<const model::Characteristics> intervals);
  /// What the store has beside the columns of a row.
  [[nodiscard]] std::vector<double> extras_of(const store::ResultRow& row) const;
  void take_failure(const store::ResultRow& row, const Reason& reason);
  /// Remembers the row if it is the best so far; returns whether it is.
  bool note_best(const store::ResultRow& row);
  void fill_outcome();
  [[nodiscard]] std::vector<search::FrontEntry> front() const;
  [[nodiscard]] std::optional<store::Best> best_rows();

  const SweepSettings* settings_;
  const StopSignals* signals_;
  double begin_;
  model::ModelOptions options_;  ///< those that hold for the program
  store::RunColumns columns_;    ///< that the store has
  std::vector<std::int64_t> extents_;
  search::BlockRule rule_;
  search::Mode mode_;
  search::SearchSpaces spaces_;
  search::Goal goal_;
  std::shared_ptr<const machine::NodeList> nodes_;  ///< none if no front is asked for
  std::unique_ptr<search::Strategy> strategy_;
  Events events_;
  std::optional<store::StoreWriter> store_;
  Progress progress_;
  Forecast forecast_;
  std::optional<std::uint64_t> total_;  ///< grids of the search, if it takes all of a selection
  Postponed postponed_;
  std::unordered_map<machine::Grid, Known, GridHash> known_;  ///< rows of earlier runs
  search::Best best_;         ///< of all rows in the store, those not asked for yet included
  search::FrontSteps steps_;  ///< of all of them, too
  std::optional<store::ResultRow> best_row_;
  std::optional<store::ResultRow> unconstrained_row_;
  std::size_t intervals_per_row_;
  double last_flush_ = 0.0;
  bool unflushed_ = false;
  SweepOutcome outcome_;
};

}  // namespace gridcast::sweep
