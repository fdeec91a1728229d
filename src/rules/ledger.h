#pragma once
/// What is summed up per interval while a prediction runs. Sums over processors always;
/// figures of single processors only if asked for.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "gridcast/figures/characteristics.h"
#include "gridcast/rules/script.h"

namespace gridcast::model {

/// What operations add to an interval (docs/model.md §2), whatever keeps the clocks: of one
/// processor, or summed up over processors. Seconds.
struct IntervalSums {
  /// Execution time, idle time and imbalance are known at the end only, variations stand apart.
  ProcessorTimes times;
  double productive_cpu = 0.0;  ///< each piece of work once; a difference of sums loses digits
  double productive_sys = 0.0;
  TimesByKind variations{};
  OperationTimes pipelined;  ///< of the shadow times: what across_ loops cost

  /// So many processors do the same (rule 1).
  void work(double cpu, double sys, double processors) noexcept {
    loop(cpu, cpu / processors);
    copying(sys, sys / processors);
  }
  /// `once`: each piece of it once; the rest is what others compute as well.
  void loop(double cpu, double once) noexcept {
    times.cpu_time += cpu;
    times.insufficient_parallelism_usr += cpu - once;
    productive_cpu += once;
  }
  /// The same in the run-time library.
  void copying(double sys, double once) noexcept {
    times.sys_time += sys;
    times.insufficient_parallelism_sys += sys - once;
    productive_sys += once;
  }
  /// Clocks were raised to the latest. `across`: for an across_ loop.
  void barrier(Operation operation, double raised, bool across) noexcept {
    late(operation, raised, across);
    communication(operation, raised, across);
  }
  /// The part of communication in which another processor was not there yet.
  void late(Operation operation, double seconds, bool across) noexcept {
    times.synchronization += seconds;
    of(operation).synch += seconds;
    pipelined.synch += across ? seconds : 0.0;
  }
  void communication(Operation operation, double seconds, bool across) noexcept {
    of(operation).communication += seconds;
    pipelined.communication += across ? seconds : 0.0;
  }
  void variation(Operation operation, double seconds) noexcept {
    variations[static_cast<std::size_t>(operation)] += seconds;
  }
  /// The end of an asynchronous communication.
  void wait(Operation operation, double waiting, double overlap, double later) noexcept {
    of(operation).overlap += overlap;
    communication(operation, waiting, false);
    variation(operation, later);
  }
  /// Portions of a pipelined loop waited for edges.
  void pipeline(double waiting, double overlap) noexcept {
    communication(Operation::shadow, waiting, true);
    of(Operation::shadow).overlap += overlap;
    pipelined.overlap += overlap;
  }
  /// What processor 0 read was handed to all; `late`: the part of waiting before that began.
  void broadcast(double waiting, double late) noexcept {
    communication(Operation::io, waiting, false);
    of(Operation::io).synch += late;
    times.synchronization += late;
  }

  /// Of all kinds of operations.
  [[nodiscard]] double time_variation() const noexcept;

private:
  OperationTimes& of(Operation operation) noexcept {
    return times.operations[static_cast<std::size_t>(operation)];
  }
};

/// Adds them so many times.
void add(ProcessorTimes& to, const ProcessorTimes& from, double factor) noexcept;
void add(IntervalSums& to, const IntervalSums& from, double factor) noexcept;

/// The characteristics of an interval, nested ones included, when everything is known of it.
[[nodiscard]] Characteristics characteristics(const IntervalSums& sums, double processors,
                                              const IntervalSpec& interval);

/// The sums of all intervals of a script.
class OpenSums {
public:
  /// Of the innermost open interval.
  [[nodiscard]] IntervalSums& here() noexcept { return sums_[open_.back()]; }
  [[nodiscard]] const IntervalSums& here() const noexcept { return sums_[open_.back()]; }

  /// After the end: of each interval with those nested in it, until the next prediction.
  [[nodiscard]] std::span<IntervalSums> sums() noexcept { return sums_; }

protected:
  /// Everything 0, interval 0 open.
  void reset_sums(const Script& script);
  void add_nested();

  const Script* script_ = nullptr;
  std::vector<IntervalSums> sums_;
  std::vector<std::uint32_t> open_;
};

/// Sums per interval, with what each processor adds to them.
class Ledger : public OpenSums {
public:
  /// Starts a prediction of the script on so many processors.
  void reset(const Script& script, std::size_t processors, bool per_processor);

  [[nodiscard]] bool per_processor() const noexcept { return !details_.empty(); }

  /// Of one processor in the innermost open interval; nobody looks at them unless per_processor().
  [[nodiscard]] IntervalSums& here(std::size_t processor) noexcept {
    return per_processor() ? details_[open_.back() * processors_ + processor] : unasked_;
  }
  using OpenSums::here;

  void begin(std::uint32_t interval, std::span<const double> clocks, std::span<const double> busy);
  void end(std::span<const double> clocks, std::span<const double> busy);

  /// The same where processors come to the begin and the end of an interval at different times:
  /// what is open from here on, to whom it belongs; and what a processor's clock says when it is
  /// there (sign -1: begin, 1: end).
  void open(std::uint32_t interval) { open_.push_back(interval); }
  void close() { open_.pop_back(); }
  [[nodiscard]] std::uint32_t opened() const noexcept { return open_.back(); }
  void stamp(std::uint32_t interval, double sign, std::size_t processor, double clock,
             double busy) noexcept {
    execution_[interval * processors_ + processor] += sign * clock;
    busy_[interval * processors_ + processor] += sign * busy;
  }
  /// Calls f(sums) of an interval, and of a processor in it if somebody looks at those.
  template <class F>
  void note(std::uint32_t interval, std::size_t processor, F&& f) {
    f(sums_[interval]);
    if (per_processor()) {
      f(details_[interval * processors_ + processor]);
    }
  }

  /// The processors of a view, which outlives this, take part in all open intervals.
  void involve(std::span<const std::uint32_t> processors);

  /// Closes the program and works out the sums of all intervals.
  void finish(std::span<const double> clocks, std::span<const double> busy);

  /// Times of all processors in one interval; after finish(), only with per_processor().
  [[nodiscard]] std::vector<ProcessorTimes> times(std::size_t interval) const;

private:
  void stamp(std::uint32_t interval, double sign, std::span<const double> clocks,
             std::span<const double> busy) noexcept;
  /// Calls f(processor, execution time, idle time, imbalance) when the program has ended.
  template <class F>
  void for_each_processor(std::size_t interval, F&& f) const;

  std::size_t processors_ = 1;
  std::vector<double> execution_, busy_;                               // interval * processors
  std::vector<std::vector<std::span<const std::uint32_t>>> involved_;  // views, per interval
  std::vector<IntervalSums> details_;                                  // interval * processors
  IntervalSums unasked_;
};

}  // namespace gridcast::model
