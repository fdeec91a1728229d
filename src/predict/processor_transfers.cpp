/// The time rules of transfers (docs/model.md §2.2, §2.4, §2.5).

#include <algorithm>
#include <iterator>

#include "processor_clocks.h"

namespace gridcast::model {

void ProcessorClocks::start(CommunicationId communication, std::uint32_t token, double start) {
  launch({communication}, start, pending_[token]);
}

void ProcessorClocks::wait(std::uint32_t token, Operation operation) {
  const Pending& pending = pending_[token];
  flush();
  if (pending.ends.empty()) {
    return;  // it ended when it began: nothing to wait for, nothing to hide
  }
  std::span<const std::uint32_t> processors = members_;
  std::vector<std::uint32_t> both;  // those here that were there when it started
  if (pending.view != current_) {
    const mapping::ProcessorView& on = details_->mapping().view(pending.view);
    std::copy_if(members_.begin(), members_.end(), std::back_inserter(both),
                 [&](std::uint32_t p) { return on.local(p) >= 0; });
    processors = both;
  }
  double last = 0.0;
  for_each(processors, [&](std::size_t p) { last = std::max(last, pending.ends[p]); });
  const auto hidden = [&](std::size_t p) {
    const double until = std::min(clock_[p], pending.end(p) - pending.overhead(p));
    return std::max(until - pending.start, 0.0);
  };
  if (detail_) {
    for_each(processors, [&](std::size_t p) {
      const double waited = pending.waited(p, clock_[p]);
      ledger_.here(p).wait(operation, waited, hidden(p), last - pending.ends[p]);
      tell([&](Observer& observer) {
        observer.transferred(p, waited, pending.known->transfers, pending.ends[p]);
      });
    });
  }
  double waiting = 0.0;
  double overlap = 0.0;
  double variation = 0.0;
  for_each(processors, [&](std::size_t p) {
    overlap += hidden(p);
    variation += last - pending.ends[p];
    waiting += pending.waited(p, clock_[p]);
    clock_[p] = pending.raised(p, clock_[p]);
  });
  ledger_.here().wait(operation, waiting, overlap, variation);
}

void ProcessorClocks::transfer(CommunicationId id, double start, Operation operation,
                               bool pipelined) {
  flush();
  launch({id}, start, blocking_);
  if (blocking_.ends.empty()) {
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
                             blocking_.ends[p]);
      });
    }
    clock_[p] = blocking_.raised(p, clock_[p]);
  });
  ledger_.here().communication(operation, waiting, pipelined);
  double variation = 0.0;
  double last = 0.0;
  for_each_current([&](std::size_t p) { last = std::max(last, blocking_.ends[p]); });
  for_each_current([&](std::size_t p) {
    variation += last - blocking_.ends[p];
    if (detail_) {
      ledger_.here(p).variation(operation, last - blocking_.ends[p]);
    }
  });
  ledger_.here().variation(operation, variation);
}

void ProcessorClocks::broadcast(double bytes) {
  flush();
  const double start = clock_[0];
  launch({none, bytes, current_}, start, blocking_);
  if (blocking_.ends.empty()) {
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
        observer.transferred(p, waited - late, blocking_.known->transfers, blocking_.ends[p]);
      });
    }
    clock_[p] = blocking_.raised(p, clock_[p]);
  });
  // Processor 0 does not wait, but sends.
  const double sends = blocking_.overhead(0);
  clock_[0] += sends;
  ledger_.here(0).broadcast(sends, 0.0);
  tell([&](Observer& observer) { observer.paid(0, sends); });
  ledger_.here().broadcast(raised + sends, synch);
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
