#pragma once
/// Rank 0's side of a run whose results go into a store, a sweep or a data set: taking results and
/// failures, when to stop, and how the store ends.

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "events.h"
#include "forecast.h"
#include "gridcast/farm/farm.h"
#include "gridcast/farm/signals.h"
#include "gridcast/store/writer.h"
#include "gridcast/sweep/run_settings.h"
#include "progress.h"

namespace gridcast::sweep {

class StoredJob : public Job {
public:
  void take(std::span<const Task> tasks, const Results& results, int worker, double seconds) final;
  void lost(const LostRank& lost) final;
  [[nodiscard]] bool should_stop() final;
  void tick() final;

protected:
  /// `begin`: when the run began, seconds_now(); `noun`: what is predicted, "grid";
  /// `intervals_per_row`: results that come with each row.
  StoredJob(const RunSettings& settings, const StopSignals& signals, double begin,
            std::string_view noun, std::size_t intervals_per_row);

  /// Begins the store or goes on with it, as --resume says; true if it may have rows of an earlier
  /// start. Warns of rows that a power cut took. Throws InputError.
  bool open_store(const store::StoreSetup& setup);

  /// Stores a row or its failure. `where` names more than the grid: "variant 3".
  void store_row(const store::ResultRow& row, const Reason& reason, std::span<const double> extras,
                 std::span<const model::Characteristics> intervals, const std::string& where);

  /// Sets exit code and message for a run that has ended.
  void settle();
  /// Ends the store, complete if the exit code is 0.
  void end_store(const std::optional<store::Best>& best);
  /// The last event.
  void tell_end();

  /// Of the run so far.
  [[nodiscard]] virtual RunOutcome& run() = 0;
  /// A row came back for a task, with `reason` if it failed.
  virtual void take_row(const Task& task, const store::ResultRow& row, const Reason& reason,
                        std::span<const model::Characteristics> intervals) = 0;
  /// Bounds came back.
  virtual void take_bounds(const Task& task, const store::ResultRow& row);
  /// For the line of progress.
  [[nodiscard]] virtual std::optional<search::Outcome> best_so_far() const { return std::nullopt; }
  /// Of mode 4, for the same; looks at all boxes of the search.
  [[nodiscard]] virtual std::optional<search::Proof> proof_so_far() const { return std::nullopt; }

  Events events_;
  std::optional<store::StoreWriter> store_;
  Progress progress_;
  Forecast forecast_;
  std::optional<std::uint64_t> total_;  ///< rows that the store will have, if that is known
  /// Failures up to this number are written to the log; /failures has them all.
  std::uint64_t most_logged_ = std::numeric_limits<std::uint64_t>::max();

private:
  void store_failure(const store::ResultRow& row, const Reason& reason,
                     std::span<const double> extras, const std::string& where);
  [[nodiscard]] std::string postponed_message();
  void stop(int exit_code, const std::string& why);
  void look_at_proof(double now);

  const RunSettings* run_settings_;
  const StopSignals* signals_;
  double begin_;
  std::string noun_;
  std::size_t intervals_per_row_;
  std::uint64_t without_memory_ = 0;  ///< of the postponed ones; the others were lost
  double last_flush_ = 0.0;
  bool unflushed_ = false;
  std::optional<search::Proof> proof_;  ///< when it was last looked at
  double next_look_ = 0.0;              ///< at the proof
};

}  // namespace gridcast::sweep
