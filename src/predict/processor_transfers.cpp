/// The time rules of transfers (docs/model.md §2.2, §2.4, §2.5).

#include <algorithm>

#include "processor_clocks.h"

namespace gridcast::model {

void ProcessorClocks::start(CommunicationId communication, std::uint32_t token, double start) {
  launch(timed(communication), start, pending_[token]);
}

void ProcessorClocks::wait(std::uint32_t token, Operation operation) {
  const Pending& pending = pending_[token];
  flush();
  if (pending.ends == nullptr) {
    return;  // it ended when it began: nothing to wait for, nothing to hide
  }
  if (!detail_ && pending.view == current_ && pending.profiled != nullptr &&
      pending.overheads == nullptr) {
    wait_profiled(operation, pending);
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
    if (detail_) {
      note(of(Field::overlap, operation), p, computed);
      note(of(Field::communication, operation), p, waited);
      note(of(Field::variation, operation), p, last - end);
      tell([&](Observer& observer) {
        observer.transferred(p, waited, *pending.transfers, end - pending.start);
      });
    }
  });
  ledger_.wait(operation, waiting, overlap, variation);
}

void ProcessorClocks::wait_profiled(Operation operation, const Pending& pending) {
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
  ledger_.wait(operation, waiting, overlap, pending.profiled->variation);
}

void ProcessorClocks::transfer(CommunicationId id, double start, Operation operation,
                               bool pipelined) {
  flush();
  Timed& communication = timed(id);
  launch(communication, start, blocking_);
  if (blocking_.ends == nullptr) {
    return;
  }
  double waiting = 0.0;
  if (observer_ != nullptr) {
    tell_latecomers(communication.transfers.communication, start);
  }
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
      const double late = detail_ ? late_for(blocking_, start, p) : 0.0;
      clock_[p] = std::max(clock_[p] + own, end);
      if (detail_) {
        note(of(Field::communication, operation), p, waited);
        tell([&](Observer& observer) {
          observer.transferred(p, waited - late, communication.transfers, end - start);
        });
      }
    }
  };
  // Those that send or receive, in no time as well; holders outside the current processor system
  // too.
  for (const network::Transfer& transfer : communication.transfers.communication.transfers) {
    raise(transfer.from);
    raise(transfer.to);
  }
  ledger_.communication(operation, waiting, pipelined);
  add_variation(operation, start);
}

void ProcessorClocks::add_variation(Operation operation, double start) {
  double variation = 0.0;
  double last = start;
  for_each_current([&](std::size_t p, std::size_t) {
    last = std::max(last, blocking_.base + (*blocking_.ends)[p]);
  });
  for_each_current([&](std::size_t p, std::size_t) {
    const double later = last - (blocking_.base + (*blocking_.ends)[p]);
    variation += later;
    note(of(Field::variation, operation), p, later);
  });
  ledger_.variation(operation, variation);
}

void ProcessorClocks::broadcast(double bytes) {
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
    if (detail_) {
      note(of(Field::communication, Operation::io), p, raise);
      note(of(Field::synch, Operation::io), p, late);
      note(Field::synchronization, p, late);
      tell_late(p, 0, late);
      tell([&](Observer& observer) {
        observer.transferred(p, raise - late, communication.transfers, end - start);
      });
    }
    clock_[p] = std::max(clock_[p] + own, end);
  });
  // Processor 0 does not wait, but sends.
  const double sends = overhead(blocking_, 0);
  clock_[0] += sends;
  raised += sends;
  if (detail_) {
    note(of(Field::communication, Operation::io), 0, sends);
    tell([&](Observer& observer) { observer.paid(0, sends); });
  }
  ledger_.broadcast(raised, synch);
}

void ProcessorClocks::tell_late(std::size_t processor, std::size_t last, double seconds) {
  if (observer_ != nullptr && seconds > 0.0) {
    observer_->waited(processor, last, seconds);
    const auto late = static_cast<std::uint32_t>(processor);
    observer_->met({&late, 1}, last);
  }
}

double ProcessorClocks::late_for(const Pending& pending, double start, std::size_t p) const {
  const double end = pending.base + (*pending.ends)[p];
  const double waited = std::max(end - clock_[p], overhead(pending, p));
  return std::clamp(start - clock_[p], 0.0, std::max(waited, 0.0));
}

void ProcessorClocks::tell_latecomers(const network::Communication& communication, double start) {
  const std::size_t last = last_processor();
  concerned_.assign(processors_, 0);
  for (const network::Transfer& transfer : communication.transfers) {
    for (const std::uint32_t p : {transfer.from, transfer.to}) {
      if (concerned_[p] == 0) {
        concerned_[p] = 1;
        tell_late(p, last, late_for(blocking_, start, p));
      }
    }
  }
}

}  // namespace gridcast::model
