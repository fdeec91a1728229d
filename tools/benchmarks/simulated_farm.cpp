#include "simulated_farm.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <queue>
#include <utility>
#include <vector>

#include "gridcast/farm/layout.h"
#include "gridcast/farm/scheduler.h"

namespace gridcast::bench {
namespace {

using sweep::Batch;
using sweep::Crew;
using sweep::Layout;
using sweep::Scheduler;
using sweep::SchedulerOptions;
using sweep::Task;

// As in worker.cpp and group_master.cpp.
constexpr double send_seconds = 0.1;
constexpr double hurry_seconds = 0.005;

/// What will happen, in the order of time.
class Events {
public:
  void at(double time, std::function<void()> what) {
    queue_.push({time, next_++, std::move(what)});
  }

  [[nodiscard]] double now() const noexcept { return now_; }

  /// Lets the next thing happen; false after the last.
  bool step() {
    if (queue_.empty()) {
      return false;
    }
    now_ = queue_.top().time;
    const std::function<void()> what = queue_.top().what;
    queue_.pop();
    what();
    return true;
  }

private:
  struct Event {
    double time = 0.0;
    std::uint64_t number = 0;  ///< of equal times the first comes first
    std::function<void()> what;
    bool operator<(const Event& other) const {
      return time != other.time ? time > other.time : number > other.number;
    }
  };
  std::priority_queue<Event> queue_;
  std::uint64_t next_ = 0;
  double now_ = 0.0;
};

/// A process that does one thing after the other.
class Processor {
public:
  explicit Processor(Events& events) : events_(&events) {}

  /// Does something that takes so long when all before it is done.
  void work(double seconds, std::function<void()> done) {
    free_ = std::max(free_, events_->now()) + seconds;
    busy_ += seconds;
    events_->at(free_, std::move(done));
  }

