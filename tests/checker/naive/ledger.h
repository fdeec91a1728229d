#pragma once
/// Clocks and the characteristics of every interval (docs/model.md §2.7 to §2.9).

#include <array>
#include <string>
#include <vector>

#include "free.h"
#include "holders.h"

namespace gridcast::naive {

enum Operation { io, reduction, shadow, remote, redistribution };
inline constexpr std::size_t operations = 5;

struct OperationTimes {
  double communication = 0, synch = 0, overlap = 0, variation = 0;
};

/// What one processor spent in an interval, seconds.
struct Times {
  double execution = 0, io = 0, cpu = 0, sys = 0, insufficient_usr = 0, insufficient_sys = 0;
  double synchronization = 0, variation = 0;
  double idle = 0, imbalance = 0;  ///< filled in at the end
  std::array<OperationTimes, operations> of;
};

struct Interval {
  int parent = -1;
  std::string type;  ///< main, user, sequential, parallel
  std::string file;
  long line = 0;
  bool has_expression = false;
  long expression = 0;
  long count = 1;
  std::array<long, operations> counts{};
  std::vector<Times> processors;
  Holders present = 0;  ///< processors of the systems that were current in it
};

/// An interval's result: sums over the processors, except `execution`, which is the maximum.
struct Sums {
  double execution = 0, total = 0, productive = 0, productive_cpu = 0, productive_sys = 0, io = 0;
  double lost = 0, insufficient_usr = 0, insufficient_sys = 0, communication = 0, real_synch = 0;
  double idle = 0, imbalance = 0, synchronization = 0, variation = 0, overlap = 0, efficiency = 1;
  std::array<OperationTimes, operations> of;
};
[[nodiscard]] Sums sums_of(const Interval& interval);

/// Where every second goes: to the processor's clock and to all open intervals.
class Ledger {
public:
  Ledger(const Machine& machine, const std::string& file, long line);

  [[nodiscard]] double clock(int p) const { return clocks_[static_cast<std::size_t>(p)]; }
  [[nodiscard]] double latest(Holders of) const;

  void compute(int p, double time);
  void library(int p, double time);
  void input_output(int p, double time);
  void insufficient_usr(int p, double time);
  void insufficient_sys(int p, double time);
  void overlap(Operation kind, int p, double time);
  void variation(Operation kind, int p, double time);
  void count(Operation kind);

  /// Raises a clock, if it is lower: communication. What is below `synch_up_to` waited for others.
  void raise(Operation kind, int p, double to, double synch_up_to);

  /// From now on what moves clocks is written down for free processes.
  void run_free(FreeRun* run) { free_ = run; }

  void enter(Interval identity);
  void leave();
  void is_current(const System& system);

  /// In depth-first order, with idle time and load imbalance.
  [[nodiscard]] std::vector<Interval> finish();

private:
  template <class Change>
  void each_open(int p, Change change);

  /// The processor spends time by itself.
  void spend(int p, double time);

  FreeRun* free_ = nullptr;
  std::vector<double> clocks_;
  std::vector<Interval> intervals_;
  std::vector<std::size_t> open_;
  Holders current_ = 0;
};

}  // namespace gridcast::naive
