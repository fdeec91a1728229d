#pragma once
/// Internal: what is summed up per interval while a prediction runs. Sums over processors always;
/// figures of single processors only if asked for.

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "gridcast/figures/characteristics.h"
#include "gridcast/rules/script.h"

namespace gridcast::model {

/// The times that add up; the order is that of the ledger's columns.
enum class Field : std::uint8_t {
  cpu,
  sys,
  io,
  insufficient_usr,
  insufficient_sys,
  productive_cpu,  ///< each piece of work once; as a difference of sums it would lose digits
  productive_sys,
  synchronization,
  communication,  ///< first of 5, one per kind of operation
  synch = communication + operation_count,
  overlap = synch + operation_count,
  variation = overlap + operation_count,
  pipelined = variation + operation_count,  ///< of the shadow times: what across_ loops cost
  pipelined_synch,
  pipelined_overlap,
  end,
};

inline constexpr std::size_t field_count = static_cast<std::size_t>(Field::end);

[[nodiscard]] constexpr Field of(Field first, Operation operation) noexcept {
  return static_cast<Field>(static_cast<std::size_t>(first) + static_cast<std::size_t>(operation));
}

/// Sums over processors of one interval.
using FieldSums = std::array<double, field_count>;

/// The characteristics of an interval, nested ones included: `longest` is the execution time,
/// `idle` and `load_imbalance` are sums over processors.
[[nodiscard]] Characteristics characteristics(const FieldSums& sums, double longest, double idle,
                                              double load_imbalance, double processors,
                                              const IntervalSpec& interval);

/// What the across_ loops of an interval cost, of its sums.
[[nodiscard]] OperationTimes pipelined_of(const FieldSums& sums) noexcept;

/// Time variation by kind of operation, of an interval's sums.
[[nodiscard]] TimesByKind variations_of(const FieldSums& sums) noexcept;

/// What operations add to the sums of the innermost open interval (docs/model.md §2), whatever
/// keeps the clocks. Seconds, summed up over processors.
class OpenSums {
public:
  void add(Field field, double seconds) noexcept {
    current_[static_cast<std::size_t>(field)] += seconds;
  }

  /// So many processors do the same (rule 1).
  void work(double cpu, double sys, double processors) noexcept {
    const double each = 1.0 / processors;
    loop(cpu, cpu * (1.0 - each), cpu * each);
    copying(sys, sys * (1.0 - each), sys * each);
  }
  /// `repeated`: what others compute as well; `once`: each piece of it once.
  void loop(double cpu, double repeated, double once) noexcept {
    add(Field::cpu, cpu);
    add(Field::insufficient_usr, repeated);
    add(Field::productive_cpu, once);
  }
  /// The same in the run-time library.
  void copying(double sys, double repeated, double once) noexcept {
    add(Field::sys, sys);
    add(Field::insufficient_sys, repeated);
    add(Field::productive_sys, once);
  }
  /// Clocks were raised to the latest. `pipelined`: for an across_ loop.
  void barrier(Operation operation, double raised, bool pipelined) noexcept {
    add(Field::synchronization, raised);
    add(of(Field::synch, operation), raised);
    communication(operation, raised, pipelined);
    add(Field::pipelined_synch, pipelined ? raised : 0.0);
  }
  void communication(Operation operation, double seconds, bool pipelined) noexcept {
    add(of(Field::communication, operation), seconds);
    add(Field::pipelined, pipelined ? seconds : 0.0);
  }
  void variation(Operation operation, double seconds) noexcept {
    add(of(Field::variation, operation), seconds);
  }
  /// The end of an asynchronous communication.
  void wait(Operation operation, double waiting, double overlap, double later) noexcept {
    add(of(Field::overlap, operation), overlap);
    communication(operation, waiting, false);
    variation(operation, later);
  }
  /// Portions of a pipelined loop waited for edges.
  void pipeline(double waiting, double overlap) noexcept {
    communication(Operation::shadow, waiting, true);
    add(of(Field::overlap, Operation::shadow), overlap);
    add(Field::pipelined_overlap, overlap);
  }
  /// What processor 0 read was handed to all; `late`: the part of waiting before that began.
  void broadcast(double waiting, double late) noexcept {
    communication(Operation::io, waiting, false);
    add(of(Field::synch, Operation::io), late);
    add(Field::synchronization, late);
  }

protected:
  double* current_ = nullptr;
};

class Ledger : public OpenSums {
public:
  /// Starts a prediction of `intervals` on `processors`, everything 0, interval 0 open.
  void reset(const Script& script, std::size_t processors, bool per_processor);

  [[nodiscard]] bool per_processor() const noexcept { return !details_.empty(); }

  /// Adds to one processor of the innermost open interval; only with per_processor().
  void note(Field field, std::size_t processor, double seconds) noexcept {
    details_[(open_.back() * field_count + static_cast<std::size_t>(field)) * processors_ +
             processor] += seconds;
  }

  void begin(std::uint32_t interval, std::span<const double> clocks, std::span<const double> busy);
  void end(std::span<const double> clocks, std::span<const double> busy);

  /// The processors of a view take part in all open intervals.
  void involve(std::span<const std::uint32_t> processors);

  /// Closes the program and works out the characteristics of all intervals.
  void finish(std::span<const double> clocks, std::span<const double> busy,
              std::vector<Characteristics>& results);

  /// What the across_ loops of an interval cost; after finish().
  [[nodiscard]] OperationTimes pipelined(std::size_t interval) const {
    return pipelined_of(sums_[interval]);
  }

  /// Time variation by kind of operation; after finish().
  [[nodiscard]] TimesByKind variations(std::size_t interval) const {
    return variations_of(sums_[interval]);
  }

  /// Times of all processors in one interval; after finish(), only with per_processor().
  [[nodiscard]] std::vector<ProcessorTimes> times(std::size_t interval) const;

private:
  void stamp(std::uint32_t interval, double sign, std::span<const double> clocks,
             std::span<const double> busy) noexcept;
  void add_nested();

  /// What the processors have done in an interval when the program has ended.
  struct Outcome {
    std::span<const double> execution, busy;  ///< per processor
    double longest = 0.0;                     ///< execution time
    double most_busy = 0.0;                   ///< of those that take part
  };
  [[nodiscard]] Outcome outcome(std::size_t interval) const;
  [[nodiscard]] bool takes_part(std::size_t interval, std::size_t processor) const noexcept {
    return everyone_[interval] != 0 ||
           (!involved_.empty() && involved_[interval * processors_ + processor] != 0);
  }
  [[nodiscard]] double imbalance(const Outcome& outcome, std::size_t interval,
                                 std::size_t processor) const noexcept {
    return takes_part(interval, processor) ? outcome.most_busy - outcome.busy[processor] : 0.0;
  }

  using Sums = FieldSums;

  const Script* script_ = nullptr;
  std::size_t processors_ = 1;
  std::vector<Sums> sums_;
  std::vector<std::uint32_t> open_;
  std::vector<double> execution_, busy_;  // interval * processors
  std::vector<std::uint8_t> everyone_;    // per interval: all processors take part
  std::vector<std::uint8_t> involved_;  // interval * processors; used if some view is not everyone
  std::vector<double> details_;
};

}  // namespace gridcast::model
