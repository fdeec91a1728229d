/// The time rules per operation (docs/model.md §2; [Predictor2010 §3]).

#include <algorithm>
#include <array>
#include <cmath>

#include "engine.h"
#include "loop_sampler.h"

namespace gridcast::model {
template <bool Detail>
void Predictor::Engine::run(std::span<const Repetition> loops) {
  enter(0);
  loop_figures_ = {};
  run_range<Detail>(0, script_->tables().ops.size(), loops);
  flush();
  ledger_.finish(clock_, busy_, results_);
}

template <bool Detail>
void Predictor::Engine::run_range(std::size_t begin, std::size_t end,
                                  std::span<const Repetition> loops) {
  const std::span<const Op> ops = script_->tables().ops;
  std::size_t at = begin;
  for (const Repetition& loop : loops) {
    for (; at < begin + loop.begin; ++at) {
      step<Detail>(ops[at]);
    }
    at = LoopSampler(*this, loop, at).run();
    for (; at < begin + loop.end(); at += loop.period) {
      run_range<Detail>(at, at + loop.period, loop.nested);
    }
  }
  for (; at < end; ++at) {
    step<Detail>(ops[at]);
  }
}

void Predictor::Engine::enter_or_leave(const Op& op) {
  flush();
  if (op.kind == Op::Kind::begin_interval) {
    ledger_.begin(op.a, clock_, busy_);
    ledger_.involve(members_);
  } else if (op.kind == Op::Kind::end_interval) {
    ledger_.end(clock_, busy_);
  } else {
    enter(op.kind == Op::Kind::enter_view ? op.a : op.b);
  }
}

template <bool Detail>
void Predictor::Engine::step(const Op& op) {
  interruption_.check(processors_);
  if constexpr (Detail) {
    tell([&](Observer& observer) { observer.operation(op); });
  }
  switch (op.kind) {
    case Op::Kind::work:
      work<Detail>(op.call, op.ret);
      break;
    case Op::Kind::io_work:
      io_work<Detail>(op.call);
      break;
    case Op::Kind::broadcast:
      broadcast<Detail>(op.call);
      break;
    case Op::Kind::share:
      share<Detail>(op);
      break;
    case Op::Kind::begin_interval:
    case Op::Kind::end_interval:
    case Op::Kind::enter_view:
    case Op::Kind::leave_view:
      enter_or_leave(op);
      break;
    case Op::Kind::synchronize:
      start_of<Detail>(op);
      break;
    case Op::Kind::start: {
      Timed& communication = timed(op.a);
      const double start = start_of<Detail>(op);
      launch(communication, start, pending_[op.b]);
      break;
    }
    case Op::Kind::send: {
      flush();
      launch(timed(op.a), latest_clock(), pending_[op.b]);
      break;
    }
    case Op::Kind::wait:
      wait<Detail>(op);
      break;
    case Op::Kind::transfer:
      transfer<Detail>(op, start_of<Detail>(op));
      break;
    case Op::Kind::exchange:
      exchange<Detail>(op);
      break;
    case Op::Kind::copied:
      copied<Detail>(op);
      break;
    case Op::Kind::pipeline:
      pipeline<Detail>(op);
      break;
  }
}

template <bool Detail>
void Predictor::Engine::io_work(double seconds) {
  const double time = seconds * inverse_[0];
  clock_[0] += time;
  ledger_.add(Field::io, time);
  if constexpr (Detail) {
    note(Field::io, 0, time);
    tell([&](Observer& observer) { observer.worked(0, Work::io, time, 0.0); });
  }
}

template <bool Detail>
void Predictor::Engine::exchange(const Op& op) {
  flush();
  const double waited = transfer<Detail>(op, latest_clock());
  if (op.operation == Operation::shadow) {  // old values of across_
    ledger_.add(Field::pipelined, waited);
  }
}

template <bool Detail>
void Predictor::Engine::work(double call, double ret) {
  pending_work_ += call + ret;
  const double cpu = call * inverse_sum_;
  const double sys = ret * inverse_sum_;
  ledger_.add(Field::cpu, cpu);
  ledger_.add(Field::sys, sys);
  ledger_.add(Field::insufficient_usr, cpu * idle_part_);
  ledger_.add(Field::insufficient_sys, sys * idle_part_);
  ledger_.add(Field::productive_cpu, call * mean_inverse_);
  ledger_.add(Field::productive_sys, ret * mean_inverse_);
  if constexpr (Detail) {
    for_each_current([&](std::size_t p, std::size_t) {
      note(Field::cpu, p, call * inverse_[p]);
      note(Field::sys, p, ret * inverse_[p]);
      note(Field::insufficient_usr, p, call * inverse_[p] * idle_part_);
      note(Field::insufficient_sys, p, ret * inverse_[p] * idle_part_);
      tell([&](Observer& observer) {
        const double user = call * inverse_[p];
        const double library = ret * inverse_[p];
        observer.worked(p, Work::computing, user, user * idle_part_);
        observer.worked(p, Work::library, library, library * idle_part_);
      });
    });
  }
}

template <bool Detail>
void Predictor::Engine::share(const Op& op) {
  const Share& share = share_of(op.a, op.b);
  if (!share.any) {
    work<Detail>(op.call, 0.0);
    return;
  }
  const double pending = pending_work_;
  pending_work_ = 0.0;
  for_each_current([&](std::size_t p, std::size_t i) {
    const double time = pending * inverse_[p] + op.call * share.fraction[i];
    clock_[p] += time;
    busy_[p] += time;
    if constexpr (Detail) {
      note(Field::cpu, p, op.call * share.fraction[i]);
      note(Field::insufficient_usr, p, op.call * share.duplicate[i]);
      tell([&](Observer& observer) {
        observer.worked(p, Work::computing, op.call * share.fraction[i],
                        op.call * share.duplicate[i]);
      });
    }
  });
  ledger_.add(Field::cpu, op.call * share.fraction_sum);
  ledger_.add(Field::insufficient_usr, op.call * share.duplicate_sum);
  ledger_.add(Field::productive_cpu, op.call * share.once_sum);
}

template <bool Detail>
Predictor::Engine::Barrier Predictor::Engine::synchronize(Operation operation) {
  flush();
  const double latest = latest_clock();
  const std::size_t last = Detail ? last_processor() : 0;
  double raised = 0.0;
  for_each_current([&](std::size_t p, std::size_t) {
    const double raise = latest - clock_[p];
    raised += raise;
    clock_[p] = latest;
    if constexpr (Detail) {
      note(Field::synchronization, p, raise);
      note(of(Field::synch, operation), p, raise);
      note(of(Field::communication, operation), p, raise);
      tell([&](Observer& observer) { observer.waited(p, last, raise); });
    }
  });
  if constexpr (Detail) {
    tell([&](Observer& observer) { observer.met(members_, last); });
  }
  ledger_.add(Field::synchronization, raised);
  ledger_.add(of(Field::synch, operation), raised);
  ledger_.add(of(Field::communication, operation), raised);
  return {latest, raised};
}

template <bool Detail>
double Predictor::Engine::start_of(const Op& op) {
  const Barrier barrier = synchronize<Detail>(op.operation);
  const double cost = cost_of(op, system_.library, members_.size());
  if (op.kind == Op::Kind::synchronize && op.operation == Operation::shadow) {
    // Only across_ synchronises without an exchange.
    ledger_.add(Field::pipelined, barrier.raised + cost * static_cast<double>(members_.size()));
    ledger_.add(Field::pipelined_synch, barrier.raised);
  }
  if (cost > 0.0) {
    for_each_current([&](std::size_t p, std::size_t) {
      clock_[p] += cost;
      if constexpr (Detail) {
        note(of(Field::communication, op.operation), p, cost);
        tell([&](Observer& observer) { observer.paid(p, cost); });
      }
    });
    ledger_.add(of(Field::communication, op.operation),
                cost * static_cast<double>(members_.size()));
  }
  return barrier.latest + cost;
}

template <bool Detail>
void Predictor::Engine::copied(const Op& op) {
  const WrittenShares& written = written_of(op.a);
  if (!written.any) {
    work<Detail>(0.0, op.ret);
    return;
  }
  flush();
  double sys = 0.0;
  double insufficient = 0.0;
  double once = 0.0;
  for (std::size_t p = 0; p < processors_; ++p) {
    const double time = op.ret * inverse_[p] * written.share[p];
    const double duplicate = op.ret * inverse_[p] * written.duplicate[p];
    once += op.ret * inverse_[p] * written.once[p];
    clock_[p] += time;
    busy_[p] += time;
    sys += time;
    insufficient += duplicate;
    if constexpr (Detail) {
      note(Field::sys, p, time);
      note(Field::insufficient_sys, p, duplicate);
      tell([&](Observer& observer) { observer.worked(p, Work::library, time, duplicate); });
    }
  }
  ledger_.add(Field::sys, sys);
  ledger_.add(Field::insufficient_sys, insufficient);
  ledger_.add(Field::productive_sys, once);
}

template <bool Detail>
void Predictor::Engine::run_pipeline(const Op& op, const Share& whole, bool shaped) {
  pipeline_.run(options_.pipeline, clock_, networks_.front(), pipeline_times_);
  const Share& part = shaped ? shaped_share(op, whole) : whole;
  const mapping::ProcessorView& on =
      mapping_.layout(script_->tables().pipelines[op.a].placement).view();
  double waiting = 0.0;
  double overlap = 0.0;
  for (std::size_t local = 0; local < on.size(); ++local) {
    const std::uint32_t p = on.processors()[local];
    const double waited = pipeline_times_.waiting[local];
    // What is not waiting is computing: the share of the loop that is accounted below.
    busy_[p] += pipeline_times_.finish[local] - clock_[p] - waited;
    clock_[p] = pipeline_times_.finish[local];
    waiting += waited;
    overlap += pipeline_times_.overlap[local];
    if constexpr (Detail) {
      note(of(Field::communication, Operation::shadow), p, waited);
      note(of(Field::overlap, Operation::shadow), p, pipeline_times_.overlap[local]);
      tell([&](Observer& observer) {
        const double fill = std::min(pipeline_times_.fill[local], waited);
        observer.pipelined(p, fill, waited - fill);
      });
    }
  }
  ledger_.add(of(Field::communication, Operation::shadow), waiting);
  ledger_.add(of(Field::overlap, Operation::shadow), overlap);
  ledger_.add(Field::pipelined, waiting);
  ledger_.add(Field::pipelined_overlap, overlap);
  ledger_.add(Field::cpu, op.call * part.fraction_sum);
  ledger_.add(Field::insufficient_usr, op.call * part.duplicate_sum);
  ledger_.add(Field::productive_cpu, op.call * part.once_sum);
  if constexpr (Detail) {
    for_each_current([&](std::size_t p, std::size_t i) {
      note(Field::cpu, p, op.call * part.fraction[i]);
      note(Field::insufficient_usr, p, op.call * part.duplicate[i]);
      tell([&](Observer& observer) {
        observer.worked(p, Work::computing, op.call * part.fraction[i],
                        op.call * part.duplicate[i]);
      });
    });
  }
  forget_periods();
}

template <bool Detail>
void Predictor::Engine::pipeline(const Op& op) {
  const PipelineSpec& spec = script_->tables().pipelines[op.a];
  const Share& part = share_of(spec.placement, none);
  if (processors_ == 1 || !part.any || !pipeline_.prepare(spec, op.call)) {
    Op plain = op;
    plain.kind = Op::Kind::share;
    plain.a = spec.placement;
    plain.b = spec.portion;
    share<Detail>(plain);
    flush();
  } else {
    flush();
    run_pipeline<Detail>(op, part, spec.portion != none);
  }
  const double last = latest_clock();
  double variation = 0.0;
  for_each_current([&](std::size_t p, std::size_t) {
    variation += last - clock_[p];
    if constexpr (Detail) {
      note(of(Field::variation, Operation::shadow), p, last - clock_[p]);
    }
  });
  ledger_.add(of(Field::variation, Operation::shadow), variation);
}

template void Predictor::Engine::run<false>(std::span<const Repetition>);
template void Predictor::Engine::run<true>(std::span<const Repetition>);
template void Predictor::Engine::step<false>(const Op&);
template void Predictor::Engine::step<true>(const Op&);
template Predictor::Engine::Barrier Predictor::Engine::synchronize<false>(Operation);
template Predictor::Engine::Barrier Predictor::Engine::synchronize<true>(Operation);

}  // namespace gridcast::model
