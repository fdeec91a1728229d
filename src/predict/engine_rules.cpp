/// The time rules per operation (docs/model.md §2; [Predictor2010 §3]).

#include <algorithm>
#include <array>
#include <cmath>

#include "engine.h"
#include "loop_sampler.h"

namespace gridcast::model {
template <bool Detail>
void Predictor::Engine::run() {
  enter(0);
  loop_figures_ = {};
  run_range<Detail>(0, script_->tables().ops.size(), repetitions_);
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

template <bool Detail>
void Predictor::Engine::step(const Op& op) {
  switch (op.kind) {
    case Op::Kind::work:
      work<Detail>(op.call, op.ret);
      break;
    case Op::Kind::io_work: {
      const double time = op.call * inverse_[0];
      clock_[0] += time;
      ledger_.add(Field::io, time);
      if constexpr (Detail) {
        ledger_.note(Field::io, 0, time);
      }
      break;
    }
    case Op::Kind::broadcast:
      broadcast<Detail>(op.call);
      break;
    case Op::Kind::share:
      share<Detail>(op);
      break;
    case Op::Kind::begin_interval:
      flush();
      ledger_.begin(op.a, clock_, busy_);
      ledger_.involve(members_);
      break;
    case Op::Kind::end_interval:
      flush();
      ledger_.end(clock_, busy_);
      break;
    case Op::Kind::enter_view:
      flush();
      enter(op.a);
      break;
    case Op::Kind::leave_view:
      flush();
      enter(op.b);
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
      flush();
      if (const double waited = transfer<Detail>(op, latest_clock());
          op.operation == Operation::shadow) {  // old values of across_
        ledger_.add(Field::pipelined, waited);
      }
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
      ledger_.note(Field::cpu, p, call * inverse_[p]);
      ledger_.note(Field::sys, p, ret * inverse_[p]);
      ledger_.note(Field::insufficient_usr, p, call * inverse_[p] * idle_part_);
      ledger_.note(Field::insufficient_sys, p, ret * inverse_[p] * idle_part_);
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
      ledger_.note(Field::cpu, p, op.call * share.fraction[i]);
      ledger_.note(Field::insufficient_usr, p, op.call * share.duplicate[i]);
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
  double raised = 0.0;
  for_each_current([&](std::size_t p, std::size_t) {
    const double raise = latest - clock_[p];
    raised += raise;
    clock_[p] = latest;
    if constexpr (Detail) {
      ledger_.note(Field::synchronization, p, raise);
      ledger_.note(of(Field::synch, operation), p, raise);
      ledger_.note(of(Field::communication, operation), p, raise);
    }
  });
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
        ledger_.note(of(Field::communication, op.operation), p, cost);
      }
    });
    ledger_.add(of(Field::communication, op.operation),
                cost * static_cast<double>(members_.size()));
  }
  return barrier.latest + cost;
}

template <bool Detail>
void Predictor::Engine::wait(const Op& op) {
  const Pending& pending = pending_[op.b];
  flush();
  if (pending.ends == nullptr) {
    return;  // it ended when it began: nothing to wait for, nothing to hide
  }
  if (!Detail && pending.view == current_ && pending.profiled != nullptr &&
      pending.overheads == nullptr) {
    wait_profiled(op.operation, pending);
    return;
  }
  double waiting = 0.0;
  double overlap = 0.0;
  double variation = 0.0;
  double last = pending.start;
  const bool same_view = pending.view == current_;
  const mapping::ProcessorView& started_on = mapping_.view(pending.view);
  const auto takes_part = [&](std::size_t p) {
    return same_view || started_on.local(static_cast<std::uint32_t>(p)) >= 0;
  };
  const auto end_of = [&](std::size_t p) { return pending.base + (*pending.ends)[p]; };
  for_each_current([&](std::size_t p, std::size_t) {
    if (takes_part(p)) {
      last = std::max(last, end_of(p));
    }
  });
  for_each_current([&](std::size_t p, std::size_t) {
    if (!takes_part(p)) {
      return;
    }
    const double end = end_of(p);
    const double own = overhead(pending, p);
    const double computed = std::max(std::min(clock_[p], end - own) - pending.start, 0.0);
    overlap += computed;
    variation += last - end;
    const double waited = std::max(end - clock_[p], own);
    waiting += waited;
    clock_[p] = std::max(clock_[p] + own, end);
    if constexpr (Detail) {
      ledger_.note(of(Field::overlap, op.operation), p, computed);
      ledger_.note(of(Field::communication, op.operation), p, waited);
      ledger_.note(Field::time_variation, p, last - end);
    }
  });
  ledger_.add(of(Field::overlap, op.operation), overlap);
  ledger_.add(of(Field::communication, op.operation), waiting);
  ledger_.add(Field::time_variation, variation);
}

void Predictor::Engine::wait_profiled(Operation operation, const Pending& pending) {
  // The common case of the search: same processors, networks idle, sums only.
  double waiting = 0.0;
  double overlap = 0.0;
  const double start = pending.start;
  const double* const ends = pending.ends->data();
  double* const clocks = clock_.data();
  for_each_current([&](std::size_t p, std::size_t) {
    const double end = start + ends[p];
    const double clock = clocks[p];
    overlap += std::max(std::min(clock, end) - start, 0.0);
    waiting += std::max(end - clock, 0.0);
    clocks[p] = std::max(clock, end);
  });
  ledger_.add(of(Field::overlap, operation), overlap);
  ledger_.add(of(Field::communication, operation), waiting);
  ledger_.add(Field::time_variation, pending.profiled->variation);
}

