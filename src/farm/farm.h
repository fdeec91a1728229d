#pragma once
/// A farm of MPI ranks: rank 0 hands out batches of tasks, the other ranks evaluate them; with many
/// ranks group masters stand in between. What is evaluated and what becomes of the results is the
/// caller's business, so that a benchmark can farm empty tasks with the same code.

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "gridcast/evaluate/results.h"
#include "gridcast/evaluate/task.h"
#include "gridcast/farm/layout.h"
#include "gridcast/farm/scheduler.h"

namespace boost::mpi {
class communicator;
}

namespace gridcast::sweep {

/// A rank that is gone.
struct LostRank {
  int rank = 0;
  std::string reason;            ///< "was killed"
  std::vector<Task> suspects{};  ///< tasks that may have ended it
  bool unreachable = false;      ///< it runs where it cannot be ended from here
};

/// The master's side of the work.
class Job {
public:
  Job() = default;
  virtual ~Job() = default;
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  /// Up to `max` tasks that may be evaluated now; empty: either finished() or results that are out
  /// decide.
  [[nodiscard]] virtual std::vector<Task> next(std::size_t max) = 0;

  /// Takes results in any order, one row for each of `tasks`; `worker` is the rank that evaluated
  /// them in `seconds`.
  virtual void take(std::span<const Task> tasks, const Results& results, int worker,
                    double seconds) = 0;

  /// Takes a task that ended or hung the workers that tried it.
  virtual void give_up(const Task& task, const std::string& reason) = 0;

  /// A rank is gone; called once for each.
  virtual void lost(const LostRank& lost) = 0;

  [[nodiscard]] virtual bool finished() const = 0;

  /// Whether to hand out nothing more (signal, time limit, too many failures). Asked all the time.
  [[nodiscard]] virtual bool should_stop() = 0;

  /// Called about ten times per second, busy or not.
  virtual void tick() = 0;
};

/// Runs the job in this process, task by task, until it is finished or has to stop.
void run_alone(Job& job, const Evaluate& evaluate);

/// How a farm is run; the same on every rank.
struct FarmOptions {
  SchedulerOptions scheduler;
  /// Seconds by which leases run out, of any clock that does not go back; empty: a steady clock.
  std::function<double()> lease_clock;
};

/// How the farm ended for rank 0.
struct MasterEnd {
  bool lost_ranks = false;   ///< some rank is gone
  bool unreachable = false;  ///< a lost rank runs where it cannot be ended from here
};

/// Rank 0 of a world with more than one rank: farms the job out until it is finished or has to
/// stop. If every worker is lost, goes on with `evaluate` itself. What Job throws ends the farm and
/// comes out here after the workers have been told; `end` then says what became of them. Ends the
/// workers with `exit_code()`, asked for when all results are in. The layout and the options are
/// the same on every rank.
void run_master(const boost::mpi::communicator& world, const Layout& layout, Job& job,
                const Evaluate& evaluate, const FarmOptions& options,
                const std::function<int()>& exit_code, MasterEnd& end);

/// How a worker ended.
struct WorkerEnd {
  int exit_code = 0;
  bool lost_ranks = false;  ///< some rank is gone, maybe rank 0 itself
};

/// Any other rank, until rank 0 says that all is done or is gone: a worker evaluates what it is
/// sent, a group master farms it out to the workers of its group.
[[nodiscard]] WorkerEnd run_worker(const boost::mpi::communicator& world, const Layout& layout,
                                   const Evaluate& evaluate, const FarmOptions& options);

}  // namespace gridcast::sweep
