#pragma once
/// Which worker gets which tasks, and what becomes of tasks whose worker is gone. Knows neither MPI
/// nor the clock nor the search, so that a simulation can drive it with any number of workers.

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "gridcast/evaluate/task.h"
#include "gridcast/farm/cost_model.h"

namespace gridcast::sweep {

/// How tasks are handed out, and when a worker counts as lost.
struct SchedulerOptions {
  double batch_seconds = 0.02;                    ///< aim for the cost of one batch
  double share_seconds = 0.5;                     ///< ... of the share of a group, per worker of it
  std::size_t max_batch = 4096;                   ///< tasks
  std::size_t max_share = std::size_t{1} << 16U;  ///< tasks in the share of a group
  double lease_seconds = 60.0;  ///< least time without an answer after which a worker is overdue
  double lease_factor = 20.0;   ///< ... and at least this many times the expected cost of a task
  double first_lease_factor = 10.0;  ///< ... times the least lease while no cost is known
  int deaths = 2;                    ///< a task that was with this many lost workers is given up
};

/// Gives the next tasks, at most so many; empty if there are none now.
using TaskSource = std::function<std::vector<Task>(std::size_t max)>;

/// The tasks that a worker is to evaluate, in order.
struct Batch {
  std::uint64_t id = 0;  ///< task i of the batch has the number id + i, unique in this scheduler
  int worker = 0;
  std::vector<Task> tasks;
};

/// Who has a number of a worker: one that evaluates by itself, or a group master with so many
/// workers behind it, which looks like one very fast worker.
struct Crew {
  int workers = 1;
  bool group = false;
};

/// Schedules batches over workers 0 ... n-1. Batches are guided: as long as the measured cost
/// allows while there is plenty, smaller and smaller when the source runs dry. Each worker has one
/// batch to work on and one in reserve, so that it never waits. A group gets shares: large batches,
/// the next one early enough that none of its workers waits. Times are seconds of any clock that
/// does not go back.
class Scheduler {
public:
  Scheduler(std::vector<Crew> crews, const SchedulerOptions& options, TaskSource source);
  /// Workers that evaluate by themselves.
  Scheduler(int workers, const SchedulerOptions& options, TaskSource source);

  /// The next batch to send; to be called until there is none.
  [[nodiscard]] std::optional<Batch> assign(double now);

  /// The worker answered the next `count` tasks of its oldest batch, which it evaluated in
  /// `seconds`. Returns these tasks, valid until the next call of answer; none if the batch is not
  /// its oldest one or the worker was lost: the answer is late, its tasks belong to somebody else.
  std::span<const Task> answer(int worker, std::uint64_t batch, std::size_t count, double seconds,
                               double now);

  /// The same for a group, whose answers come in any order: tasks with these numbers, which one
  /// worker of it evaluated in `seconds` (negative if they were not evaluated). Returns none if one
  /// of the numbers is not out there.
  std::span<const Task> answer(int worker, std::span<const std::uint64_t> numbers, double seconds,
                               double now);

  /// The group master gave a sign of life: its lease begins anew.
  void heard(int worker, double now);

  /// Workers that should have answered by now.
  [[nodiscard]] std::vector<int> overdue(double now) const;

  /// The worker is gone: what it had is given to others, those tasks one at a time that it may have
  /// been working on. Returns them. A group master evaluates nothing: of its tasks only those that
  /// suspect() named are given out one at a time. May be called again.
  std::vector<Task> lose(int worker);

  /// One worker of the group is gone. The group with its last worker is lost.
  void shrink(int worker);

  /// Says how many lost workers of the group had the task with this number; unknown numbers are
  /// none of its tasks any more.
  void suspect(int worker, std::uint64_t number, int deaths);

  /// Tasks that were with too many lost workers; each is returned once and then done with.
  [[nodiscard]] std::deque<Task> take_given_up();

  /// The next task for the caller itself if no worker is left.
  [[nodiscard]] std::optional<Task> next_alone();

  /// From now on nothing is handed out; tasks that were not are forgotten.
  void stop();

  /// The oldest batches are forgotten when the worker says that it dropped them after stop().
  void drop(int worker);

  /// Nothing is out and nothing waits here; the source may have more.
  [[nodiscard]] bool idle() const noexcept;

  [[nodiscard]] bool has_work(int worker) const { return !at(worker).out.empty(); }
  [[nodiscard]] int workers_left() const noexcept { return left_; }
  [[nodiscard]] std::size_t tasks_out() const noexcept { return tasks_out_; }
  [[nodiscard]] const CostModel& costs() const noexcept { return costs_; }

private:
  /// A batch, or the share of a group, that is with a worker.
  struct Out {
    std::uint64_t id = 0;
    std::vector<Task> tasks;
    std::size_t answered = 0;
    std::vector<char> done;  ///< of a group: which; otherwise the first `answered`

    [[nodiscard]] bool is_open(std::size_t i) const {
      return done.empty() ? i >= answered : done[i] == 0;
    }
  };
  /// What is known of one worker, or of the master of a group.
  struct Worker {
    Crew crew;
    std::deque<Out> out;
    std::size_t unanswered = 0;  ///< tasks in `out`
    double deadline = 0.0;       ///< of the oldest batch
    bool lost = false;
    std::array<bool, 2> queued{};  ///< stands in the queue of its need
  };

  [[nodiscard]] const Worker& at(int worker) const {
    return workers_[static_cast<std::size_t>(worker)];
  }
  [[nodiscard]] Worker& at(int worker) { return workers_[static_cast<std::size_t>(worker)]; }
  void fill_pool();
  [[nodiscard]] double plenty(const Crew& crew) const;
  [[nodiscard]] std::size_t guided_size(const Crew& crew) const;
  [[nodiscard]] std::vector<Task> cut_batch(const Crew& crew);
  [[nodiscard]] bool worth_reserving() const;
  [[nodiscard]] std::size_t supply(const Worker& worker) const;
  [[nodiscard]] std::optional<int> first_waiting(std::size_t supply);
  [[nodiscard]] Batch give(int worker, std::size_t supply, std::vector<Task> tasks, double now);
  [[nodiscard]] Task* find_open(Worker& worker, std::uint64_t number, Out*& out);
  void enqueue(int worker);
  void renew(Worker& worker, double now) const;
  void count_crew(const Crew& crew, int sign);

  SchedulerOptions options_;
  TaskSource source_;
  CostModel costs_;
  std::vector<Worker> workers_;
  /// Workers that have nothing (groups: not one task per worker) and those without a reserve,
  /// longest waiting first; entries that are no longer true are dropped when they come up.
  std::array<std::deque<int>, 2> waiting_;
  double batch_size_ = 1.0;  ///< tasks that fit into a batch, as last estimated
  double share_size_ = 1.0;  ///< ... and into a share, per worker of the group
  std::deque<Task> pool_;
  std::deque<Task> suspects_;
  std::deque<Task> given_up_;
  std::vector<Task> answered_;
  std::uint64_t next_id_ = 1;
  std::size_t tasks_out_ = 0;
  int left_ = 0;           ///< workers and groups that are not lost
  int single_ = 0;         ///< of those, workers
  int group_workers_ = 0;  ///< workers in the groups
  bool stopped_ = false;
};

}  // namespace gridcast::sweep
