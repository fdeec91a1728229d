#include "master.h"

#include <string>
#include <utility>

#include "gridcast/farm/watch.h"

namespace gridcast::sweep {
namespace {

constexpr double tick_seconds = 0.1;
/// Whether workers still run is checked this often.
constexpr double look_seconds = 0.25;
/// A master that could not look for so long (a slow disk, SIGSTOP) judges nobody.
constexpr double most_away_seconds = 1.0;
/// Messages taken in a row before workers are served again.
constexpr int most_in_a_row = 64;
/// How long workers get that have lost their group master to end by themselves.
constexpr double orphan_seconds = 2.0;

std::vector<Crew> crews_of(const Layout& layout, int master) {
  std::vector<Crew> crews;
  for (const int rank : layout.workers_of(master)) {
    const bool group = layout.is_group_master(rank);
    crews.push_back({group ? static_cast<int>(layout.workers_of(rank).size()) : 1, group});
  }
  return crews;
}

}  // namespace

Master::Master(const boost::mpi::communicator& world, const Layout& layout, Job& job,
               const Evaluate* evaluate, const FarmOptions& options)
    : world_(&world),
      job_(&job),
      evaluate_(evaluate),
      lease_(options.scheduler.lease_seconds),
      lease_clock_(options.lease_clock),
      scheduler_(crews_of(layout, world.rank()), options.scheduler,
                 [&job](std::size_t max) { return job.next(max); }),
      inbox_(world, tag_to_master),
      outbox_(world),
      self_(this_process()) {
  for (const int rank : layout.workers_of(world.rank())) {
    if (Watch* const watch = Watch::current()) {
      watches_[rank] = watch->process_of(rank);  // if it is killed before it says hello
    }
    worker_of_rank_[rank] = static_cast<int>(children_.size());
    children_.push_back({rank, layout.workers_of(rank)});
  }
}

void Master::run(const std::function<WorkerEnd()>& end) {
  WorkerEnd how{1, false};
  try {
    greet();
    farm();
    quiesce();
    how = end();
  } catch (...) {
    discard_ = true;
    quiesce();
    dismiss(how);
    throw;
  }
  dismiss(how);
}

void Master::greet() {
  Message hello;
  write_hello(hello, self_);
  send_to_living(hello);
}

/// Until the job is finished or has to stop; then nothing more is handed out.
void Master::farm() {
  while (!job_->should_stop()) {
    bool busy = take_messages();
    busy = hand_out() || busy;
    busy = give_up() || busy;
    keep_house();
    if (scheduler_.idle() && !busy && job_->finished()) {
      break;
    }
    pause(busy);
  }
  scheduler_.stop();
}

bool Master::hand_out() {
  if (scheduler_.workers_left() == 0) {
    return work_alone();
  }
  bool any = false;
  while (std::optional<Batch> batch = scheduler_.assign(lease_now())) {
    any = true;
    Message message;
    write_batch(message, *batch);
    if (!outbox_.send(at(batch->worker).rank, tag_to_worker, std::move(message))) {
      lose(batch->worker, "cannot be reached");
    }
  }
  return any;
}

bool Master::work_alone() {
  const std::optional<Task> task =
      evaluate_ != nullptr ? scheduler_.next_alone() : std::optional<Task>();
  if (!task) {
    return false;
  }
  results_.clear();
  const double begin = seconds_now();
  (*evaluate_)(*task, results_);
  job_->take(std::span(&*task, 1), results_, world_->rank(), seconds_now() - begin);
  return true;
}

bool Master::give_up() {
  const std::deque<Task> tasks = scheduler_.take_given_up();
  for (const Task& task : tasks) {
    job_->give_up(task, "every worker that evaluated it was lost (killed or hung)");
  }
  return !tasks.empty();
}

bool Master::take_messages() {
  int taken = 0;
  while (taken < most_in_a_row) {
    const std::optional<int> rank = inbox_.take(boost::mpi::any_source, message_);
    if (!rank) {
      break;
    }
    take_message(*rank);
    ++taken;
  }
  return taken > 0;
}

void Master::take_message(int rank) {
  const MessageHeader header = read_header(message_);
  if (header.kind == MessageKind::hello) {
    watches_[rank] = ProcessWatch(read_hello(message_), self_);
    return;
  }
  const auto found = worker_of_rank_.find(rank);
  if (found == worker_of_rank_.end()) {
    return;
  }
  const int worker = found->second;
  switch (header.kind) {
    case MessageKind::results:
      take_results(worker, header);
      break;
    case MessageKind::bundle:
      take_bundle(worker);
      break;
    case MessageKind::gave_up:
      take_gave_up(worker, header);
      break;
    case MessageKind::lost:
      take_lost(worker);
      break;
    case MessageKind::pulse:
      scheduler_.heard(worker, lease_now());
      break;
    case MessageKind::dropped:
      at(worker).dropped = true;
      scheduler_.drop(worker);
      break;
    case MessageKind::hello:
    case MessageKind::batch:
    case MessageKind::stop:
    case MessageKind::leave:
      break;  // never sent to a master
  }
}

void Master::take_results(int worker, const MessageHeader& header) {
  const std::span<const Task> tasks =
      scheduler_.answer(worker, header.id, header.count, header.seconds, lease_now());
  if (!tasks.empty() && !discard_) {
    read_results(message_, results_);
    job_->take(tasks, results_, at(worker).rank, header.seconds);
  }
}

void Master::take_bundle(int worker) {
  const double now = lease_now();
  read_bundle(message_, [&](const Part& part) {
    const std::span<const Task> tasks = scheduler_.answer(worker, part.numbers, part.seconds, now);
    if (!tasks.empty() && !discard_) {
      job_->take(tasks, part.results, part.worker, part.seconds);
    }
  });
}

void Master::take_gave_up(int worker, const MessageHeader& header) {
  constexpr double not_evaluated = -1.0;
  const std::span<const Task> tasks =
      scheduler_.answer(worker, std::span(&header.id, 1), not_evaluated, lease_now());
  if (!tasks.empty() && !discard_) {
    job_->give_up(tasks.front(), read_reason(message_));
  }
}

/// A group master has lost one of its workers and goes on without it.
void Master::take_lost(int worker) {
  const LostRank lost = read_lost(message_);
  std::erase(at(worker).group, lost.rank);
  for (const Task& task : lost.suspects) {
    scheduler_.suspect(worker, task.number, task.deaths);
  }
  scheduler_.shrink(worker);
  report_lost(lost);
}

void Master::keep_house() {
  const double now = seconds_now();
  if (now - last_tick_ >= tick_seconds) {
    last_tick_ = now;
    outbox_.settle();
    if (!discard_) {
      job_->tick();
    }
  }
  if (now - last_watch_ >= look_seconds) {
    if (now - last_watch_ > most_away_seconds) {
      // This process was held up, not the workers: their answers are still to be read.
      for (std::size_t i = 0; i < children_.size(); ++i) {
        scheduler_.heard(static_cast<int>(i), lease_now());
      }
    }
    last_watch_ = now;
    look_for_lost();
  }
}

void Master::look_for_lost() {
  for (std::size_t i = 0; i < children_.size(); ++i) {
    const int rank = children_[i].rank;
    if (!children_[i].gone && watches_[rank].is_gone()) {
      // What it had sent before counts.
      while (inbox_.take(rank, message_)) {
        take_message(rank);
      }
      lose(static_cast<int>(i), "was killed");
    }
  }
  for (const int worker : scheduler_.overdue(lease_now())) {
    lose(worker, "does not answer");
  }
}

void Master::lose(int worker, const char* reason) {
  Child& child = at(worker);
  if (child.gone) {
    return;
  }
  child.gone = true;
  LostRank lost{child.rank, reason, scheduler_.lose(worker), false};
  lost.unreachable = !watches_[child.rank].kill();
  report_lost(lost);
  lose_group_of(worker);
}

/// The workers of a group master that is gone are not used any more: they find out themselves, or
/// are told.
void Master::lose_group_of(int worker) {
  Message leave;
  write_message(leave, {.kind = MessageKind::leave, .code = 1, .lost_ranks = 1});
  for (const int rank : at(worker).group) {
    outbox_.send(rank, tag_to_worker, leave);
    orphans_.push_back(rank);
    report_lost({rank, "has lost its group master"});
  }
}

void Master::report_lost(const LostRank& lost) {
  lost_ = true;
  if (Watch* const watch = Watch::current()) {
    watch->forget(lost.rank);
  }
  out_of_reach_ = out_of_reach_ || lost.unreachable;
  if (!discard_) {
    job_->lost(lost);
  }
}

/// Lets all workers drop what they have and waits until each has said so: then no message is on its
/// way any more.
void Master::quiesce() {
  scheduler_.stop();
  if (!told_to_stop_) {
    told_to_stop_ = true;
    Message stop;
    write_message(stop, {.kind = MessageKind::stop});
    send_to_living(stop);
  }
  const double patience = lease_now() + lease_;
  while (const std::optional<int> waiting = first_not_dropped()) {
    const bool busy = take_messages();
    keep_house();
    if (!scheduler_.has_work(*waiting) && lease_now() > patience) {
      lose(*waiting, "does not answer");
    }
    pause(busy);
  }
}

std::optional<int> Master::first_not_dropped() const {
  for (std::size_t i = 0; i < children_.size(); ++i) {
    if (!children_[i].gone && !children_[i].dropped) {
      return static_cast<int>(i);
    }
  }
  return std::nullopt;
}

void Master::dismiss(const WorkerEnd& end) {
  lost_ = lost_ || end.lost_ranks;
  Message leave;
  write_message(leave,
                {.kind = MessageKind::leave, .code = end.exit_code, .lost_ranks = lost_ ? 1U : 0U});
  send_to_living(leave);
  const double patience = seconds_now() + 1.0;
  while (outbox_.settle() > 0 && (!lost_ || seconds_now() < patience)) {
    pause(false);
  }
  end_orphans();
}

/// Whoever has lost its group master and is still there hangs.
void Master::end_orphans() {
  const double patience = seconds_now() + orphan_seconds;
  for (const int rank : orphans_) {
    const ProcessWatch& watch = watches_[rank];
    while (watch.watches() && !watch.is_gone() && seconds_now() < patience) {
      pause(false);
    }
    if (!watch.kill()) {
      out_of_reach_ = true;
    }
  }
}

void Master::send_to_living(const Message& message) {
  for (std::size_t i = 0; i < children_.size(); ++i) {
    if (!children_[i].gone && !outbox_.send(children_[i].rank, tag_to_worker, message)) {
      lose(static_cast<int>(i), "cannot be reached");
    }
  }
}

double Master::lease_now() const { return lease_clock_ ? lease_clock_() : seconds_now(); }

void Master::pause(bool busy) {
  if (busy) {
    idle_.reset();
  } else {
    idle_.wait();
  }
}

}  // namespace gridcast::sweep
