#pragma once
/// A farm without processes: the scheduler of the product drives workers whose work and messages
/// only take simulated time.

#include <cstdint>

namespace gridcast::bench {

/// What things cost, seconds.
struct FarmCosts {
  double task = 0.05;     ///< mean time of a task; tasks take half of it to one and a half
  double latency = 2e-6;  ///< of a message
  double message = 1e-6;  ///< processor time of a master to send or to take a message
  double row = 3e-6;      ///< ... of rank 0 per task: handing out, taking and storing its row
  double relay = 0.5e-6;  ///< ... of a group master per task
};

struct FarmShape {
  int ranks = 16;      ///< rank 0 included
  int group_size = 0;  ///< 0: one master
  std::int64_t tasks = 1000;
};

struct FarmResult {
  double makespan = 0.0;    ///< seconds until rank 0 has the last row
  double efficiency = 0.0;  ///< time in tasks over time of all ranks
  double load = 0.0;        ///< share of the time that rank 0 is busy
  double group_load = 0.0;  ///< ... that the busiest group master is
  double messages = 0.0;    ///< per second at rank 0
};

/// Runs until all tasks are done.
[[nodiscard]] FarmResult simulate_farm(const FarmShape& shape, const FarmCosts& costs);

}  // namespace gridcast::bench