template <bool Detail>
double Predictor::Engine::transfer(const Op& op, double start) {
  Timed& communication = timed(op.a);
  launch(communication, start, blocking_);
  if (blocking_.ends == nullptr) {
    return 0.0;
  }
  double waiting = 0.0;
  concerned_.assign(processors_, 0);
  const auto raise = [&](std::size_t p) {
    if (concerned_[p] != 0) {
      return;
    }
    concerned_[p] = 1;
    const double own = overhead(blocking_, p);
    const double end = blocking_.base + (*blocking_.ends)[p];
    const double waited = std::max(end - clock_[p], own);
    if (waited > 0.0) {
      waiting += waited;
      clock_[p] = std::max(clock_[p] + own, end);
      if constexpr (Detail) {
        ledger_.note(of(Field::communication, op.operation), p, waited);
      }
    }
  };
  // Those that send or receive, in no time as well; holders outside the current processor system
  // too.
  for (const network::Transfer& transfer : communication.transfers.communication.transfers) {
    raise(transfer.from);
    raise(transfer.to);
  }
  ledger_.add(of(Field::communication, op.operation), waiting);
  double variation = 0.0;
  double last = start;
  for_each_current([&](std::size_t p, std::size_t) {
    last = std::max(last, blocking_.base + (*blocking_.ends)[p]);
  });
  for_each_current([&](std::size_t p, std::size_t) {
    const double later = last - (blocking_.base + (*blocking_.ends)[p]);
    variation += later;
    if constexpr (Detail) {
      ledger_.note(Field::time_variation, p, later);
    }
  });
  ledger_.add(Field::time_variation, variation);
  return waiting;
}

template <bool Detail>
void Predictor::Engine::broadcast(double bytes) {
  flush();
  Timed& communication = timed_broadcast(bytes);
  const double start = clock_[0];
  launch(communication, start, blocking_);
  if (blocking_.ends == nullptr) {
    return;
  }
  double raised = 0.0;
  double synch = 0.0;
  for_each_current([&](std::size_t p, std::size_t) {
    const double end = blocking_.base + (*blocking_.ends)[p];
    const double own = overhead(blocking_, p);
    const double raise = std::max(end - clock_[p], own);
    if (p == 0 || !(raise > 0.0)) {
      return;
    }
    const double late = std::max(start - clock_[p], 0.0);
    raised += raise;
    synch += late;
    if constexpr (Detail) {
      ledger_.note(of(Field::communication, Operation::io), p, raise);
      ledger_.note(of(Field::synch, Operation::io), p, late);
      ledger_.note(Field::synchronization, p, late);
    }
    clock_[p] = std::max(clock_[p] + own, end);
  });
  // Processor 0 does not wait, but sends.
  const double sends = overhead(blocking_, 0);
  clock_[0] += sends;
  raised += sends;
  if constexpr (Detail) {
    ledger_.note(of(Field::communication, Operation::io), 0, sends);
  }
  ledger_.add(of(Field::communication, Operation::io), raised);
  ledger_.add(of(Field::synch, Operation::io), synch);
  ledger_.add(Field::synchronization, synch);
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
      ledger_.note(Field::sys, p, time);
      ledger_.note(Field::insufficient_sys, p, duplicate);
    }
  }
  ledger_.add(Field::sys, sys);
  ledger_.add(Field::insufficient_sys, insufficient);
  ledger_.add(Field::productive_sys, once);
}

template <bool Detail>
void Predictor::Engine::pipeline(const Op& op) {
  const PipelineSpec& spec = script_->tables().pipelines[op.a];
  const Share& part = share_of(spec.placement, none);
  if (processors_ == 1 || !part.any || !pipeline_.prepare(spec, op.call)) {
    Op plain = op;
    plain.kind = Op::Kind::share;
    plain.a = spec.placement;
    plain.b = none;
    share<Detail>(plain);
    flush();
  } else {
    flush();
    pipeline_.run(options_.pipeline, clock_, networks_.front(), pipeline_times_);
    const mapping::ProcessorView& on = mapping_.layout(spec.placement).view();
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
        ledger_.note(of(Field::communication, Operation::shadow), p, waited);
        ledger_.note(of(Field::overlap, Operation::shadow), p, pipeline_times_.overlap[local]);
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
        ledger_.note(Field::cpu, p, op.call * part.fraction[i]);
        ledger_.note(Field::insufficient_usr, p, op.call * part.duplicate[i]);
      });
    }
    forget_periods();
  }
  const double last = latest_clock();
  double variation = 0.0;
  for_each_current([&](std::size_t p, std::size_t) {
    variation += last - clock_[p];
    if constexpr (Detail) {
      ledger_.note(Field::time_variation, p, last - clock_[p]);
    }
  });
  ledger_.add(Field::time_variation, variation);
}

template void Predictor::Engine::run<false>();
template void Predictor::Engine::run<true>();
template void Predictor::Engine::step<false>(const Op&);
template void Predictor::Engine::step<true>(const Op&);
template Predictor::Engine::Barrier Predictor::Engine::synchronize<false>(Operation);
template Predictor::Engine::Barrier Predictor::Engine::synchronize<true>(Operation);

}  // namespace gridcast::model
