#pragma once
/// What a command that may run on several ranks does around its work: reporting errors once,
/// starting together, ending although ranks are gone.

#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>
#include <exception>
#include <functional>
#include <new>
#include <string>

#include "gridcast/base/error.h"
#include "gridcast/farm/launched.h"
#include "gridcast/farm/watch.h"
#include "gridcast/store/lock.h"

namespace gridcast::sweep {

/// "gridcast: TEXT" as one line on stderr.
void print_line(const std::string& text);

/// Turns what `step` throws into exit code and message of the outcome, printed.
template <class Outcome, class Step>
void guarded(Outcome& outcome, Step&& step) {
  int code = 1;
  try {
    step();
    return;
  } catch (const store::PredecessorRuns& error) {
    code = 3;
    outcome.message = error.what();
  } catch (const InputError& error) {
    code = 2;
    outcome.message = error.what();
  } catch (const std::bad_alloc&) {
    outcome.message = "out of memory (a smaller trace, or a machine with more memory)";
  } catch (const std::exception& error) {
    outcome.message = error.what();
  }
  outcome.exit_code = code;
  print_line(outcome.message);
}

/// The exit code of what rank 0 did, on every rank. Reading a trace takes a while: they wait for it
/// without spinning.
[[nodiscard]] int code_of_rank_0(const boost::mpi::communicator& world, int code);

/// Whether srun started several processes that MPI does not join; says so.
[[nodiscard]] bool refuse_separate_ranks(const boost::mpi::communicator& world);

/// Whether mpirun is to go on without lost ranks although they are on several nodes, which it
/// cannot; says so. Known before MPI is initialized.
[[nodiscard]] bool refuse_recovery_on_nodes();

/// Ends this process without the rest of its ranks.
[[noreturn]] void leave_hard(bool unreachable_ranks, int code);

/// Runs a command as the whole rest of this process: `alone` without a launcher, `together` on each
/// rank otherwise; `finish` on rank 0 turns the outcome into the exit code. A watch ends a rank
/// that waits for others for ever.
template <class Outcome>
int run_program(const WatchLimits& limits, const std::function<Outcome()>& alone,
                const std::function<Outcome(const boost::mpi::communicator&)>& together,
                const std::function<int(const Outcome&)>& finish) {
  if (!launched_by_mpi()) {
    give_sign("up");
    return finish(alone());
  }
  if (refuse_recovery_on_nodes()) {
    return 2;
  }
  Watch watch(limits);
  const boost::mpi::environment environment(boost::mpi::threading::multiple);
  const boost::mpi::communicator world;
  if (refuse_separate_ranks(world)) {
    return 2;
  }
  if (world.rank() == 0) {
    give_sign("up");
  }
  watch.join(world);
  watch.started();
  const Outcome outcome = world.size() == 1 ? alone() : together(world);
  const int code = world.rank() == 0 ? finish(outcome) : outcome.exit_code;
  if (outcome.lost_ranks) {
    give_sign("lost");
    watch.leave_alone(code);
    leave_hard(outcome.unreachable_ranks, code);
  }
  watch.leave(code);
  return code;
}

/// Runs this rank's side; only what all ranks do together throws out of it, and there is no orderly
/// end then.
template <class Outcome>
Outcome run_side(const std::function<Outcome()>& side, const boost::mpi::communicator& world) {
  try {
    return side();
  } catch (const std::exception& error) {
    print_line(error.what());
    MPI_Abort(world, 1);
    throw;
  }
}

}  // namespace gridcast::sweep
