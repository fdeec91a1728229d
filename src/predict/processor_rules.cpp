/// The time rules per operation (docs/model.md §2; [Predictor2010 §3]).

#include <algorithm>
#include <utility>

#include "processor_clocks.h"

namespace gridcast::model {

void ProcessorClocks::io_work(double seconds) {
  const double time = seconds * everyone_.parts[0];
  clock_[0] += time;
  ledger_.here().times.io_time += time;
  ledger_.here(0).times.io_time += time;
  tell([&](Observer& observer) { observer.worked(0, Work::io, time, 0.0); });
}

void ProcessorClocks::work(double call, double ret) {
  pending_work_ += call + ret;
  count(call, everyone_, Work::computing, members_);
  count(ret, everyone_, Work::library, members_);
}

void ProcessorClocks::spend(double seconds, const Share& share, Work work,
                            std::span<const std::uint32_t> processors) {
  const double pending = std::exchange(pending_work_, 0.0);
  for_each(processors, [&](std::size_t p) {
    const double time = pending * everyone_.parts[p] + seconds * share.parts[p];
    clock_[p] += time;
    busy_[p] += time;
  });
  count(seconds, share, work, processors);
}

void ProcessorClocks::count(double seconds, const Share& share, Work work,
                            std::span<const std::uint32_t> processors) {
  const auto add = work == Work::library ? &IntervalSums::copying : &IntervalSums::loop;
  (ledger_.here().*add)(seconds * share.sum, seconds * share.once_sum);
  if (!detail_) {
    return;
  }
  for_each(processors, [&](std::size_t p) {
    const double own = seconds * share.parts[p];
    const double once = seconds * share.once[p];
    (ledger_.here(p).*add)(own, once);
    tell([&](Observer& observer) { observer.worked(p, work, own, own - once); });
  });
}

bool ProcessorClocks::share(double seconds, PlacementId placement, PortionId portion) {
  const Share& share = details_->share(placement, portion, current_);
  if (share.any) {
    spend(seconds, share, Work::computing, members_);
  }
  return share.any;
}

bool ProcessorClocks::copied(CommunicationId communication, double ret) {
  const Share& written = details_->written(communication);
  if (written.any) {
    flush();
    spend(ret, written, Work::library, details_->mapping().view(root_view).processors());
  }
  return written.any;
}

double ProcessorClocks::synchronize(Operation operation, bool pipelined) {
  const double latest = this->latest();
  const std::size_t last = detail_ ? last_processor() : 0;
  double raised = 0.0;
  for_each_current([&](std::size_t p) {
    const double raise = latest - clock_[p];
    raised += raise;
    clock_[p] = latest;
    if (detail_) {
      ledger_.here(p).barrier(operation, raise, pipelined);
      tell([&](Observer& observer) { observer.waited(p, last, raise); });
    }
  });
  tell([&](Observer& observer) { observer.met(members_, last); });
  ledger_.here().barrier(operation, raised, pipelined);
  if (current_ == root_view) {
    details_->networks().starts_from(latest);
  }
  return latest;
}

void ProcessorClocks::pay(double seconds, Operation operation, bool pipelined) {
  for_each_current([&](std::size_t p) {
    clock_[p] += seconds;
    if (detail_) {
      ledger_.here(p).communication(operation, seconds, pipelined);
      tell([&](Observer& observer) { observer.paid(p, seconds); });
    }
  });
  ledger_.here().communication(operation, seconds * static_cast<double>(members_.size()),
                               pipelined);
}

bool ProcessorClocks::pipeline(PipelineId pipeline, double seconds) {
  const PipelineSpec& spec = script_->tables().pipelines[pipeline];
  const Share& whole = details_->share(spec.placement, none, current_);
  if (processors_ == 1 || !whole.any || !details_->pipeline().prepare(spec, seconds)) {
    return false;
  }
  flush();
  details_->pipeline().run(options_.pipeline, clock_, details_->networks(), pipeline_times_);
  run_pipeline(spec, seconds, whole);
  forget_periods();
  return true;
}

void ProcessorClocks::run_pipeline(const PipelineSpec& spec, double seconds, const Share& whole) {
  const mapping::ProcessorView& on = details_->mapping().layout(spec.placement).view();
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
    ledger_.here(p).pipeline(waited, pipeline_times_.overlap[local]);
    tell([&](Observer& observer) {
      const double fill = std::min(pipeline_times_.fill[local], waited);
      observer.pipelined(p, fill, waited - fill);
    });
  }
  ledger_.here().pipeline(waiting, overlap);
  count(seconds, spec.portion != none ? shaped(spec, whole) : whole, Work::computing, members_);
}

Share ProcessorClocks::shaped(const PipelineSpec& spec, const Share& whole) {
  const mapping::ProcessorView& on = details_->mapping().layout(spec.placement).view();
  Share shaped = whole;
  for (std::size_t local = 0; local < on.size(); ++local) {
    const double relative = details_->pipeline().relative(local);
    shaped.parts[on.processors()[local]] *= relative;
    shaped.once[on.processors()[local]] *= relative;
  }
  shaped.sum_up(members_);
  return shaped;
}

void ProcessorClocks::block_work(StatementId statement) {
  spend(1.0, details_->work(statement), Work::computing, members_);
}

void ProcessorClocks::vary() {
  const double last = latest();
  double variation = 0.0;
  for_each_current([&](std::size_t p) {
    variation += last - clock_[p];
    if (detail_) {
      ledger_.here(p).variation(Operation::shadow, last - clock_[p]);
    }
  });
  ledger_.here().variation(Operation::shadow, variation);
}

}  // namespace gridcast::model
