#include "gridcast/sweep/scheduler.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "gridcast/contract.h"

namespace gridcast::sweep {
namespace {

/// Grids fetched from the source ahead of need: enough to cut guided batches for everybody, and a
/// bound for memory.
constexpr std::size_t most_pooled = std::size_t{1} << 20U;

/// The pool holds this many batches per worker; the guided size is its inverse share of the pool.
constexpr std::size_t pooled_batches = 2;

/// Grids that cost more than this many batches are not reserved for a busy worker when others may
/// run out of work.
constexpr double reserve_limit = 2.5;

/// Sums of equal costs may come out a little high.
constexpr double rounding = 1e-9;

std::size_t class_of(const machine::Grid& grid) noexcept {
  return static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(grid.processors()))) -
         1U;
}

}  // namespace

void CostModel::learn(std::span<const machine::Grid> grids, double seconds) {
  if (grids.empty() || !(seconds >= 0.0)) {
    return;
  }
  // A clock may see nothing of a very short evaluation.
  constexpr double least = 1e-8;
  const double count = static_cast<double>(grids.size());
  double expected = 0.0;
  std::array<bool, classes> present{};
  for (const machine::Grid& grid : grids) {
    expected += estimate(grid).value_or(seconds / count);
    present[class_of(grid)] = true;
  }
  const double factor = std::max(seconds, least * count) / std::max(expected, least * count);
  // The estimates of all classes are taken before any of them changes.
  std::array<double, classes> observed{};
  for (const machine::Grid& grid : grids) {
    observed[class_of(grid)] = std::max(estimate(grid).value_or(seconds / count), least) * factor;
  }
  for (std::size_t i = 0; i < classes; ++i) {
    if (present[i]) {
      seconds_[i] = seconds_[i] > 0.0 ? 0.5 * (seconds_[i] + observed[i]) : observed[i];
    }
  }
}

std::optional<double> CostModel::estimate(const machine::Grid& grid) const {
  const std::size_t wanted = class_of(grid);
  for (std::size_t i = wanted + 1; i-- > 0;) {
    if (seconds_[i] > 0.0) {
      return std::ldexp(seconds_[i], static_cast<int>(wanted - i));
    }
  }
  for (std::size_t i = wanted + 1; i < classes; ++i) {
    if (seconds_[i] > 0.0) {
      return seconds_[i];
    }
  }
  return std::nullopt;
}

Scheduler::Scheduler(int workers, const SchedulerOptions& options, GridSource source)
    : options_(options),
      source_(std::move(source)),
      workers_(static_cast<std::size_t>(workers)),
      left_(workers) {
  for (int worker = 0; worker < workers; ++worker) {
    enqueue(worker);
  }
}

void Scheduler::enqueue(int worker) {
  Worker& entry = at(worker);
  const std::size_t batches = entry.out.size();
  if (entry.lost || batches >= waiting_.size() || entry.queued[batches]) {
    return;
  }
  waiting_[batches].push_back(worker);
  entry.queued[batches] = true;
}

/// The longest waiting worker that has exactly so many batches.
std::optional<int> Scheduler::first_waiting(std::size_t batches) {
  std::deque<int>& queue = waiting_[batches];
  while (!queue.empty()) {
    Worker& entry = at(queue.front());
    if (!entry.lost && entry.out.size() == batches) {
      return queue.front();
    }
    entry.queued[batches] = false;
    queue.pop_front();
  }
  return std::nullopt;
}

void Scheduler::fill_pool() {
  if (!pool_.empty()) {
    if (const std::optional<double> cost = costs_.estimate(pool_.front())) {
      batch_size_ = static_cast<std::size_t>(
          std::clamp(options_.batch_seconds / *cost, 1.0, static_cast<double>(options_.max_batch)));
    }
  }
  const std::size_t workers = static_cast<std::size_t>(std::max(left_, 1));
  const std::size_t wanted = std::min(most_pooled, pooled_batches * workers * batch_size_);
  if (pool_.size() < wanted) {
    for (const machine::Grid& grid : source_(wanted - pool_.size())) {
      pool_.push_back(grid);
    }
  }
}

std::size_t Scheduler::guided_size() const {
  const std::size_t shares = pooled_batches * static_cast<std::size_t>(std::max(left_, 1));
  return std::clamp<std::size_t>((pool_.size() + shares - 1) / shares, 1, options_.max_batch);
}

