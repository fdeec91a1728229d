#include "processor_clocks.h"

#include <algorithm>

#include "gridcast/rules/repeats.h"
#include "gridcast/rules/walk.h"

namespace gridcast::model {

ProcessorClocks::ProcessorClocks(const Script& script, const ModelOptions& options,
                                 GridDetails& details, Interruption& interruption)
    : script_(&script),
      options_(options),
      details_(&details),
      interruption_(&interruption),
      repeats_(has_repeats(script)) {
  pending_.resize(script.header().tokens);
}

void ProcessorClocks::prepare(const machine::Grid& grid, bool per_processor) {
  details_->reset(grid);
  const machine::ProcessorSystem& system = details_->system();
  library_ = options_.counted(system.library);
  processors_ = static_cast<std::size_t>(grid.processors());
  ledger_.reset(*script_, processors_, per_processor);
  clock_.assign(processors_, 0.0);
  busy_.assign(processors_, 0.0);
  everyone_.parts.resize(processors_);
  everyone_.once.resize(processors_);
  for (std::size_t p = 0; p < processors_; ++p) {
    everyone_.parts[p] = 1.0 / system.performance[p];
  }
  pending_work_ = 0.0;
}

std::span<IntervalSums> ProcessorClocks::run(const machine::Grid& grid, bool per_processor) {
  prepare(grid, per_processor);
  run_all();
  ledger_.finish(clock_, busy_);
  return ledger_.sums();
}

void ProcessorClocks::observe(const machine::Grid& grid, Observer& observer) {
  prepare(grid, false);
  observer.started(details_->system(), grid);
  observer_ = &observer;
  try {
    run_all();
  } catch (...) {
    observer_ = nullptr;
    throw;
  }
  observer_ = nullptr;
  observer.finished(clock_);
}

void ProcessorClocks::run_all() {
  detail_ = ledger_.per_processor() || observer_ != nullptr;
  enter(root_view);
  const std::vector<Op> written_out = repeats_ ? unrolled(details_->mapping()) : std::vector<Op>();
  for (const Op& op : repeats_ ? std::span<const Op>(written_out) : script_->tables().ops) {
    interruption_->check(processors_);
    tell([&](Observer& observer) { observer.operation(op); });
    walk(*this, *script_, op);
  }
  flush();
}

void ProcessorClocks::enter(ViewId view) {
  flush();
  current_ = view;
  members_ = details_->mapping().view(view).processors();
  for (const std::uint32_t p : members_) {
    everyone_.once[p] = everyone_.parts[p] / static_cast<double>(members_.size());
  }
  everyone_.sum_up(members_);
  ledger_.involve(members_);
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

void ProcessorClocks::flush() {
  if (pending_work_ == 0.0) {
    return;
  }
  for_each_current([&](std::size_t p) {
    const double time = pending_work_ * everyone_.parts[p];
    clock_[p] += time;
    busy_[p] += time;
  });
  pending_work_ = 0.0;
}

double ProcessorClocks::latest() {
  flush();
  double latest = 0.0;
  for_each_current([&](std::size_t p) { latest = std::max(latest, clock_[p]); });
  return latest;
}

std::size_t ProcessorClocks::last_processor() {
  std::size_t last = members_.front();
  for_each_current([&](std::size_t p) { last = clock_[p] > clock_[last] ? p : last; });
  return last;
}

void ProcessorClocks::launch(const GridDetails::Source& source, double start, Pending& pending) {
  pending.known = details_->timed(source);
  pending.view = current_;
  pending.start = start;
  const network::Profile& idle = pending.known->idle;
  pending.ends = idle.ends;
  if (pending.ends.empty()) {
    return;
  }
  network::Networks& networks = details_->networks();
  if (networks.idle_for(idle, start)) {
    networks.occupy({pending.known, &idle}, start);
  } else {
    pending.among_others.resize(processors_);
    networks.run(pending.known->transfers.communication, start, pending.among_others);
    for (double& end : pending.among_others) {
      end -= start;
    }
    pending.ends = pending.among_others;
  }
  forget_periods();
}

void ProcessorClocks::forget_periods() {
  details_->networks().forget_before(
      [this] { return *std::min_element(clock_.begin(), clock_.end()); });
}

}  // namespace gridcast::model
