#include "gridcast/rules/portion_simulation.h"

#include <string>

#include "gridcast/base/error.h"

namespace gridcast::model {

void PortionSimulation::require_few() const {
  constexpr double most_cells = 2e7;
  const double portions = case_.portions->count();
  const std::size_t processors = case_.plan->stage_of.size();
  if (portions * static_cast<double>(processors) > most_cells) {
    throw InputError("a pipelined loop of " + std::to_string(portions) + " portions on " +
                         std::to_string(processors) +
                         " processors is too large to simulate in full",
                     "use --pipeline=steady");
  }
}

void PortionSimulation::begin(std::span<const double> starts) {
  const PipelinePlan& plan = *case_.plan;
  const std::size_t processors = plan.stage_of.size();
  cells_.resize(sizes_.size() * processors);
  bool receiving = false;
  for (const PipelineStage& stage : plan.stages) {
    for (const double seconds : stage.receive_time) {
      receiving = receiving || seconds > 0.0;
    }
  }
  arrivals_.assign(receiving ? cells_.size() * plan.lines.size() : 0, -HUGE_VAL);
  progress_.resize(processors);
  for (std::size_t p = 0; p < processors; ++p) {
    progress_[p] = {0, 0, 0, starts[p], 0.0, 0.0};
    Cell cell;
    cell.missing = stage(p).predecessors;
    for (std::size_t at = p; at < cells_.size(); at += processors) {
      cells_[at] = cell;
    }
  }
  events_.reset(plan.lengths.size() + plan.lines.size(), case_.origin);
  for (std::uint32_t p = 0; p < processors; ++p) {
    if (stage(p).runs && stage(p).predecessors == 0) {
      begin_portion(p);
    }
  }
}

void PortionSimulation::collect(bool whole, std::span<const double> starts, PipelineTimes& times) {
  // What the additional portions of a longer pipeline add is what those left out add. (Waiting
  // within one simulation would not do: a processor that runs ahead fills a shared channel first
  // and lets the others wait for as long as it had portions.)
  const double left_out = whole ? 0.0 : case_.plan->shape.quantised - points_;
  const double rest = whole ? 0.0 : left_out / (points_ - few_points_);
  const std::size_t processors = progress_.size();
  times.finish.assign(starts.begin(), starts.end());
  times.waiting.assign(processors, 0.0);
  times.overlap.assign(processors, 0.0);
  times.fill.assign(processors, 0.0);
  for (std::size_t p = 0; p < processors; ++p) {
    const PipelineStage& stage = this->stage(p);
    if (!stage.runs) {
      continue;
    }
    const Progress& end = progress_[p];
    const Progress& earlier = whole ? end : shorter_[p];
    const double waiting = std::max(end.waiting - earlier.waiting, 0.0) * rest;
    times.finish[p] =
        end.free + waiting + case_.iteration_time * stage.work * stage.relative * left_out;
    times.waiting[p] = end.waiting + waiting;
    times.overlap[p] = end.overlap + std::max(end.overlap - earlier.overlap, 0.0) * rest;
    times.fill[p] = cells_[p].begin - starts[p];
  }
}

}  // namespace gridcast::model