std::vector<machine::Grid> Scheduler::cut_batch() {
  const std::size_t most = guided_size();
  std::vector<machine::Grid> grids;
  double cost = 0.0;
  while (!pool_.empty() && grids.size() < most) {
    const std::optional<double> next = costs_.estimate(pool_.front());
    if (!grids.empty() && (!next || cost + *next > (1.0 + rounding) * options_.batch_seconds)) {
      break;
    }
    cost += next.value_or(0.0);
    grids.push_back(pool_.front());
    pool_.pop_front();
  }
  return grids;
}

bool Scheduler::worth_reserving() const {
  if (pool_.size() >= static_cast<std::size_t>(left_)) {
    return true;
  }
  const std::optional<double> cost = costs_.estimate(pool_.front());
  return cost && *cost <= reserve_limit * options_.batch_seconds;
}

void Scheduler::renew(Worker& worker, double now) const {
  if (worker.out.empty()) {
    return;
  }
  const Out& oldest = worker.out.front();
  double most = 0.0;
  bool known = true;
  for (std::size_t i = oldest.answered; i < oldest.grids.size(); ++i) {
    const std::optional<double> cost = costs_.estimate(oldest.grids[i]);
    known = known && cost.has_value();
    most = std::max(most, cost.value_or(0.0));
  }
  const double lease = known ? std::max(options_.lease_seconds, options_.lease_factor * most)
                             : options_.lease_seconds * options_.first_lease_factor;
  worker.deadline = now + lease;
}

/// Gives the grids to the worker that first_waiting() named last.
Batch Scheduler::give(int worker, std::vector<machine::Grid> grids, int deaths, double now) {
  Worker& entry = at(worker);
  entry.queued[entry.out.size()] = false;
  waiting_[entry.out.size()].pop_front();
  Batch batch{next_id_++, worker, std::move(grids)};
  grids_out_ += batch.grids.size();
  entry.out.push_back({batch.id, batch.grids, 0, deaths});
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
    return give(*worker, cut_batch(), 0, now);
  }
  // Grids that may have ended a worker come last, and only to workers that have nothing else to
  // lose.
  if (pool_.empty() && empty && !suspects_.empty()) {
    const Suspect suspect = suspects_.front();
    suspects_.pop_front();
    return give(*empty, {suspect.grid}, suspect.deaths, now);
  }
  return std::nullopt;
}

bool Scheduler::answer(int worker, std::uint64_t batch, std::size_t count, double seconds,
                       double now) {
  Worker& entry = at(worker);
  if (entry.lost || entry.out.empty() || entry.out.front().id != batch) {
    return false;
  }
  Out& oldest = entry.out.front();
  expects(oldest.answered + count <= oldest.grids.size(), "a batch is answered once");
  costs_.learn(std::span(oldest.grids).subspan(oldest.answered, count), seconds);
  oldest.answered += count;
  grids_out_ -= count;
  if (oldest.answered == oldest.grids.size()) {
    entry.out.pop_front();
    enqueue(worker);
  }
  renew(entry, now);
  return true;
}

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

void Scheduler::lose(int worker) {
  Worker& entry = at(worker);
  if (entry.lost) {
    return;
  }
  entry.lost = true;
  --left_;
  bool oldest = true;
  for (const Out& out : entry.out) {
    for (std::size_t i = out.answered; i < out.grids.size(); ++i) {
      --grids_out_;
      if (stopped_) {
        continue;
      }
      const int deaths = out.deaths + (oldest ? 1 : 0);
      if (deaths >= options_.deaths) {
        given_up_.push_back(out.grids[i]);
      } else if (deaths > 0) {
        suspects_.push_back({out.grids[i], deaths});
      } else {
        pool_.push_front(out.grids[i]);
      }
    }
    oldest = false;
  }
  entry.out.clear();
}

std::vector<machine::Grid> Scheduler::take_given_up() { return std::exchange(given_up_, {}); }

std::optional<machine::Grid> Scheduler::next_alone() {
  if (stopped_) {
    return std::nullopt;
  }
  fill_pool();
  if (!pool_.empty()) {
    const machine::Grid grid = pool_.front();
    pool_.pop_front();
    return grid;
  }
  if (!suspects_.empty()) {
    const machine::Grid grid = suspects_.front().grid;
    suspects_.pop_front();
    return grid;
  }
  return std::nullopt;
}

void Scheduler::stop() {
  stopped_ = true;
  pool_.clear();
  suspects_.clear();
}

void Scheduler::drop(int worker) {
  Worker& entry = at(worker);
  for (const Out& out : entry.out) {
    grids_out_ -= out.grids.size() - out.answered;
  }
  entry.out.clear();
}

bool Scheduler::idle() const noexcept {
  return grids_out_ == 0 && pool_.empty() && suspects_.empty() && given_up_.empty();
}

}  // namespace gridcast::sweep
