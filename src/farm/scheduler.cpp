#include "gridcast/farm/scheduler.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gridcast/base/contract.h"

namespace gridcast::sweep {
namespace {

/// Tasks fetched from the source ahead of need: enough to cut guided batches for everybody, and a
/// bound for memory.
constexpr std::size_t most_pooled = std::size_t{1} << 20U;

/// The pool holds this many batches per worker; the guided size is its inverse share of the pool.
constexpr double pooled_batches = 2.0;

/// Tasks that cost more than this many batches are not reserved for a busy worker when others may
/// run out of work.
constexpr double reserve_limit = 2.5;

/// Sums of equal costs may come out a little high.
constexpr double rounding = 1e-9;

}  // namespace

Scheduler::Scheduler(std::vector<Crew> crews, const SchedulerOptions& options, TaskSource source)
    : options_(options), source_(std::move(source)), workers_(crews.size()) {
  for (std::size_t i = 0; i < crews.size(); ++i) {
    workers_[i].crew = crews[i];
    count_crew(crews[i], 1);
    enqueue(static_cast<int>(i));
  }
}

Scheduler::Scheduler(int workers, const SchedulerOptions& options, TaskSource source)
    : Scheduler(std::vector<Crew>(static_cast<std::size_t>(workers)), options, std::move(source)) {}

void Scheduler::count_crew(const Crew& crew, int sign) {
  left_ += sign;
  (crew.group ? group_workers_ : single_) += sign * crew.workers;
}

/// How well a worker is supplied: 0 not at all, 1 for now, 2 with a reserve.
std::size_t Scheduler::supply(const Worker& worker) const {
  if (!worker.crew.group) {
    return std::min<std::size_t>(worker.out.size(), 2);
  }
  const auto workers = static_cast<std::size_t>(worker.crew.workers);
  if (worker.unanswered < workers) {
    return 0;
  }
  // A new share when the group has not more than one left, be it spread over several, or less than
  // two tasks per worker.
  const bool low = worker.unanswered < 2 * workers ||
                   static_cast<double>(worker.unanswered) <= plenty(worker.crew);
  return low ? 1 : 2;
}

void Scheduler::enqueue(int worker) {
  Worker& entry = at(worker);
  const std::size_t level = supply(entry);
  if (entry.lost || level >= waiting_.size() || entry.queued[level]) {
    return;
  }
  waiting_[level].push_back(worker);
  entry.queued[level] = true;
}

/// The longest waiting worker that is supplied so well.
std::optional<int> Scheduler::first_waiting(std::size_t level) {
  std::deque<int>& queue = waiting_[level];
  while (!queue.empty()) {
    Worker& entry = at(queue.front());
    if (!entry.lost && supply(entry) == level) {
      return queue.front();
    }
    entry.queued[level] = false;
    queue.pop_front();
  }
  return std::nullopt;
}

/// Tasks in a batch or share while there are enough.
double Scheduler::plenty(const Crew& crew) const {
  if (!crew.group) {
    return batch_size_;
  }
  return std::min(share_size_ * crew.workers, static_cast<double>(options_.max_share));
}

void Scheduler::fill_pool() {
  if (!pool_.empty()) {
    if (const std::optional<double> cost = costs_.estimate(pool_.front().grid)) {
      const auto most = static_cast<double>(options_.max_batch);
      batch_size_ = std::floor(std::clamp(options_.batch_seconds / *cost, 1.0, most));
      share_size_ = std::max(1.0, options_.share_seconds / *cost);
    }
  }
  const double all = std::max(1.0, single_ * batch_size_ + group_workers_ * share_size_);
  const auto wanted =
      static_cast<std::size_t>(std::min(static_cast<double>(most_pooled), pooled_batches * all));
  if (pool_.size() < wanted) {
    for (const Task& task : source_(wanted - pool_.size())) {
      (task.deaths > 0 ? suspects_ : pool_).push_back(task);
    }
  }
}

std::size_t Scheduler::guided_size(const Crew& crew) const {
  const double all = single_ * batch_size_ + group_workers_ * share_size_;
  const double own = crew.group ? share_size_ * crew.workers : batch_size_;
  const double part = static_cast<double>(pool_.size()) * own / (pooled_batches * all);
  const std::size_t most = crew.group ? options_.max_share : options_.max_batch;
  return std::clamp<std::size_t>(static_cast<std::size_t>(std::ceil(part - rounding)), 1, most);
}

std::vector<Task> Scheduler::cut_batch(const Crew& crew) {
  const std::size_t most = guided_size(crew);
  // While nothing is known about costs, one task per worker.
  const std::size_t blind = crew.group ? static_cast<std::size_t>(crew.workers) : 1;
  const double limit = (1.0 + rounding) * (crew.group ? options_.share_seconds * crew.workers
                                                      : options_.batch_seconds);
  std::vector<Task> tasks;
  double cost = 0.0;
  while (!pool_.empty() && tasks.size() < most) {
    const std::optional<double> next = costs_.estimate(pool_.front().grid);
    if (tasks.size() >= blind && (!next || cost + *next > limit)) {
      break;
    }
    cost += next.value_or(0.0);
    tasks.push_back(pool_.front());
    pool_.pop_front();
  }
  return tasks;
}

bool Scheduler::worth_reserving() const {
  if (pool_.size() >=
      static_cast<std::size_t>(single_) + static_cast<std::size_t>(group_workers_)) {
    return true;
  }
  const std::optional<double> cost = costs_.estimate(pool_.front().grid);
  return cost && *cost <= reserve_limit * options_.batch_seconds;
}

void Scheduler::renew(Worker& worker, double now) const {
  if (worker.out.empty()) {
    return;
  }
  if (worker.crew.group) {
    // However long its tasks take, a group master gives signs of life.
    worker.deadline = now + options_.lease_seconds;
    return;
  }
  const Out& oldest = worker.out.front();
  double most = 0.0;
  bool known = true;
  for (std::size_t i = oldest.answered; i < oldest.tasks.size(); ++i) {
    const std::optional<double> cost = costs_.estimate(oldest.tasks[i].grid);
    known = known && cost.has_value();
    most = std::max(most, cost.value_or(0.0));
  }
  const double lease = known ? std::max(options_.lease_seconds, options_.lease_factor * most)
                             : options_.lease_seconds * options_.first_lease_factor;
  worker.deadline = now + lease;
}

/// Gives the tasks to the worker that first_waiting() named last.
Batch Scheduler::give(int worker, std::size_t level, std::vector<Task> tasks, double now) {
  Worker& entry = at(worker);
  entry.queued[level] = false;
  waiting_[level].pop_front();
  Batch batch{next_id_, worker, std::move(tasks)};
  next_id_ += batch.tasks.size();
  tasks_out_ += batch.tasks.size();
  entry.unanswered += batch.tasks.size();
  Out& out = entry.out.emplace_back(Out{batch.id, batch.tasks, 0, {}});
  if (entry.crew.group) {
    out.done.resize(out.tasks.size());
  }
  if (entry.out.size() == 1) {
    renew(entry, now);
  }
  enqueue(worker);
  return batch;
}

std::optional<Batch> Scheduler::assign(double now) {
  if (stopped_ || left_ == 0) {
    return std::nullopt;
  }
  const std::optional<int> empty = first_waiting(0);
  const std::optional<int> worker = empty ? empty : first_waiting(1);
  if (!worker) {
    return std::nullopt;
  }
  fill_pool();
  if (!pool_.empty() && (empty || worth_reserving())) {
    return give(*worker, empty ? 0 : 1, cut_batch(at(*worker).crew), now);
  }
  // Tasks that may have ended a worker come last, and only to workers that have nothing else to
  // lose.
  if (pool_.empty() && empty && !suspects_.empty()) {
    const Task suspect = suspects_.front();
    suspects_.pop_front();
    return give(*empty, 0, {suspect}, now);
  }
  return std::nullopt;
}

std::span<const Task> Scheduler::answer(int worker, std::uint64_t batch, std::size_t count,
                                        double seconds, double now) {
  answered_.clear();
  Worker& entry = at(worker);
  if (entry.lost || entry.out.empty() || entry.out.front().id != batch) {
    return {};
  }
  Out& oldest = entry.out.front();
  expects(count <= oldest.tasks.size() - oldest.answered, "answers belong to one batch");
  const auto begin = oldest.tasks.begin() + static_cast<std::ptrdiff_t>(oldest.answered);
  answered_.assign(begin, begin + static_cast<std::ptrdiff_t>(count));
  costs_.learn(answered_, seconds);
  oldest.answered += count;
  entry.unanswered -= count;
  tasks_out_ -= count;
  if (oldest.answered == oldest.tasks.size()) {
    entry.out.pop_front();
    enqueue(worker);
  }
  renew(entry, now);
  return answered_;
}

/// The task with this number if it is out at the worker, and its batch.
Task* Scheduler::find_open(Worker& worker, std::uint64_t number, Out*& found) {
  for (Out& out : worker.out) {
    if (number >= out.id && number - out.id < out.tasks.size()) {
      const auto i = static_cast<std::size_t>(number - out.id);
      found = &out;
      return out.is_open(i) ? &out.tasks[i] : nullptr;
    }
  }
  return nullptr;
}

std::span<const Task> Scheduler::answer(int worker, std::span<const std::uint64_t> numbers,
                                        double seconds, double now) {
  answered_.clear();
  Worker& entry = at(worker);
  if (entry.lost) {
    return {};
  }
  for (const std::uint64_t number : numbers) {
    Out* out = nullptr;
    const Task* task = find_open(entry, number, out);
    if (task == nullptr) {
      return {};
    }
    answered_.push_back(*task);
  }
  for (const std::uint64_t number : numbers) {
    Out* out = nullptr;
    static_cast<void>(find_open(entry, number, out));
    out->done[static_cast<std::size_t>(number - out->id)] = 1;
    ++out->answered;
  }
  costs_.learn(answered_, seconds);
  entry.unanswered -= numbers.size();
  tasks_out_ -= numbers.size();
  std::erase_if(entry.out, [](const Out& out) { return out.answered == out.tasks.size(); });
  enqueue(worker);
  renew(entry, now);
  return answered_;
}

void Scheduler::heard(int worker, double now) { renew(at(worker), now); }

std::vector<int> Scheduler::overdue(double now) const {
  std::vector<int> late;
  for (std::size_t worker = 0; worker < workers_.size(); ++worker) {
    const Worker& entry = workers_[worker];
    if (!entry.lost && !entry.out.empty() && now > entry.deadline) {
      late.push_back(static_cast<int>(worker));
    }
  }
  return late;
}

std::vector<Task> Scheduler::lose(int worker) {
  Worker& entry = at(worker);
  std::vector<Task> suspected;
  if (entry.lost) {
    return suspected;
  }
  entry.lost = true;
  count_crew(entry.crew, -1);
  tasks_out_ -= entry.unanswered;
  entry.unanswered = 0;
  // Of a worker's batches only the oldest can have been begun.
  bool begun = !entry.crew.group;
  for (const Out& out : entry.out) {
    for (std::size_t i = 0; i < out.tasks.size() && !stopped_; ++i) {
      if (!out.is_open(i)) {
        continue;
      }
      Task task = out.tasks[i];
      task.deaths += begun ? 1 : 0;
      if (task.deaths == 0) {
        pool_.push_front(task);
        continue;
      }
      suspected.push_back(task);
      (task.deaths >= options_.deaths ? given_up_ : suspects_).push_back(task);
    }
    begun = false;
  }
  entry.out.clear();
  return suspected;
}

void Scheduler::shrink(int worker) {
  Worker& entry = at(worker);
  if (entry.lost) {
    return;
  }
  if (entry.crew.workers <= 1) {
    lose(worker);
    return;
  }
  count_crew(entry.crew, -1);
  --entry.crew.workers;
  count_crew(entry.crew, 1);
}

void Scheduler::suspect(int worker, std::uint64_t number, int deaths) {
  Out* out = nullptr;
  if (Task* task = find_open(at(worker), number, out)) {
    task->deaths = std::max(task->deaths, deaths);
  }
}

std::deque<Task> Scheduler::take_given_up() { return std::exchange(given_up_, {}); }

std::optional<Task> Scheduler::next_alone() {
  if (stopped_) {
    return std::nullopt;
  }
  fill_pool();
  std::deque<Task>& source = pool_.empty() ? suspects_ : pool_;
  if (source.empty()) {
    return std::nullopt;
  }
  const Task task = source.front();
  source.pop_front();
  return task;
}

void Scheduler::stop() {
  stopped_ = true;
  pool_.clear();
  suspects_.clear();
}

void Scheduler::drop(int worker) {
  Worker& entry = at(worker);
  tasks_out_ -= entry.unanswered;
  entry.unanswered = 0;
  entry.out.clear();
}

bool Scheduler::idle() const noexcept {
  return tasks_out_ == 0 && pool_.empty() && suspects_.empty() && given_up_.empty();
}

}  // namespace gridcast::sweep
