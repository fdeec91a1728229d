/// Rank 0's side of the farm.

#include <boost/mpi/communicator.hpp>
#include <string>
#include <utility>

#include "gridcast/sweep/farm.h"
#include "idle.h"
#include "mailbox.h"
#include "process.h"

namespace gridcast::sweep {
namespace {

constexpr double tick_seconds = 0.1;
/// Whether workers still run is checked this often.
constexpr double watch_seconds = 0.25;
/// Messages taken in a row before workers are served again.
constexpr int most_in_a_row = 64;

class Master {
public:
  Master(const boost::mpi::communicator& world, Job& job, const Evaluate& evaluate,
         const SchedulerOptions& options)
      : world_(&world),
        job_(&job),
        evaluate_(&evaluate),
        lease_(options.lease_seconds),
        scheduler_(world.size() - 1, options, [&job](std::size_t max) { return job.next(max); }),
        outbox_(world),
        self_(this_process()),
        watches_(static_cast<std::size_t>(world.size())),
        dropped_(static_cast<std::size_t>(world.size())) {}

  void run(const std::function<int()>& exit_code) {
    int code = 1;
    try {
      greet();
      farm();
      quiesce();
      code = exit_code();
    } catch (...) {
      discard_ = true;
      quiesce();
      dismiss(code);
      throw;
    }
    dismiss(code);
  }

  [[nodiscard]] MasterEnd end() const noexcept { return {lost_, out_of_reach_}; }

private:
  void greet() {
    Message hello;
    write_hello(hello, self_);
    for (int rank = 1; rank < world_->size(); ++rank) {
      outbox_.send(rank, tag_to_worker, hello);
    }
  }

