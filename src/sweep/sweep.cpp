#include "gridcast/sweep/sweep.h"

#include <boost/mpi/communicator.hpp>
#include <memory>
#include <utility>

#include "evaluator.h"
#include "gridcast/sweep/farm.h"
#include "idle.h"
#include "ranks.h"
#include "session.h"
#include "shared_bytes.h"
#include "signals.h"

namespace gridcast::sweep {
namespace {

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
  return run_side<SweepOutcome>(
      world, [&] { return run_rank_0(settings, world); },
      [&] { return run_other_rank(settings, world); });
}

int run_sweep_program(const SweepSettings& settings, const Finish& finish) {
  return run_program<SweepOutcome>(
      [&] { return run_sweep(settings); },
      [&](const boost::mpi::communicator& world) { return run_sweep(settings, world); }, finish);
}

}  // namespace gridcast::sweep
