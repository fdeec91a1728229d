#include "ledger.h"

#include <algorithm>

namespace gridcast::model {

void Ledger::reset(const Script& script, std::size_t processors, bool per_processor) {
  script_ = &script;
  processors_ = processors;
  const std::size_t intervals = script.tables().intervals.size();
  sums_.assign(intervals, Sums{});
  execution_.assign(intervals * processors, 0.0);
  busy_.assign(intervals * processors, 0.0);
  everyone_.assign(intervals, 0);
  involved_.clear();
  details_.assign(per_processor ? intervals * field_count * processors : 0, 0.0);
  open_.assign(1, 0);
  current_ = sums_[0].data();
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
  current_ = sums_[interval].data();
}

void Ledger::end(std::span<const double> clocks, std::span<const double> busy) {
  stamp(open_.back(), 1.0, clocks, busy);
  open_.pop_back();
  current_ = sums_[open_.back()].data();
}

void Ledger::involve(std::span<const std::uint32_t> processors) {
  if (processors.size() == processors_) {
    for (const std::uint32_t interval : open_) {
      everyone_[interval] = 1;
    }
    return;
  }
  if (involved_.empty()) {
    involved_.assign(sums_.size() * processors_, 0);
  }
  for (const std::uint32_t interval : open_) {
    for (const std::uint32_t p : processors) {
      involved_[interval * processors_ + p] = 1;
    }
  }
}

void Ledger::add_nested() {
  const auto intervals = script_->tables().intervals;
  for (std::size_t i = intervals.size(); i-- > 1;) {
    const auto parent = static_cast<std::size_t>(intervals[i].parent);
    for (std::size_t field = 0; field < field_count; ++field) {
      sums_[parent][field] += sums_[i][field];
    }
    if (per_processor()) {
      const std::size_t block = field_count * processors_;
      for (std::size_t k = 0; k < block; ++k) {
        details_[parent * block + k] += details_[i * block + k];
      }
    }
  }
}

Characteristics characteristics(const FieldSums& sums, double longest, double idle,
                                double load_imbalance, double processors,
                                const IntervalSpec& interval) {
  const auto sum = [&](Field field) { return sums[static_cast<std::size_t>(field)]; };
  Characteristics c;
  c.execution_time = longest;
  c.idle = idle;
  c.load_imbalance = load_imbalance;
  c.total_time = c.execution_time * processors;
  c.insufficient_parallelism_usr = sum(Field::insufficient_usr);
  c.insufficient_parallelism_sys = sum(Field::insufficient_sys);
  c.insufficient_parallelism = c.insufficient_parallelism_usr + c.insufficient_parallelism_sys;
  c.productive_cpu_time = sum(Field::productive_cpu);
  c.productive_sys_time = sum(Field::productive_sys);
  c.io_time = sum(Field::io);
  c.productive_time = c.productive_cpu_time + c.productive_sys_time + c.io_time;
  c.synchronization = sum(Field::synchronization);
  for (std::size_t k = 0; k < operation_count; ++k) {
    const auto operation = static_cast<Operation>(k);
    c.operations[k].communication = sum(of(Field::communication, operation));
    c.operations[k].synch = sum(of(Field::synch, operation));
    c.operations[k].overlap = sum(of(Field::overlap, operation));
    c.time_variation += sum(of(Field::variation, operation));
    c.communication += c.operations[k].communication;
    c.communication_synch += c.operations[k].synch;
    c.overlap += c.operations[k].overlap;
  }
  c.operation_counts = interval.operations;
  c.lost_time = c.insufficient_parallelism + c.communication + c.idle;
  c.efficiency =
      c.total_time == 0.0 && c.productive_time == 0.0 ? 1.0 : c.productive_time / c.total_time;
  return c;
}

OperationTimes pipelined_of(const FieldSums& sums) noexcept {
  const auto sum = [&](Field field) { return sums[static_cast<std::size_t>(field)]; };
  return {sum(Field::pipelined), sum(Field::pipelined_synch), sum(Field::pipelined_overlap)};
}

TimesByKind variations_of(const FieldSums& sums) noexcept {
  TimesByKind result{};
  for (std::size_t k = 0; k < operation_count; ++k) {
    result[k] = sums[static_cast<std::size_t>(of(Field::variation, static_cast<Operation>(k)))];
  }
  return result;
}

void Ledger::finish(std::span<const double> clocks, std::span<const double> busy,
                    std::vector<Characteristics>& results) {
  stamp(0, 1.0, clocks, busy);
  add_nested();
  const auto intervals = script_->tables().intervals;
  results.resize(intervals.size());
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    const Outcome all = outcome(i);
    double idle = 0.0;
    double unevenness = 0.0;
    for (std::size_t p = 0; p < processors_; ++p) {
      idle += all.longest - all.execution[p];
      unevenness += imbalance(all, i, p);
    }
    results[i] = characteristics(sums_[i], all.longest, idle, unevenness,
                                 static_cast<double>(processors_), intervals[i]);
  }
}

Ledger::Outcome Ledger::outcome(std::size_t interval) const {
  Outcome result;
  result.execution = std::span(execution_).subspan(interval * processors_, processors_);
  result.busy = std::span(busy_).subspan(interval * processors_, processors_);
  result.longest = *std::max_element(result.execution.begin(), result.execution.end());
  for (std::size_t p = 0; p < processors_; ++p) {
    result.most_busy =
        takes_part(interval, p) ? std::max(result.most_busy, result.busy[p]) : result.most_busy;
  }
  return result;
}

std::vector<ProcessorTimes> Ledger::times(std::size_t interval) const {
  std::vector<ProcessorTimes> result(processors_);
  const Outcome all = outcome(interval);
  for (std::size_t p = 0; p < processors_; ++p) {
    const auto value = [&](Field field) {
      return details_[(interval * field_count + static_cast<std::size_t>(field)) * processors_ + p];
    };
    ProcessorTimes& times = result[p];
    times.execution_time = all.execution[p];
    times.io_time = value(Field::io);
    times.cpu_time = value(Field::cpu);
    times.sys_time = value(Field::sys);
    times.insufficient_parallelism_usr = value(Field::insufficient_usr);
    times.insufficient_parallelism_sys = value(Field::insufficient_sys);
    times.idle = all.longest - all.execution[p];
    times.load_imbalance = imbalance(all, interval, p);
    times.synchronization = value(Field::synchronization);
    for (std::size_t k = 0; k < operation_count; ++k) {
      const auto operation = static_cast<Operation>(k);
      times.operations[k].communication = value(of(Field::communication, operation));
      times.operations[k].synch = value(of(Field::synch, operation));
      times.operations[k].overlap = value(of(Field::overlap, operation));
      times.time_variation += value(of(Field::variation, operation));
    }
  }
  return result;
}

}  // namespace gridcast::model