  /// Until the job is finished or has to stop; then nothing more is handed out.
  void farm() {
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

  bool hand_out() {
    if (scheduler_.workers_left() == 0) {
      return work_alone();
    }
    bool any = false;
    while (std::optional<Batch> batch = scheduler_.assign(seconds_now())) {
      any = true;
      Message message;
      write_batch(message, *batch);
      if (!outbox_.send(batch->worker + 1, tag_to_worker, std::move(message))) {
        lose(batch->worker + 1, "cannot be reached");
      }
    }
    return any;
  }

  bool work_alone() {
    const std::optional<machine::Grid> grid = scheduler_.next_alone();
    if (!grid) {
      return false;
    }
    results_.clear();
    const double begin = seconds_now();
    (*evaluate_)(*grid, results_);
    job_->take(results_, 0, seconds_now() - begin);
    return true;
  }

  bool give_up() {
    const std::vector<machine::Grid> grids = scheduler_.take_given_up();
    for (const machine::Grid& grid : grids) {
      job_->give_up(grid, "every worker that evaluated it was lost (killed or hung)");
    }
    return !grids.empty();
  }

  bool take_messages() {
    int taken = 0;
    while (taken < most_in_a_row) {
      const std::optional<int> rank =
          receive(*world_, boost::mpi::any_source, tag_to_master, message_);
      if (!rank) {
        break;
      }
      take_message(*rank);
      ++taken;
    }
    return taken > 0;
  }

  void take_message(int rank) {
    const MessageHeader header = read_header(message_);
    switch (header.kind) {
      case MessageKind::hello:
        watches_[static_cast<std::size_t>(rank)] = ProcessWatch(read_hello(message_), self_);
        break;
      case MessageKind::results:
        take_results(rank, header);
        break;
      case MessageKind::dropped:
        dropped_[static_cast<std::size_t>(rank)] = true;
        scheduler_.drop(rank - 1);
        break;
      case MessageKind::batch:
      case MessageKind::stop:
      case MessageKind::leave:
        break;  // never sent to rank 0
    }
  }

  void take_results(int rank, const MessageHeader& header) {
    if (!scheduler_.answer(rank - 1, header.id, header.count, header.seconds, seconds_now())) {
      return;
    }
    if (!discard_) {
      read_results(message_, results_);
      job_->take(results_, rank, header.seconds);
    }
  }

  void keep_house() {
    const double now = seconds_now();
    if (now - last_tick_ >= tick_seconds) {
      last_tick_ = now;
      outbox_.settle();
      if (!discard_) {
        job_->tick();
      }
    }
    if (now - last_watch_ >= watch_seconds) {
      last_watch_ = now;
      look_for_lost(now);
    }
  }

  void look_for_lost(double now) {
    for (int rank = 1; rank < world_->size(); ++rank) {
      if (!scheduler_.is_lost(rank - 1) && watches_[static_cast<std::size_t>(rank)].is_gone()) {
        // What it had sent before counts.
        while (receive(*world_, rank, tag_to_master, message_)) {
          take_message(rank);
        }
        lose(rank, "was killed");
      }
    }
    for (const int worker : scheduler_.overdue(now)) {
      lose(worker + 1, "does not answer");
    }
  }

  void lose(int rank, const char* reason) {
    if (scheduler_.is_lost(rank - 1)) {
      return;
    }
    lost_ = true;
    scheduler_.lose(rank - 1);
    if (!watches_[static_cast<std::size_t>(rank)].kill()) {
      out_of_reach_ = true;
    }
    if (!discard_) {
      job_->lost(rank, reason);
    }
  }

  /// Lets all workers drop what they have and waits until each has said so: then no message is on
  /// its way any more.
  void quiesce() {
    scheduler_.stop();
    if (!told_to_stop_) {
      told_to_stop_ = true;
      Message stop;
      write_message(stop, {.kind = MessageKind::stop});
      for (int rank = 1; rank < world_->size(); ++rank) {
        send_to_living(rank, stop);
      }
    }
    const double patience = seconds_now() + lease_;
    while (const std::optional<int> waiting = first_not_dropped()) {
      const bool busy = take_messages();
      keep_house();
      if (!scheduler_.has_work(*waiting - 1) && seconds_now() > patience) {
        lose(*waiting, "does not answer");
      }
      pause(busy);
    }
  }

  [[nodiscard]] std::optional<int> first_not_dropped() const {
    for (int rank = 1; rank < world_->size(); ++rank) {
      if (!scheduler_.is_lost(rank - 1) && !dropped_[static_cast<std::size_t>(rank)]) {
        return rank;
      }
    }
    return std::nullopt;
  }

  void dismiss(int code) {
    Message leave;
    write_message(leave, {.kind = MessageKind::leave, .code = code, .lost_ranks = lost_ ? 1U : 0U});
    for (int rank = 1; rank < world_->size(); ++rank) {
      send_to_living(rank, leave);
    }
    const double patience = seconds_now() + 1.0;
    while (outbox_.settle() > 0 && (!lost_ || seconds_now() < patience)) {
      pause(false);
    }
  }

  void send_to_living(int rank, const Message& message) {
    if (!scheduler_.is_lost(rank - 1) && !outbox_.send(rank, tag_to_worker, message)) {
      lose(rank, "cannot be reached");
    }
  }

  void pause(bool busy) {
    if (busy) {
      idle_.reset();
    } else {
      idle_.wait();
    }
  }

  const boost::mpi::communicator* world_;
  Job* job_;
  const Evaluate* evaluate_;
  double lease_;
  Scheduler scheduler_;
  Outbox outbox_;
  ProcessIdentity self_;
  std::vector<ProcessWatch> watches_;  ///< by rank
  std::vector<char> dropped_;          ///< by rank: has said that it dropped everything
  Idle idle_;
  Message message_;
  Results results_;
  double last_tick_ = 0.0;
  double last_watch_ = 0.0;
  bool told_to_stop_ = false;
  bool discard_ = false;  ///< the job failed: results are of no use any more
  bool lost_ = false;
  bool out_of_reach_ = false;  ///< a lost worker runs on another host and may still be there
};

}  // namespace

void run_master(const boost::mpi::communicator& world, Job& job, const Evaluate& evaluate,
                const SchedulerOptions& options, const std::function<int()>& exit_code,
                MasterEnd& end) {
  Master master(world, job, evaluate, options);
  try {
    master.run(exit_code);
  } catch (...) {
    end = master.end();
    throw;
  }
  end = master.end();
}

void run_alone(Job& job, const Evaluate& evaluate) {
  Results results;
  double last_tick = seconds_now();
  while (!job.should_stop()) {
    const std::vector<machine::Grid> grids = job.next(1);
    if (grids.empty()) {
      return;
    }
    const double begin = seconds_now();
    results.clear();
    (evaluate)(grids.front(), results);
    const double now = seconds_now();
    job.take(results, 0, now - begin);
    if (now - last_tick >= tick_seconds) {
      last_tick = now;
      job.tick();
    }
  }
}

}  // namespace gridcast::sweep
