#pragma once
/// What each operation of a script does to the clocks of processors, and in which order
/// (docs/model.md §2; [Predictor2010 §3]). It is written here once; how many clocks there are and
/// what they add up is the business of the kinds of clocks that walk: a clock per processor, a
/// clock per class of equal processors, lower bounds of the clocks on many grids.

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "gridcast/machine/cluster.h"
#include "gridcast/rules/script.h"

namespace gridcast::model {

/// What a kind of clocks can be asked for. Times are seconds; `which` is a communication of the
/// script. Those that return a bool return false if the rule does not apply on this grid.
template <class C>
concept Clocks = requires(C clocks, Operation operation, double seconds, CommunicationId which,
                          std::uint32_t token, PlacementId placement, PortionId portion,
                          PipelineId loop, StatementId statement, ViewId view, IntervalId interval,
                          bool pipelined) {
  // Everybody here computes so long on the tracing machine, and is so long in the library: rule 1.
  clocks.work(seconds, seconds);
  // Processor 0 is so long in an I/O function; and it hands so many bytes to all others.
  clocks.io_work(seconds);
  clocks.broadcast(seconds);
  // A loop is shared as this placement is (this portion of it); false: nobody here has iterations.
  { clocks.share(seconds, placement, portion) } -> std::same_as<bool>;
  // Local copying is shared by what is written; false: nothing is.
  { clocks.copied(which, seconds) } -> std::same_as<bool>;
  // A loop that processors begin one after the other; false: they need not wait for each other.
  { clocks.pipeline(loop, seconds) } -> std::same_as<bool>;
  // Each computes what a statement over blocks says of its own.
  clocks.block_work(statement);
  // The clocks differ now (rule 6).
  clocks.vary();
  // All clocks are raised to the latest, which is returned. `pipelined`: for an across_ loop.
  { clocks.synchronize(operation, pipelined) } -> std::same_as<double>;
  // Everybody here pays the run-time library.
  clocks.pay(seconds, operation, pipelined);
  { clocks.latest() } -> std::same_as<double>;
  // A communication starts, to be waited for: what processors do meanwhile hides it.
  clocks.start(which, token, seconds);
  clocks.wait(token, operation);
  // One that its senders and receivers are in until it is over.
  clocks.transfer(which, seconds, operation, pipelined);
  clocks.begin_interval(interval);
  clocks.end_interval();
  // The current processor system is this one from now on: a task begins, or is over.
  clocks.enter(view);
  clocks.leave(view);
  // What the library costs, and how many processors are in the current system.
  { clocks.library() } -> std::convertible_to<machine::LibraryCosts>;
  { clocks.members() } -> std::same_as<std::size_t>;
};

/// All wait for the last one, and pay what the operation costs in the run-time library; returns
/// the clock that they have then (docs/model.md §2.16).
template <Clocks C>
double meet(C& clocks, const Op& op) {
  // Only across_ synchronises for shadow edges without an exchange.
  const bool pipelined = op.kind == Op::Kind::synchronize && op.operation == Operation::shadow;
  const double latest = clocks.synchronize(op.operation, pipelined);
  const double cost = cost_of(op, clocks.library(), clocks.members());
  if (cost > 0.0) {
    clocks.pay(cost, op.operation, pipelined);
  }
  return latest + cost;
}

/// A loop, or the work of everybody if nobody has a part of it (rule 1).
template <Clocks C>
void share(C& clocks, double seconds, PlacementId placement, PortionId portion) {
  if (!clocks.share(seconds, placement, portion)) {
    clocks.work(seconds, 0.0);
  }
}

/// One operation.
template <Clocks C>
void walk(C& clocks, const Script& script, const Op& op) {
  switch (op.kind) {
    case Op::Kind::work:
      clocks.work(op.call, op.ret);
      break;
    case Op::Kind::io_work:
      clocks.io_work(op.call);
      break;
    case Op::Kind::broadcast:
      clocks.broadcast(op.call);
      break;
    case Op::Kind::share:
      share(clocks, op.call, op.placement(), op.portion());
      break;
    case Op::Kind::begin_interval:
      clocks.begin_interval(op.interval());
      break;
    case Op::Kind::end_interval:
      clocks.end_interval();
      break;
    case Op::Kind::enter_view:
      clocks.enter(op.view());
      break;
    case Op::Kind::leave_view:
      clocks.leave(op.view());
      break;
    case Op::Kind::synchronize:
      meet(clocks, op);
      break;
    case Op::Kind::start:
      clocks.start(op.communication(), op.b, meet(clocks, op));
      break;
    case Op::Kind::send:
      clocks.start(op.communication(), op.b, clocks.latest());
      break;
    case Op::Kind::wait:
      clocks.wait(op.b, op.operation);
      break;
    case Op::Kind::transfer:
      clocks.transfer(op.communication(), meet(clocks, op), op.operation, false);
      break;
    case Op::Kind::exchange:
      // Of shadow edges: the old values that an across_ loop reads.
      clocks.transfer(op.communication(), clocks.latest(), op.operation,
                      op.operation == Operation::shadow);
      break;
    case Op::Kind::copied:
      if (!clocks.copied(op.communication(), op.ret)) {
        clocks.work(0.0, op.ret);
      }
      break;
    case Op::Kind::pipeline: {
      const PipelineSpec& spec = script.tables().pipelines[op.pipeline()];
      if (!clocks.pipeline(op.pipeline(), op.call)) {
        share(clocks, op.call, spec.placement, spec.portion);
      }
      clocks.vary();
      break;
    }
    case Op::Kind::block_work:
      clocks.block_work(op.statement());
      break;
    case Op::Kind::repeat:
    case Op::Kind::end_repeat:
      break;  // unrolled() has done its work
  }
}

}  // namespace gridcast::model
