#include "gridcast/rules/ledger.h"

#include <numeric>

#include "gridcast/figures/figures.h"

namespace gridcast::model {
namespace {

void add(OperationTimes& to, const OperationTimes& from, double factor) noexcept {
  for (const OperationFigure& figure : operation_figures) {
    to.*figure.value += factor * (from.*figure.value);
  }
}

}  // namespace

void add(ProcessorTimes& to, const ProcessorTimes& from, double factor) noexcept {
  using Times = ProcessorTimes;
  for (const auto time :
       {&Times::execution_time, &Times::io_time, &Times::cpu_time, &Times::sys_time,
        &Times::insufficient_parallelism_usr, &Times::insufficient_parallelism_sys, &Times::idle,
        &Times::load_imbalance, &Times::synchronization, &Times::time_variation}) {
    to.*time += factor * (from.*time);
  }
  for (std::size_t k = 0; k < operation_count; ++k) {
    add(to.operations[k], from.operations[k], factor);
  }
}

void add(IntervalSums& to, const IntervalSums& from, double factor) noexcept {
  add(to.times, from.times, factor);
  to.productive_cpu += factor * from.productive_cpu;
  to.productive_sys += factor * from.productive_sys;
  add(to.pipelined, from.pipelined, factor);
  for (std::size_t k = 0; k < operation_count; ++k) {
    to.variations[k] += factor * from.variations[k];
  }
}

double IntervalSums::time_variation() const noexcept {
  return std::accumulate(variations.begin(), variations.end(), 0.0);
}

Characteristics characteristics(const IntervalSums& sums, double processors,
                                const IntervalSpec& interval) {
  const ProcessorTimes& times = sums.times;
  Characteristics c;
  c.execution_time = times.execution_time;
  c.idle = times.idle;
  c.load_imbalance = times.load_imbalance;
  c.total_time = c.execution_time * processors;
  c.insufficient_parallelism_usr = times.insufficient_parallelism_usr;
  c.insufficient_parallelism_sys = times.insufficient_parallelism_sys;
  c.insufficient_parallelism = times.insufficient_parallelism();
  c.productive_cpu_time = sums.productive_cpu;
  c.productive_sys_time = sums.productive_sys;
  c.io_time = times.io_time;
  c.productive_time = c.productive_cpu_time + c.productive_sys_time + c.io_time;
  c.synchronization = times.synchronization;
  c.operations = times.operations;
  c.communication = times.communication();
  c.communication_synch = times.communication_synch();
  c.overlap = times.overlap();
  c.time_variation = sums.time_variation();
  c.operation_counts = interval.operations;
  c.lost_time = times.lost_time();
  c.efficiency =
      c.total_time == 0.0 && c.productive_time == 0.0 ? 1.0 : c.productive_time / c.total_time;
  return c;
}

void OpenSums::reset_sums(const Script& script) {
  script_ = &script;
  sums_.assign(script.tables().intervals.size(), {});
  open_.assign(1, 0);
}

void OpenSums::add_nested() {
  const auto intervals = script_->tables().intervals;
  for (std::size_t i = intervals.size(); i-- > 1;) {
    add(sums_[static_cast<std::size_t>(intervals[i].parent)], sums_[i], 1.0);
  }
}

void Ledger::reset(const Script& script, std::size_t processors, bool per_processor) {
  reset_sums(script);
  processors_ = processors;
  execution_.assign(sums_.size() * processors, 0.0);
  busy_.assign(sums_.size() * processors, 0.0);
  involved_.assign(sums_.size(), {});
  details_.assign(per_processor ? sums_.size() * processors : 0, {});
}

void Ledger::stamp(std::uint32_t interval, double sign, std::span<const double> clocks,
                   std::span<const double> busy) noexcept {
  double* const execution = execution_.data() + interval * processors_;
  double* const occupied = busy_.data() + interval * processors_;
  for (std::size_t p = 0; p < processors_; ++p) {
    execution[p] += sign * clocks[p];
    occupied[p] += sign * busy[p];
  }
}

void Ledger::begin(std::uint32_t interval, std::span<const double> clocks,
                   std::span<const double> busy) {
  stamp(interval, -1.0, clocks, busy);
  open_.push_back(interval);
}

void Ledger::end(std::span<const double> clocks, std::span<const double> busy) {
  stamp(open_.back(), 1.0, clocks, busy);
  open_.pop_back();
}

void Ledger::involve(std::span<const std::uint32_t> processors) {
  for (const std::uint32_t interval : open_) {
    auto& views = involved_[interval];
    if (std::none_of(views.begin(), views.end(),
                     [&](const auto& view) { return view.data() == processors.data(); })) {
      views.push_back(processors);
    }
  }
}

template <class F>
void Ledger::for_each_processor(std::size_t interval, F&& f) const {
  const auto execution = std::span(execution_).subspan(interval * processors_, processors_);
  const auto busy = std::span(busy_).subspan(interval * processors_, processors_);
  const double longest = *std::max_element(execution.begin(), execution.end());
  double most_busy = 0.0;
  std::vector<bool> takes_part(processors_, false);
  for (const auto& view : involved_[interval]) {
    for (const std::uint32_t p : view) {
      takes_part[p] = true;
      most_busy = std::max(most_busy, busy[p]);
    }
  }
  for (std::size_t p = 0; p < processors_; ++p) {
    f(p, execution[p], longest - execution[p], takes_part[p] ? most_busy - busy[p] : 0.0);
  }
}

void Ledger::finish(std::span<const double> clocks, std::span<const double> busy) {
  stamp(0, 1.0, clocks, busy);
  add_nested();
  const auto intervals = script_->tables().intervals;
  for (std::size_t i = intervals.size(); i-- > 0;) {
    ProcessorTimes& all = sums_[i].times;
    for_each_processor(i, [&](std::size_t p, double execution, double idle, double imbalance) {
      all.execution_time = std::max(all.execution_time, execution);
      all.idle += idle;
      all.load_imbalance += imbalance;
      if (per_processor() && i > 0) {
        const auto parent = static_cast<std::size_t>(intervals[i].parent);
        add(details_[parent * processors_ + p], details_[i * processors_ + p], 1.0);
      }
    });
  }
}

std::vector<ProcessorTimes> Ledger::times(std::size_t interval) const {
  std::vector<ProcessorTimes> result(processors_);
  for_each_processor(interval, [&](std::size_t p, double execution, double idle, double imbalance) {
    const IntervalSums& own = details_[interval * processors_ + p];
    result[p] = own.times;
    result[p].execution_time = execution;
    result[p].idle = idle;
    result[p].load_imbalance = imbalance;
    result[p].time_variation = own.time_variation();
  });
  return result;
}

}  // namespace gridcast::model
