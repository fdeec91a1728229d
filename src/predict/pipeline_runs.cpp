#include "pipeline_runs.h"

#include <algorithm>
#include <cmath>

namespace gridcast::model {
namespace {

/// Clocks of processors that are kept in all, at most.
constexpr std::size_t most_clocks = std::size_t{1} << 23;

}  // namespace

void PipelineRuns::reset(const ClassMapping& mapping, const PipelineMachine& machine) {
  mapping_ = &mapping;
  machine_ = machine;
  loops_.resize(mapping.script().tables().pipelines.size());
  for (Loop& loop : loops_) {
    loop.ready = false;
  }
  used_ = kept_ = 0;
  listed_ready_ = false;
}

bool PipelineRuns::depends(PipelineId pipeline) {
  Loop& loop = loops_[pipeline];
  if (!loop.ready) {
    loop.ready = true;
    const PipelineSpec& spec = mapping_->script().tables().pipelines[pipeline];
    loop.depends = loop.pipeline.prepare(*mapping_, spec, machine_);
  }
  return loop.depends;
}

const PipelineRuns::Run* PipelineRuns::known(PipelineId pipeline, double call,
                                             const ClassClocks& clocks,
                                             const PipelineCarried& carried) const {
  const double slack = 1e-15 * clocks.base();
  const auto close = [slack](double a, double b) { return std::abs(a - b) <= slack; };
  for (std::size_t i = used_; i-- > 0;) {
    const Run& run = *runs_[i];
    if (run.pipeline == pipeline && run.call == call && clocks.same(run.clocks) &&
        carried.exchange == run.carried.exchange && close(carried.start, run.carried.start) &&
        std::equal(carried.channels.begin(), carried.channels.end(), run.carried.channels.begin(),
                   run.carried.channels.end(), close)) {
      return &run;
    }
  }
  return nullptr;
}

void PipelineRuns::list_starts(const ClassClocks& clocks) {
  if (!listed_ready_ || !clocks.same(listed_)) {
    clocks.list(starts_);
    clocks.keep(listed_);
    for (double& start : starts_) {
      start -= clocks.base();
    }
  }
  listed_ready_ = true;
}

const PipelineRuns::Run* PipelineRuns::run(PipelineId pipeline, double call, bool steady,
                                           const ClassClocks& clocks, PipelineCarried carried) {
  for (double& end : carried.channels) {
    end -= clocks.base();
  }
  carried.start -= carried.exchange == nullptr ? 0.0 : clocks.base();
  if (const Run* const run = known(pipeline, call, clocks, carried)) {
    return run;
  }
  const auto processors = static_cast<std::size_t>(mapping_->classes().processors());
  if (used_ > 0 && kept_ + processors > most_clocks) {
    return nullptr;
  }
  if (used_ == runs_.size()) {
    runs_.push_back(std::make_unique<Run>());
  }
  Run& run = *runs_[used_++];
  ClassPipeline& loop = loops_[pipeline].pipeline;
  loop.begin(call, clocks.base());
  if (clocks.list_classes(class_starts_) &&
      loop.run_rows(class_starts_, carried, run.rowed, times_)) {
    run.finish = &run.rowed;
    kept_ += run.rowed.size();
  } else {
    list_starts(clocks);
    loop.run(steady, starts_, carried, times_);
    run.listed.assign(mapping_->classes(), times_.finish, false);
    run.finish = &run.listed;
    kept_ += processors;
  }
  run.pipeline = pipeline;
  run.call = call;
  clocks.keep(run.clocks);
  run.carried = std::move(carried);
  run.waiting = times_.waiting;
  run.overlap = times_.overlap;
  run.busy_until = times_.busy_until;
  return &run;
}

}  // namespace gridcast::model