  [[nodiscard]] double busy() const noexcept { return busy_; }

private:
  Events* events_;
  double free_ = 0.0;
  double busy_ = 0.0;
};

/// A number in 0 ... 1 for each task, the same in each simulation (SplitMix64's mixing function).
double spread(std::uint64_t number) {
  std::uint64_t bits = (number + 1) * 0x9E3779B97F4A7C15ULL;
  bits = (bits ^ (bits >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  bits = (bits ^ (bits >> 27U)) * 0x94D049BB133111EBULL;
  return static_cast<double>((bits ^ (bits >> 31U)) >> 11U) * 0x1p-53;
}

/// Results that a worker sends at a time.
struct Answer {
  int worker = 0;
  std::uint64_t batch = 0;
  std::size_t count = 0;
  double seconds = 0.0;
};

class Worker {
public:
  Worker(Events& events, const FarmCosts& costs, std::function<void(const Answer&)> send)
      : events_(&events), costs_(&costs), send_(std::move(send)) {}

  void take(const Batch& batch) {
    batches_.push_back(batch);
    if (!working_) {
      work();
    }
  }

private:
  /// Evaluates until results are due.
  void work() {
    working_ = !batches_.empty();
    if (!working_) {
      return;
    }
    const Batch& batch = batches_.front();
    Answer answer{batch.worker, batch.id, 0, 0.0};
    while (done_ + answer.count < batch.tasks.size() && answer.seconds < send_seconds) {
      const std::uint64_t number = batch.tasks[done_ + answer.count].number;
      answer.seconds += costs_->task * (0.5 + spread(number));
      ++answer.count;
    }
    done_ += answer.count;
    if (done_ == batch.tasks.size()) {
      batches_.pop_front();
      done_ = 0;
    }
    events_->at(events_->now() + answer.seconds, [this, answer] {
      events_->at(events_->now() + costs_->latency, [this, answer] { send_(answer); });
      work();
    });
  }

  Events* events_;
  const FarmCosts* costs_;
  std::function<void(const Answer&)> send_;
  std::deque<Batch> batches_;
  std::size_t done_ = 0;  ///< tasks of the first batch
  bool working_ = false;
};

/// Results of one worker on their way to rank 0.
struct Part {
  std::vector<std::uint64_t> numbers;
  double seconds = 0.0;
};

/// A group master with its workers.
class Group {
public:
  using Send = std::function<void(std::vector<Part>)>;

  Group(Events& events, const FarmCosts& costs, int workers, Send send)
      : events_(&events),
        costs_(&costs),
        processor_(events),
        scheduler_(workers, {}, [this](std::size_t max) { return next(max); }),
        send_(std::move(send)) {
    for (int i = 0; i < workers; ++i) {
      workers_.push_back(
          std::make_unique<Worker>(events, costs, [this](const Answer& answer) { take(answer); }));
    }
  }

  void take_share(const Batch& share) {
    const double cost = costs_->message + costs_->relay * static_cast<double>(share.tasks.size());
    processor_.work(cost, [this, share] {
      // The number that rank 0 knows a task by; the worker's time depends on the task's own.
      for (std::size_t i = 0; i < share.tasks.size(); ++i) {
        Task task = share.tasks[i];
        task.variant = static_cast<std::int64_t>(share.id + i);
        waiting_.push_back(task);
        ++in_hand_;
      }
      hand_out();
    });
  }

  [[nodiscard]] double busy() const noexcept { return processor_.busy(); }

private:
  std::vector<Task> next(std::size_t max) {
    const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(std::min(max, waiting_.size()));
    std::vector<Task> tasks(waiting_.begin(), end);
    waiting_.erase(waiting_.begin(), end);
    return tasks;
  }

  void hand_out() {
    while (std::optional<Batch> batch = scheduler_.assign(events_->now())) {
      processor_.work(costs_->message, [this, batch = std::move(*batch)] {
        Worker* worker = workers_[static_cast<std::size_t>(batch.worker)].get();
        events_->at(events_->now() + costs_->latency, [worker, batch] { worker->take(batch); });
      });
    }
  }

  void take(const Answer& answer) {
    processor_.work(costs_->message, [this, answer] {
      Part part;
      part.seconds = answer.seconds;
      for (const Task& task : scheduler_.answer(answer.worker, answer.batch, answer.count,
                                                answer.seconds, events_->now())) {
        part.numbers.push_back(static_cast<std::uint64_t>(task.variant));
      }
      in_hand_ -= part.numbers.size();
      bundle_.push_back(std::move(part));
      hand_out();
      plan_to_send();
    });
  }

  void plan_to_send() {
    const double period = in_hand_ < 2 * workers_.size() ? hurry_seconds : send_seconds;
    const double due = std::max(events_->now(), last_sent_ + period);
    if (planned_ && due >= *planned_) {
      return;
    }
    planned_ = due;
    events_->at(due, [this] {
      planned_.reset();
      if (bundle_.empty()) {
        return;
      }
      last_sent_ = events_->now();
      processor_.work(costs_->message, [this, bundle = std::exchange(bundle_, {})] {
        events_->at(events_->now() + costs_->latency, [this, bundle] { send_(bundle); });
      });
    });
  }

  Events* events_;
  const FarmCosts* costs_;
  Processor processor_;
  Scheduler scheduler_;
  Send send_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::deque<Task> waiting_;
  std::vector<Part> bundle_;
  std::size_t in_hand_ = 0;
  double last_sent_ = 0.0;
  std::optional<double> planned_;
};

/// Rank 0 with all that is below it.
class Farm {
public:
  Farm(const FarmShape& shape, const FarmCosts& costs)
      : costs_(costs),
        tasks_(static_cast<std::uint64_t>(shape.tasks)),
        layout_(Layout::groups(shape.ranks, shape.group_size)),
        processor_(events_) {
    std::vector<Crew> crews;
    for (const int rank : layout_.workers_of(0)) {
      const auto number = static_cast<int>(crews.size());
      const auto members = static_cast<int>(layout_.workers_of(rank).size());
      crews.push_back({std::max(members, 1), members > 0});
      groups_.push_back(nullptr);
      workers_.push_back(nullptr);
      if (members > 0) {
        groups_.back() = std::make_unique<Group>(
            events_, costs_, members,
            [this, number](const std::vector<Part>& parts) { take_bundle(number, parts); });
      } else {
        workers_.back() = std::make_unique<Worker>(events_, costs_,
                                                   [this](const Answer& answer) { take(answer); });
      }
    }
    scheduler_.emplace(crews, SchedulerOptions{}, [this](std::size_t max) { return next(max); });
  }

  FarmResult run(int ranks) {
    hand_out();
    while (events_.step()) {
    }
    FarmResult result;
    result.makespan = end_;
    result.efficiency = in_tasks_ / (end_ * ranks);
    result.load = processor_.busy() / end_;
    result.messages = static_cast<double>(messages_) / end_;
    for (const auto& group : groups_) {
      result.group_load = std::max(result.group_load, group ? group->busy() / end_ : 0.0);
    }
    return result;
  }

private:
  std::vector<Task> next(std::size_t max) {
    std::vector<Task> tasks;
    while (tasks.size() < max && handed_ < tasks_) {
      Task& task = tasks.emplace_back();
      task.number = handed_++;
      in_tasks_ += costs_.task * (0.5 + spread(task.number));
    }
    return tasks;
  }

  void hand_out() {
    while (std::optional<Batch> batch = scheduler_->assign(events_.now())) {
      ++messages_;
      processor_.work(costs_.message, [this, batch = std::move(*batch)] {
        events_.at(events_.now() + costs_.latency, [this, batch] {
          const auto number = static_cast<std::size_t>(batch.worker);
          if (groups_[number]) {
            groups_[number]->take_share(batch);
          } else {
            workers_[number]->take(batch);
          }
        });
      });
    }
  }

  void take(const Answer& answer) {
    ++messages_;
    const double cost = costs_.message + costs_.row * static_cast<double>(answer.count);
    processor_.work(cost, [this, answer] {
      static_cast<void>(scheduler_->answer(answer.worker, answer.batch, answer.count,
                                           answer.seconds, events_.now()));
      end_ = events_.now();
      hand_out();
    });
  }

  void take_bundle(int group, const std::vector<Part>& parts) {
    ++messages_;
    std::size_t rows = 0;
    for (const Part& part : parts) {
      rows += part.numbers.size();
    }
    const double cost = costs_.message + costs_.row * static_cast<double>(rows);
    processor_.work(cost, [this, group, parts] {
      for (const Part& part : parts) {
        static_cast<void>(scheduler_->answer(group, part.numbers, part.seconds, events_.now()));
      }
      end_ = events_.now();
      hand_out();
    });
  }

  FarmCosts costs_;
  std::uint64_t tasks_;
  std::uint64_t handed_ = 0;
  Layout layout_;
  Events events_;
  Processor processor_;
  std::optional<Scheduler> scheduler_;
  std::vector<std::unique_ptr<Group>> groups_;    ///< by number in the scheduler, or
  std::vector<std::unique_ptr<Worker>> workers_;  ///< by the same number
  std::uint64_t messages_ = 0;
  double in_tasks_ = 0.0;
  double end_ = 0.0;
};

}  // namespace

FarmResult simulate_farm(const FarmShape& shape, const FarmCosts& costs) {
  return Farm(shape, costs).run(shape.ranks);
}

}  // namespace gridcast::bench
