/// The time rules per operation (docs/model.md §2; [Predictor2010 §3]).

#include <algorithm>

#include "gridcast/rules/walk.h"
#include "processor_clocks.h"

namespace gridcast::model {

void ProcessorClocks::run_all() {
  detail_ = ledger_.per_processor() || observer_ != nullptr;
  enter(root_view);
  for (const Op& op : script_->tables().ops) {
    step(op);
  }
  flush();
}

void ProcessorClocks::step(const Op& op) {
  interruption_.check(processors_);
  tell([&](Observer& observer) { observer.operation(op); });
  walk(*this, *script_, op);
}

void ProcessorClocks::begin_interval(IntervalId interval) {
  flush();
  ledger_.begin(interval, clock_, busy_);
  ledger_.involve(members_);
}

void ProcessorClocks::end_interval() {
  flush();
  ledger_.end(clock_, busy_);
}

void ProcessorClocks::io_work(double seconds) {
  const double time = seconds * inverse_[0];
  clock_[0] += time;
  ledger_.add(Field::io, time);
  note(Field::io, 0, time);
  tell([&](Observer& observer) { observer.worked(0, Work::io, time, 0.0); });
}

void ProcessorClocks::work(double call, double ret) {
  pending_work_ += call + ret;
  ledger_.work(call * inverse_sum_, ret * inverse_sum_, static_cast<double>(members_.size()));
  detail_each([&](std::size_t p, std::size_t) {
    const double user = call * inverse_[p];
    const double library = ret * inverse_[p];
    note(Field::cpu, p, user);
    note(Field::sys, p, library);
    note(Field::insufficient_usr, p, user * idle_part_);
    note(Field::insufficient_sys, p, library * idle_part_);
    tell([&](Observer& observer) {
      observer.worked(p, Work::computing, user, user * idle_part_);
      observer.worked(p, Work::library, library, library * idle_part_);
    });
  });
}

void ProcessorClocks::add_computation(double seconds, const Share& share) {
  ledger_.loop(seconds * share.fraction_sum, seconds * share.duplicate_sum,
               seconds * share.once_sum);
  detail_each([&](std::size_t p, std::size_t i) {
    const double own = seconds * share.fraction[i];
    const double repeated = seconds * share.duplicate[i];
    note(Field::cpu, p, own);
    note(Field::insufficient_usr, p, repeated);
    tell([&](Observer& observer) { observer.worked(p, Work::computing, own, repeated); });
  });
}

bool ProcessorClocks::share(double seconds, PlacementId placement, PortionId portion) {
  const Share& share = share_of(placement, portion);
  if (!share.any) {
    return false;
  }
  const double pending = pending_work_;
  pending_work_ = 0.0;
  for_each_current([&](std::size_t p, std::size_t i) {
    const double time = pending * inverse_[p] + seconds * share.fraction[i];
    clock_[p] += time;
    busy_[p] += time;
  });
  add_computation(seconds, share);
  return true;
}

double ProcessorClocks::synchronize(Operation operation, bool pipelined) {
  const double latest = this->latest();
  const std::size_t last = detail_ ? last_processor() : 0;
  double raised = 0.0;
  for_each_current([&](std::size_t p, std::size_t) {
    const double raise = latest - clock_[p];
    raised += raise;
    clock_[p] = latest;
    if (detail_) {
      note(Field::synchronization, p, raise);
      note(of(Field::synch, operation), p, raise);
      note(of(Field::communication, operation), p, raise);
      tell([&](Observer& observer) { observer.waited(p, last, raise); });
    }
  });
  tell([&](Observer& observer) { observer.met(members_, last); });
  ledger_.barrier(operation, raised, pipelined);
  return latest;
}

void ProcessorClocks::pay(double seconds, Operation operation, bool pipelined) {
  for_each_current([&](std::size_t p, std::size_t) {
    clock_[p] += seconds;
    note(of(Field::communication, operation), p, seconds);
    tell([&](Observer& observer) { observer.paid(p, seconds); });
  });
  ledger_.communication(operation, seconds * static_cast<double>(members_.size()), pipelined);
}

bool ProcessorClocks::copied(CommunicationId communication, double ret) {
  const WrittenShares& written = written_of(communication);
  if (!written.any) {
    return false;
  }
  flush();
  double sys = 0.0;
  double insufficient = 0.0;
  double once = 0.0;
  for (std::size_t p = 0; p < processors_; ++p) {
    const double time = ret * inverse_[p] * written.share[p];
    const double duplicate = ret * inverse_[p] * written.duplicate[p];
    once += ret * inverse_[p] * written.once[p];
    clock_[p] += time;
    busy_[p] += time;
    sys += time;
    insufficient += duplicate;
    if (detail_) {
      note(Field::sys, p, time);
      note(Field::insufficient_sys, p, duplicate);
      tell([&](Observer& observer) { observer.worked(p, Work::library, time, duplicate); });
    }
  }
  ledger_.copying(sys, insufficient, once);
  return true;
}

bool ProcessorClocks::pipeline(PipelineId pipeline, double seconds) {
  const PipelineSpec& spec = script_->tables().pipelines[pipeline];
  const Share& whole = share_of(spec.placement, none);
  if (processors_ == 1 || !whole.any || !pipeline_.prepare(spec, seconds)) {
    return false;
  }
  flush();
  pipeline_.run(options_.pipeline, clock_, networks_.front(), pipeline_times_);
  run_pipeline(spec, seconds, whole);
  forget_periods();
  return true;
}

void ProcessorClocks::run_pipeline(const PipelineSpec& spec, double seconds, const Share& whole) {
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
    note(of(Field::communication, Operation::shadow), p, waited);
    note(of(Field::overlap, Operation::shadow), p, pipeline_times_.overlap[local]);
    tell([&](Observer& observer) {
      const double fill = std::min(pipeline_times_.fill[local], waited);
      observer.pipelined(p, fill, waited - fill);
    });
  }
  ledger_.pipeline(waiting, overlap);
  add_computation(seconds, spec.portion != none ? shaped_share(spec, whole) : whole);
}

void ProcessorClocks::vary() {
  const double last = latest();
  double variation = 0.0;
  for_each_current([&](std::size_t p, std::size_t) {
    variation += last - clock_[p];
    note(of(Field::variation, Operation::shadow), p, last - clock_[p]);
  });
  ledger_.variation(Operation::shadow, variation);
}

}  // namespace gridcast::model
