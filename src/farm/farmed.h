#pragma once
/// What a sweep and a data set have in common: a command whose tasks are farmed out, on one process
/// or on many ranks.

#include <boost/mpi/communicator.hpp>
#include <functional>
#include <optional>
#include <string>

#include "gridcast/farm/farm.h"
#include "gridcast/farm/idle.h"
#include "gridcast/farm/ranks.h"
#include "gridcast/farm/signals.h"
#include "gridcast/farm/watch.h"

namespace gridcast::sweep {

/// One command on one rank.
class Farmed {
public:
  Farmed() = default;
  virtual ~Farmed() = default;
  Farmed(const Farmed&) = delete;
  Farmed& operator=(const Farmed&) = delete;

  /// Rank 0: reads the inputs and opens the store. `begin`: when the command began, seconds_now().
  /// Throws InputError.
  virtual Job& open(const StopSignals& signals, double begin, int ranks) = 0;

  /// Gives the inputs of rank 0 to all ranks, which all call it.
  virtual void share(const boost::mpi::communicator& world) = 0;

  /// Evaluates on this rank; needs the inputs. Lives as long as this object.
  [[nodiscard]] virtual Evaluate evaluate() = 0;

  /// Rank 0: ends the store; returns the exit code. Throws RunError.
  virtual int finish() = 0;
};

/// How the farm is run; the same on every rank.
struct FarmSettings {
  double lease_seconds = 60.0;
  std::optional<int> group_size;
  std::size_t max_batch = SchedulerOptions{}.max_batch;
};

/// Farms the command out on all ranks of `world`; on rank 0 `take_outcome` is called when the store
/// is finished. Outcome: of the command, with exit_code, message, lost_ranks, unreachable_ranks.
template <class Outcome>
Outcome run_together(Farmed& command, const FarmSettings& settings,
                     const boost::mpi::communicator& world,
                     const std::function<void(Outcome&)>& take_outcome) {
  const double begin = seconds_now();
  const bool is_master = world.rank() == 0;
  Watch* const watch = Watch::current();
  if (watch != nullptr) {
    watch->begin_reading("reading the inputs");
  }
  const StopSignals signals(is_master ? StopSignals::Reaction::request
                                      : StopSignals::Reaction::ignore);
  Outcome outcome;
  Job* job = nullptr;
  if (is_master) {
    guarded(outcome, [&] { job = &command.open(signals, begin, world.size()); });
  }
  outcome.exit_code = code_of_rank_0(world, outcome.exit_code);
  if (outcome.exit_code != 0) {
    return outcome;
  }
  FarmOptions options;
  options.scheduler.lease_seconds = settings.lease_seconds;
  options.scheduler.max_batch = settings.max_batch;
  constexpr std::size_t batches_per_share = 16;
  options.scheduler.max_share = batches_per_share * settings.max_batch;
  if (watch != nullptr) {
    watch->begin("sharing the inputs");
  }
  const Layout layout = choose_layout(world, settings.group_size);
  command.share(world);
  if (watch != nullptr) {
    watch->started();
  }
  MasterEnd end;
  if (is_master) {
    guarded(outcome, [&] {
      const Evaluate evaluate = command.evaluate();
      run_master(
          world, layout, *job, evaluate, options, [&] { return command.finish(); }, end);
      take_outcome(outcome);
    });
  } else {
    const WorkerEnd own = run_worker(world, layout, command.evaluate(), options);
    outcome.exit_code = own.exit_code;
    end.lost_ranks = own.lost_ranks;
  }
  outcome.lost_ranks = end.lost_ranks;
  outcome.unreachable_ranks = end.unreachable;
  return outcome;
}

/// The same in this process without MPI.
template <class Outcome>
Outcome run_by_itself(Farmed& command, const std::function<void(Outcome&)>& take_outcome) {
  const double begin = seconds_now();
  const StopSignals signals(StopSignals::Reaction::request);
  Outcome outcome;
  guarded(outcome, [&] {
    Job& job = command.open(signals, begin, 1);
    run_alone(job, command.evaluate());
    command.finish();
    take_outcome(outcome);
  });
  return outcome;
}

/// Takes over the outcome of a job; a stop was announced by its message.
template <class Outcome>
void announce(Outcome& outcome, const Outcome& of_job) {
  outcome = of_job;
  if (!outcome.message.empty()) {
    print_line(outcome.message);
  }
}

}  // namespace gridcast::sweep
