#pragma once
/// The characteristics of an interval or of the whole program ([Predictor2010 §2.2 and §2.3],
/// docs/model.md §2).

#include <array>
#include <cstdint>

namespace gridcast::model {

/// The kinds of communication operations.
enum class Operation : std::uint8_t { io, reduction, shadow, remote_access, redistribution };
inline constexpr std::size_t operation_count = 5;

/// Names of the kinds in JSON, the store and reports, in the order of `Operation`.
inline constexpr std::array<const char*, operation_count> operation_names{
    "io", "reduction", "shadow", "remote_access", "redistribution"};

/// Times of one kind of operation, seconds.
struct OperationTimes {
  double communication = 0.0;  ///< all time spent in it, real synchronisation included
  double synch = 0.0;          ///< the part that was waiting for others before it began
  double overlap = 0.0;        ///< the part of asynchronous transfers hidden by computation
};

/// One time for each kind of operation, in the order of `Operation`, seconds.
using TimesByKind = std::array<double, operation_count>;

/// What one processor spent in an interval: the 29 characteristics of [Predictor2010 §2.2] (those
/// not stored are sums of stored ones). Seconds.
struct ProcessorTimes {
  double execution_time = 0.0;
  double io_time = 0.0;
  double cpu_time = 0.0;
  double sys_time = 0.0;
  double insufficient_parallelism_usr = 0.0;
  double insufficient_parallelism_sys = 0.0;
  double idle = 0.0;
  double load_imbalance = 0.0;
  double synchronization = 0.0;
  double time_variation = 0.0;
  std::array<OperationTimes, operation_count> operations;

  [[nodiscard]] double insufficient_parallelism() const noexcept {
    return insufficient_parallelism_usr + insufficient_parallelism_sys;
  }
  [[nodiscard]] double communication() const noexcept {
    double sum = 0.0;
    for (const OperationTimes& times : operations) {
      sum += times.communication;
    }
    return sum;
  }
  [[nodiscard]] double communication_synch() const noexcept {
    double sum = 0.0;
    for (const OperationTimes& times : operations) {
      sum += times.synch;
    }
    return sum;
  }
  [[nodiscard]] double overlap() const noexcept {
    double sum = 0.0;
    for (const OperationTimes& times : operations) {
      sum += times.overlap;
    }
    return sum;
  }
  /// Lost_time = insufficient parallelism + communication + idle.
  [[nodiscard]] double lost_time() const noexcept {
    return insufficient_parallelism() + communication() + idle;
  }
};

/// The result for an interval: sums over the processors of the root grid except `execution_time`,
/// which is the maximum. Seconds. A plain value: travels in MPI messages and HDF5 rows as it is.
struct Characteristics {
  double execution_time = 0.0;
  double efficiency = 1.0;  ///< productive_time / total_time; 1 if both are 0
  double total_time = 0.0;  ///< execution_time * processors of the root grid
  double productive_time = 0.0;
  double productive_cpu_time = 0.0;
  double productive_sys_time = 0.0;
  double io_time = 0.0;
  double lost_time = 0.0;
  double insufficient_parallelism = 0.0;
  double insufficient_parallelism_usr = 0.0;
  double insufficient_parallelism_sys = 0.0;
  double communication = 0.0;
  double communication_synch = 0.0;
  double idle = 0.0;
  double load_imbalance = 0.0;
  double synchronization = 0.0;
  double time_variation = 0.0;
  double overlap = 0.0;
  std::array<OperationTimes, operation_count> operations;
  std::array<std::int64_t, operation_count> operation_counts{};
};

}  // namespace gridcast::model
