#include "ledger.h"

#include <numeric>

#include "interval_figures.h"

namespace gridcast::model {

void IntervalSums::add(const IntervalSums& nested) noexcept {
  model::add(times, nested.times, 1.0);
  productive_cpu += nested.productive_cpu;
  productive_sys += nested.productive_sys;
  model::add(variations, nested.variations, 1.0);
  model::add(pipelined, nested.pipelined, 1.0);
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
    sums_[static_cast<std::size_t>(intervals[i].parent)].add(sums_[i]);
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

void Ledger::finish(std::span<const double> clocks, std::span<const double> busy,
                    std::vector<Characteristics>& results) {
  stamp(0, 1.0, clocks, busy);
  add_nested();
  const auto intervals = script_->tables().intervals;
  results.resize(intervals.size());
  for (std::size_t i = intervals.size(); i-- > 0;) {
    ProcessorTimes& all = sums_[i].times;
    for_each_processor(i, [&](std::size_t p, double execution, double idle, double imbalance) {
      all.execution_time = std::max(all.execution_time, execution);
      all.idle += idle;
      all.load_imbalance += imbalance;
      if (per_processor() && i > 0) {
        const auto parent = static_cast<std::size_t>(intervals[i].parent);
        details_[parent * processors_ + p].add(details_[i * processors_ + p]);
      }
    });
    results[i] = characteristics(sums_[i], static_cast<double>(processors_), intervals[i]);
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
