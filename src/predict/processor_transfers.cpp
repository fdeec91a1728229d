/// The time rules of transfers (docs/model.md §2.2, §2.4, §2.5).

#include <algorithm>

#include "processor_clocks.h"

namespace gridcast::model {

void ProcessorClocks::start(CommunicationId communication, std::uint32_t token, double start) {
  launch({communication}, start, pending_[token]);
}

void ProcessorClocks::wait(std::uint32_t token, Operation operation) {
  const Pending& pending = pending_[token];
  flush();
  if (pending.silent) {
    return;  // it ended when it began: nothing to wait for, nothing to hide
  }
  if (!detail_ && pending.view == current_ && pending.alone &&
      pending.known->idle.overheads.empty()) {
    wait_alone(operation, pending);
    return;
  }
  double waiting = 0.0;
  double overlap = 0.0;
  double variation = 0.0;
  double last = pending.start;
  const mapping::ProcessorView& started_on = details_->mapping().view(pending.view);
  const auto for_each_waiting = [&](auto&& f) {
    for_each_current([&](std::size_t p) {
      if (pending.view == current_ || started_on.local(static_cast<std::uint32_t>(p)) >= 0) {
        f(p);
      }
    });
  };
  for_each_waiting([&](std::size_t p) { last = std::max(last, pending.end(p)); });
  for_each_waiting([&](std::size_t p) {
    const double end = pending.end(p);
    const double own = pending.overhead(p);
    const double computed = std::max(std::min(clock_[p], end - own) - pending.start, 0.0);
    const double waited = pending.waited(p, clock_[p]);
    overlap += computed;
    variation += last - end;
    waiting += waited;
    clock_[p] = std::max(clock_[p] + own, end);
    if (detail_) {
      ledger_.here(p).wait(operation, waited, computed, last - end);
      tell([&](Observer& observer) {
        observer.transferred(p, waited, pending.known->transfers, end - pending.start);
      });
    }
  });
  ledger_.here().wait(operation, waiting, overlap, variation);
}

void ProcessorClocks::wait_alone(Operation operation, const Pending& pending) {
  // The common case of the search: same processors, networks idle, sums only.
  double waiting = 0.0;
  double overlap = 0.0;
  const double start = pending.start;
  const double* const ends = pending.known->idle.ends.data();
  double* const clocks = clock_.data();
  for_each_current([&](std::size_t p) {
    const double end = start + ends[p];
    const double clock = clocks[p];
    overlap += std::max(std::min(clock, end) - start, 0.0);
    waiting += std::max(end - clock, 0.0);
    clocks[p] = std::max(clock, end);
  });
  ledger_.here().wait(operation, waiting, overlap, pending.known->variation);
}

void ProcessorClocks::transfer(CommunicationId id, double start, Operation operation,
                               bool pipelined) {
  flush();
  launch({id}, start, blocking_);
  if (blocking_.silent) {
    return;
  }
  if (observer_ != nullptr) {
    tell_latecomers(start);
  }
  double waiting = 0.0;
  // Those that send or receive, in no time as well; holders outside the current processor system
  // too.
  for_each_in(blocking_.known->transfers.communication, [&](std::size_t p) {
    const double waited = blocking_.waited(p, clock_[p]);
    if (!(waited > 0.0)) {
      return;
    }
    waiting += waited;
    if (detail_) {
      ledger_.here(p).communication(operation, waited, pipelined);
      tell([&](Observer& observer) {
        observer.transferred(p, waited - late_for(p, start), blocking_.known->transfers,
                             blocking_.end(p) - start);
      });
    }
    raise(p);
  });
  ledger_.here().communication(operation, waiting, pipelined);
  double variation = 0.0;
  double last = start;
  for_each_current([&](std::size_t p) { last = std::max(last, blocking_.end(p)); });
  for_each_current([&](std::size_t p) {
    variation += last - blocking_.end(p);
    if (detail_) {
      ledger_.here(p).variation(operation, last - blocking_.end(p));
    }
  });
  ledger_.here().variation(operation, variation);
}

void ProcessorClocks::broadcast(double bytes) {
  flush();
  const double start = clock_[0];
  launch({none, bytes, current_}, start, blocking_);
  if (blocking_.silent) {
    return;
  }
  double raised = 0.0;
  double synch = 0.0;
  for_each_current([&](std::size_t p) {
    const double waited = blocking_.waited(p, clock_[p]);
    if (p == 0 || !(waited > 0.0)) {
      return;
    }
    const double late = std::max(start - clock_[p], 0.0);
    raised += waited;
    synch += late;
    if (detail_) {
      ledger_.here(p).broadcast(waited, late);
      tell_late(p, 0, late);
      tell([&](Observer& observer) {
        observer.transferred(p, waited - late, blocking_.known->transfers,
                             blocking_.end(p) - start);
      });
    }
    raise(p);
  });
  // Processor 0 does not wait, but sends.
  const double sends = blocking_.overhead(0);
  clock_[0] += sends;
  ledger_.here(0).broadcast(sends, 0.0);
  tell([&](Observer& observer) { observer.paid(0, sends); });
  ledger_.here().broadcast(raised + sends, synch);
}

void ProcessorClocks::raise(std::size_t p) noexcept {
  clock_[p] = std::max(clock_[p] + blocking_.overhead(p), blocking_.end(p));
}

void ProcessorClocks::tell_late(std::size_t processor, std::size_t last, double seconds) {
  if (observer_ != nullptr && seconds > 0.0) {
    observer_->waited(processor, last, seconds);
    const auto late = static_cast<std::uint32_t>(processor);
    observer_->met({&late, 1}, last);
  }
}

double ProcessorClocks::late_for(std::size_t p, double start) const {
  return std::clamp(start - clock_[p], 0.0, std::max(blocking_.waited(p, clock_[p]), 0.0));
}

void ProcessorClocks::tell_latecomers(double start) {
  const std::size_t last = last_processor();
  for_each_in(blocking_.known->transfers.communication,
              [&](std::size_t p) { tell_late(p, last, late_for(p, start)); });
}

}  // namespace gridcast::model
