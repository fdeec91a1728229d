#pragma once
/// Internal: some iterations of a sequential loop stand for all (--extrapolate-iterations).
///
/// What an iteration costs is a function of its times only if it begins in a known state. So the
/// loop is cut where an operation waits for all processors: there all clocks are equal and all
/// networks idle. From one cut to the next every clock is made of sums and maxima of times. With
/// f(t) the cost (of every processor, in every characteristic) of an iteration of times t, the sum
/// over n iterations is estimated as
///
///     n f(mean of all) + n (mean of f(t) - f(mean of t))
///
/// with the second term from a sample of iterations that are simulated. What is linear in the times
/// is exact; the sample stands for what is not. Identities between characteristics hold, because
/// each term is the cost of a simulated iteration. How much later the last iteration ends is known
/// better than that: a model of the clocks alone gives it for every iteration; the sample shows how
/// far that model is off. What is more than the estimate is waiting for others at the cut.

#include <cstddef>
#include <span>
#include <vector>

#include "clock_model.h"
#include "processor_clocks.h"

namespace gridcast::model {

class ProcessorClocks::LoopSampler {
public:
  /// The loop begins at operation `begin` of the script; all clocks are there.
  LoopSampler(ProcessorClocks& all, const Repetition& loop, std::size_t begin);

  /// Runs as much of the loop as it can do better than one iteration after the other. Returns the
  /// operation up to which it got, the begin of an iteration or the end of the loop.
  std::size_t run();

private:
  using Values = std::vector<double>;
  using Iteration = std::vector<Op>;

  [[nodiscard]] std::span<const Op> iteration(std::size_t k) const;
  [[nodiscard]] std::span<const Op> iteration_range() const;
  void choose_intervals();
  [[nodiscard]] bool linear() const;
  [[nodiscard]] std::size_t find_cut() const;
  [[nodiscard]] bool same_portions();
  void weigh_operations();
  void weigh_iterations();
  [[nodiscard]] Iteration mean_of(std::span<const std::size_t> numbers) const;

  /// What the first operation of the next iteration begins with.
  void synchronize();
  void capture(Values& values) const;
  void load(const Values& values);
  /// Simulates an iteration; returns how much later the next one begins. Seconds.
  double simulate(std::span<const Op> ops, Values& increments);
  [[nodiscard]] bool networks_idle() const;

  std::size_t run_linear();
  std::size_t run_from_cut();
  bool estimate();
  bool sample(ClockModel& clocks);
  [[nodiscard]] std::vector<std::size_t> telling_iterations() const;
  /// One of the sums of an interval (its place in intervals_), in the order of Ledger::save.
  [[nodiscard]] double& sum_of(Values& values, std::size_t interval, std::size_t place) const;
  /// All processors wait so much longer: for each other at the cut, or less (seconds < 0) for
  /// transfers.
  void wait_more(Values& total, double seconds) const;
  void add_time(Values& total, std::size_t place, double seconds) const;
  [[nodiscard]] bool plausible(Values& total);
  void finish(const Values& total);
  void run_in_order();

  ProcessorClocks& all_;
  const Repetition& loop_;
  std::size_t begin_;      // of the loop
  bool detail_;            // figures of every processor are kept
  std::size_t cut_ = 0;    // within an iteration
  std::size_t first_ = 0;  // operation at which the first iteration from cut to cut begins
  std::size_t count_ = 0;  // such iterations
  std::vector<std::uint32_t> intervals_;  // whose sums an iteration changes
  Values start_, at_, scratch_;           // states: at the first cut, now
  std::vector<double> parts_;             // per operation: the most of its time that a clock feels
  std::vector<double> weights_;           // per iteration: Σ part * time
  double deviation_ = 0.0;                // Σ part * |time - mean| over all iterations

  std::vector<std::size_t> by_weight_;  // iterations
  std::vector<std::size_t> sampled_;
  Values sample_sum_;
  double usual_time_ = 0.0;    // cost of the mean iteration, seconds
  double model_excess_ = 0.0;  // cost of an iteration by simulation - by the model, seconds
  std::size_t simulated_ = 0;  // iterations, means included
  bool idle_ = true;           // networks at every cut
};

}  // namespace gridcast::model
