#pragma once
/// Which worker gets which grids, and what becomes of grids whose worker is gone. Knows neither MPI
/// nor the clock nor the search, so that a simulation can drive it with any number of workers.

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "gridcast/machine/grid.h"

namespace gridcast::sweep {

/// What an evaluation costs, learnt from measured ones: seconds per class of processors (powers of
/// two), because that is what the cost of a prediction mostly depends on.
class CostModel {
public:
  /// The grids were evaluated in `seconds` altogether.
  void learn(std::span<const machine::Grid> grids, double seconds);

  /// Expected seconds; empty while nothing has been learnt. Beyond the measured classes the cost is
  /// taken to grow with the number of processors.
  [[nodiscard]] std::optional<double> estimate(const machine::Grid& grid) const;

private:
  static constexpr std::size_t classes = 32;
  std::array<double, classes> seconds_{};  ///< 0: not known
};

struct SchedulerOptions {
  double batch_seconds = 0.02;   ///< aim for the cost of one batch
  std::size_t max_batch = 4096;  ///< grids
  double lease_seconds = 60.0;   ///< least time without an answer after which a worker is overdue
  double lease_factor = 20.0;    ///< ... and at least this many times the expected cost of a grid
  double first_lease_factor = 10.0;  ///< ... times the least lease while no cost is known
  int deaths = 2;                    ///< a grid that was with this many lost workers is given up
};

/// Gives the next grids, at most so many; empty if there are none now.
using GridSource = std::function<std::vector<machine::Grid>(std::size_t max)>;

/// The grids that a worker is to evaluate, in order.
struct Batch {
  std::uint64_t id = 0;
  int worker = 0;
  std::vector<machine::Grid> grids;
};

/// Schedules batches over workers 0 ... n-1. Batches are guided: as long as the measured cost
/// allows while there is plenty, smaller and smaller when the source runs dry. Each worker has one
/// batch to work on and one in reserve, so that it never waits. Times are seconds of any clock that
/// does not go back.
class Scheduler {
public:
  Scheduler(int workers, const SchedulerOptions& options, GridSource source);

  /// The next batch to send; to be called until there is none.
  [[nodiscard]] std::optional<Batch> assign(double now);

  /// The worker answered the next `count` grids of its oldest batch, which it evaluated in
  /// `seconds`. Returns false if the batch is not its oldest one or the worker was lost: the answer
  /// is late, its grids belong to somebody else.
  bool answer(int worker, std::uint64_t batch, std::size_t count, double seconds, double now);

  /// Workers that should have answered by now.
  [[nodiscard]] std::vector<int> overdue(double now) const;

  /// The worker is gone: what it had is given to others, one grid at a time those it may have been
  /// working on. May be called again.
  void lose(int worker);

  /// Grids that were with too many lost workers; each is returned once and then done with.
  [[nodiscard]] std::vector<machine::Grid> take_given_up();

  /// The next grid for the caller itself if no worker is left.
  [[nodiscard]] std::optional<machine::Grid> next_alone();

  /// From now on nothing is handed out; grids that were not are forgotten.
  void stop();

  /// The oldest batches are forgotten when the worker says that it dropped them after stop().
  void drop(int worker);

  /// Nothing is out and nothing waits here; the source may have more.
  [[nodiscard]] bool idle() const noexcept;

  [[nodiscard]] bool is_lost(int worker) const { return at(worker).lost; }
  [[nodiscard]] bool has_work(int worker) const { return !at(worker).out.empty(); }
  [[nodiscard]] int workers_left() const noexcept { return left_; }
  [[nodiscard]] std::size_t grids_out() const noexcept { return grids_out_; }
  [[nodiscard]] const CostModel& costs() const noexcept { return costs_; }

private:
  struct Out {
    std::uint64_t id = 0;
    std::vector<machine::Grid> grids;
    std::size_t answered = 0;
    int deaths = 0;  ///< of a reissued grid, so far
  };
  struct Worker {
    std::deque<Out> out;
    double deadline = 0.0;  ///< of the oldest batch
    bool lost = false;
    std::array<bool, 2> queued{};  ///< stands in the queue of workers with so many batches
  };
  struct Suspect {
    machine::Grid grid;
    int deaths = 0;
  };

  [[nodiscard]] const Worker& at(int worker) const {
    return workers_[static_cast<std::size_t>(worker)];
  }
  [[nodiscard]] Worker& at(int worker) { return workers_[static_cast<std::size_t>(worker)]; }
  void fill_pool();
  [[nodiscard]] std::size_t guided_size() const;
  [[nodiscard]] std::vector<machine::Grid> cut_batch();
  [[nodiscard]] bool worth_reserving() const;
  [[nodiscard]] std::optional<int> first_waiting(std::size_t batches);
  [[nodiscard]] Batch give(int worker, std::vector<machine::Grid> grids, int deaths, double now);
  void enqueue(int worker);
  void renew(Worker& worker, double now) const;

  SchedulerOptions options_;
  GridSource source_;
  CostModel costs_;
  std::vector<Worker> workers_;
  /// Workers without a batch and those without a reserve, longest waiting first; entries that are
  /// no longer true are dropped when they come up.
  std::array<std::deque<int>, 2> waiting_;
  std::size_t batch_size_ = 1;  ///< grids that fit into a batch, as last estimated
  std::deque<machine::Grid> pool_;
  std::deque<Suspect> suspects_;
  std::vector<machine::Grid> given_up_;
  std::uint64_t next_id_ = 1;
  std::size_t grids_out_ = 0;
  int left_ = 0;
  bool stopped_ = false;
};

}  // namespace gridcast::sweep
