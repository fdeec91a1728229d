#include "gridcast/rules/portion_simulation.h"

#include <string>

#include "gridcast/base/error.h"

namespace gridcast::model {

namespace {

/// What extrapolation may change of the time that a loop takes, as far as can be seen.
constexpr double steady_error = 0.005;

}  // namespace

bool PortionSimulation::is_small(double portions) const noexcept {
  constexpr double most_cells = 2e7;
  return portions * static_cast<double>(case_.plan->stage_of.size()) <= most_cells;
}

void PortionSimulation::keep_shorter() {
  few_ = sizes_.size();
  few_points_ = points_;
  shorter_ = progress_;
}

double PortionSimulation::rate_within(std::size_t p, std::size_t portions) const {
  const std::size_t last = sizes_.size() - 2;  // that of the end may be smaller
  double points = 0.0;
  for (std::size_t k = last; k > last - portions; --k) {
    points += sizes_[k];
  }
  const std::size_t processors = progress_.size();
  return (cells_[last * processors + p].end - cells_[(last - portions) * processors + p].end) /
         points;
}

bool PortionSimulation::is_steady(std::span<const double> starts) {
  const double left_out = case_.plan->shape.quantised - points_;
  const bool first = rates_.empty();
  rates_.resize(progress_.size());
  double begun = HUGE_VAL;
  double end = -HUGE_VAL;
  double change = 0.0;
  double slowest = 0.0;
  double fastest = HUGE_VAL;
  for (std::size_t p = 0; p < progress_.size(); ++p) {
    if (stage(p).runs) {
      const double rate = (progress_[p].free - shorter_[p].free) / (points_ - few_points_);
      const double before = first ? rate_within(p, sizes_.size() - few_) : rates_[p];
      change = std::max(change, std::abs(rate - before));
      begun = std::min(begun, starts[p]);
      end = std::max(end, progress_[p].free + rate * left_out);
      slowest = std::max(slowest, rate);
      fastest = std::min(fastest, rate);
      rates_[p] = rate;
    }
  }
  // Where processors run ahead of others and fill ports or channels, what others wait for them may
  // change when they are through: one pair of simulations does not show that.
  const double error = steady_error * std::max(end - begun, 0.0);
  const bool floods = (slowest - fastest) * left_out > error;
  return !(first && floods) && change * left_out <= error;
}

void PortionSimulation::require_few() const {
  const double portions = case_.portions->count();
  const std::size_t processors = case_.plan->stage_of.size();
  if (!is_small(portions)) {
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
