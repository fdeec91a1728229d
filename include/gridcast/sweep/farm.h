#pragma once
/// A farm of MPI ranks: rank 0 hands out batches of grids, the other ranks evaluate them. What is
/// evaluated and what becomes of the results is the caller's business, so that a benchmark can farm
/// empty tasks with the same code.

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "gridcast/machine/grid.h"
#include "gridcast/model/characteristics.h"
#include "gridcast/store/row.h"
#include "gridcast/sweep/scheduler.h"

namespace boost::mpi {
class communicator;
}

namespace gridcast::sweep {

/// Results of a run of grids.
struct Results {
  std::vector<store::ResultRow> rows;
  std::vector<model::Characteristics> intervals;  ///< rows x intervals per row; may be empty
  std::vector<std::string> reasons;               ///< of the failed rows, in their order

  void clear() noexcept {
    rows.clear();
    intervals.clear();
    reasons.clear();
  }
};

/// Evaluates one grid: appends exactly one row (and its intervals). Must not throw: a grid that
/// cannot be evaluated gives a failed row and its reason.
using Evaluate = std::function<void(const machine::Grid&, Results&)>;

/// Rank 0's side of the work.
class Job {
public:
  Job() = default;
  virtual ~Job() = default;
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  /// Up to `max` grids that may be evaluated now; empty: either finished() or results that are out
  /// decide.
  [[nodiscard]] virtual std::vector<machine::Grid> next(std::size_t max) = 0;

  /// Takes results in any order; `worker` is the rank that evaluated them in `seconds`.
  virtual void take(const Results& results, int worker, double seconds) = 0;

  /// Takes a grid that ended or hung the workers that tried it.
  virtual void give_up(const machine::Grid& grid, const std::string& reason) = 0;

  /// A worker is gone; called once for each.
  virtual void lost(int worker, const std::string& reason) = 0;

  [[nodiscard]] virtual bool finished() const = 0;

  /// Whether to hand out nothing more (signal, time limit, too many failures).
  [[nodiscard]] virtual bool should_stop() = 0;

  /// Called about ten times per second, busy or not.
  virtual void tick() = 0;
};

/// Runs the job in this process, grid by grid, until it is finished or has to stop.
void run_alone(Job& job, const Evaluate& evaluate);

/// How the farm ended for rank 0.
struct MasterEnd {
  bool lost_ranks = false;   ///< some rank is gone
  bool unreachable = false;  ///< a lost rank runs where it cannot be ended from here
};

/// Rank 0 of a world with more than one rank: farms the job out until it is finished or has to
/// stop. If every worker is lost, goes on with `evaluate` itself. What Job throws ends the farm and
/// comes out here after the workers have been told; `end` then says what became of them. Ends the
/// workers with `exit_code()`, asked for when all results are in.
void run_master(const boost::mpi::communicator& world, Job& job, const Evaluate& evaluate,
                const SchedulerOptions& options, const std::function<int()>& exit_code,
                MasterEnd& end);

/// How a worker ended.
struct WorkerEnd {
  int exit_code = 0;
  bool lost_ranks = false;  ///< some rank is gone, maybe rank 0 itself
};

/// Any other rank: evaluates what rank 0 sends until it says that all is done or is gone.
[[nodiscard]] WorkerEnd run_worker(const boost::mpi::communicator& world, const Evaluate& evaluate);

}  // namespace gridcast::sweep
