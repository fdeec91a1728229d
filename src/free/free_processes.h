#pragma once
/// Predictions of processes that run free (docs/model.md §10): one clock per process, which nothing
/// raises but the messages that it waits for.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gridcast/base/interruption.h"
#include "gridcast/machine/grid.h"
#include "gridcast/rules/grid_details.h"
#include "gridcast/rules/ledger.h"
#include "gridcast/rules/observer.h"
#include "gridcast/rules/options.h"
#include "gridcast/rules/script.h"

namespace gridcast::model {

/// Predicts one grid after the other.
class FreeProcesses {
public:
  /// What it is given must outlive it.
  FreeProcesses(const Script& script, const ModelOptions& options, GridDetails& details,
                Interruption& interruption);
  ~FreeProcesses();
  FreeProcesses(FreeProcesses&&) noexcept;
  FreeProcesses& operator=(FreeProcesses&&) noexcept;

  /// Gives the sums of each interval, seconds, valid until the next call; with `per_processor`
  /// ledger() has the times of each. Throws RunError if processes wait for each other for ever.
  [[nodiscard]] std::span<IntervalSums> run(const machine::Grid& grid, bool per_processor);

  /// No run of the grid takes less, seconds: nothing holds a message back but its sender, its
  /// receiver and its own way. Errors as run().
  [[nodiscard]] double least(const machine::Grid& grid);

  /// Runs a grid and tells what each process does; iterations that were simulated count for those
  /// left out.
  void observe(const machine::Grid& grid, Observer& observer);

  /// Of the last run.
  [[nodiscard]] const Ledger& ledger() const noexcept;

  /// How many iterations the last run simulated (--iterations), for the user; empty if all.
  [[nodiscard]] std::vector<std::string> notes() const;

private:
  class Run;
  std::unique_ptr<Run> run_;
};

}  // namespace gridcast::model
