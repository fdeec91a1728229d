#include "gridcast/sweep/sweep.h"

#include <unistd.h>

#include <algorithm>
#include <boost/mpi/collectives/broadcast.hpp>
#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <new>
#include <utility>

#include "evaluator.h"
#include "gridcast/error.h"
#include "gridcast/sweep/farm.h"
#include "idle.h"
#include "session.h"
#include "shared_bytes.h"
#include "signals.h"

namespace gridcast::sweep {
namespace {

constexpr int tag_ready = 70;

void print_line(const std::string& text) {
  std::string line = "gridcast: ";
  for (const char character : text) {
    // A file name may hold anything, the message stays one line.
    const bool control = static_cast<unsigned char>(character) < 0x20 || character == 0x7f;
    line += control ? ' ' : character;
  }
  line += '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);
}

/// Turns what `step` throws into exit code and message, printed.
template <class Step>
void guarded(SweepOutcome& outcome, Step&& step) {
  int code = 1;
  try {
    step();
    return;
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

SchedulerOptions scheduler_options(const SweepSettings& settings) {
  SchedulerOptions options;
  options.lease_seconds = settings.lease_seconds;
  return options;
}

/// What follows from how the session ended; a stop was announced by its message.
void take_outcome(SweepOutcome& outcome, const Session& session) {
  outcome = session.outcome();
  if (!outcome.message.empty()) {
    print_line(outcome.message);
  }
}

/// Reading a trace takes a while: waits without spinning until rank 0 is through with it. Returns
/// its exit code if it failed.
int wait_for_ready(const boost::mpi::communicator& world) {
  Idle idle;
  while (!world.iprobe(0, tag_ready)) {
    idle.wait();
  }
  int code = 0;
  world.recv(0, tag_ready, code);
  return code;
}

void send_ready(const boost::mpi::communicator& world, int code) {
  for (int rank = 1; rank < world.size(); ++rank) {
    world.send(rank, tag_ready, code);
  }
}

SweepOutcome run_rank_0(const SweepSettings& settings, const boost::mpi::communicator& world) {
  const double begin = seconds_now();
  const StopSignals signals(StopSignals::Reaction::request);
  SweepOutcome outcome;
  Inputs inputs;
  std::unique_ptr<Session> session;
  guarded(outcome, [&] {
    inputs = read_inputs(settings);
    session = std::make_unique<Session>(settings, inputs, signals, begin, world.size());
  });
  send_ready(world, outcome.exit_code);
  if (outcome.exit_code != 0) {
    return outcome;
  }
  SharedBytes shared(world, inputs.script.pack());
  static_cast<void>(broadcast_text(world, inputs.cluster.text()));
  // From here on the script of this rank, too, is the copy of its node.
  inputs.script = model::Script::attach(shared.bytes());
  MasterEnd end;
  guarded(outcome, [&] {
    Evaluator evaluator(inputs.script, inputs.cluster, settings.options, settings.intervals);
    run_master(
        world, *session, std::ref(evaluator), scheduler_options(settings),
        [&] {
          session->finish();
          return session->outcome().exit_code;
        },
        end);
    take_outcome(outcome, *session);
  });
  outcome.lost_ranks = end.lost_ranks;
  outcome.unreachable_ranks = end.unreachable;
  if (end.lost_ranks) {
    shared.abandon();
  }
  return outcome;
}

SweepOutcome run_other_rank(const SweepSettings& settings, const boost::mpi::communicator& world) {
  const StopSignals signals(StopSignals::Reaction::ignore);
  SweepOutcome outcome;
  outcome.exit_code = wait_for_ready(world);
  if (outcome.exit_code != 0) {
    return outcome;
  }
  SharedBytes shared(world, {});
  const std::string text = broadcast_text(world, {});
  const model::Script script = model::Script::attach(shared.bytes());
  const machine::Cluster cluster = machine::Cluster::parse(text, settings.machine.string());
  Evaluator evaluator(script, cluster, settings.options, settings.intervals);
  const WorkerEnd end = run_worker(world, std::ref(evaluator));
  outcome.exit_code = end.exit_code;
  outcome.lost_ranks = end.lost_ranks;
  if (end.lost_ranks) {
    shared.abandon();
  }
  return outcome;
}

/// Value of a number in the environment; -1 if it is not there.
int environment_number(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? -1 : std::atoi(text);
}

/// Variables of Open MPI's mpirun, of PMI launchers, and of srun's steps.
int first_number(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (const int value = environment_number(name); value >= 0) {
      return value;
    }
  }
  return -1;
}

/// Ranks that the launcher says it started; -1 if it says nothing.
int launched_size() { return first_number({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}); }

/// srun started several processes. (mpirun in a Slurm job uses a step of its own: ask it first.)
bool in_slurm_step() {
  return launched_size() < 0 && environment_number("SLURM_STEP_NUM_TASKS") > 1;
}

/// Ends this process without the rest of its ranks.
[[noreturn]] void leave_hard(const SweepOutcome& outcome, int code) {
  std::fflush(nullptr);
  if (outcome.unreachable_ranks) {
    // A hung process on another node would keep the job alive.
    MPI_Abort(MPI_COMM_WORLD, code);
  }
  ::_exit(code);
}

}  // namespace

SweepOutcome run_sweep(const SweepSettings& settings) {
  const double begin = seconds_now();
  const StopSignals signals(StopSignals::Reaction::request);
  SweepOutcome outcome;
  guarded(outcome, [&] {
    const Inputs inputs = read_inputs(settings);
    Session session(settings, inputs, signals, begin, 1);
    Evaluator evaluator(inputs.script, inputs.cluster, settings.options, settings.intervals);
    run_alone(session, std::ref(evaluator));
    session.finish();
    take_outcome(outcome, session);
  });
  return outcome;
}

SweepOutcome run_sweep(const SweepSettings& settings, const boost::mpi::communicator& world) {
  if (world.size() == 1) {
    return run_sweep(settings);
  }
  try {
    return world.rank() == 0 ? run_rank_0(settings, world) : run_other_rank(settings, world);
  } catch (const std::exception& error) {
    // Only what all ranks do together is not looked after by rank 0: there is no orderly end then.
    print_line(error.what());
    MPI_Abort(world, 1);
    throw;
  }
}

bool launched_by_mpi() { return launched_size() > 1 || in_slurm_step(); }

int launched_rank() {
  if (!launched_by_mpi()) {
    return 0;
  }
  return std::max(0,
                  first_number({"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"}));
}

int run_sweep_program(const SweepSettings& settings, const Finish& finish) {
  if (!launched_by_mpi()) {
    return finish(run_sweep(settings));
  }
  const boost::mpi::environment environment;
  const boost::mpi::communicator world;
  if (world.size() == 1 && in_slurm_step()) {
    if (launched_rank() == 0) {
      print_line(
          "srun started several processes that MPI does not join (use srun --mpi=pmix, or "
          "mpirun)");
    }
    return 2;
  }
  const SweepOutcome outcome = run_sweep(settings, world);
  const int code = world.rank() == 0 ? finish(outcome) : outcome.exit_code;
  if (outcome.lost_ranks) {
    leave_hard(outcome, code);
  }
  return code;
}

}  // namespace gridcast::sweep
