/// The master of a group: for rank 0 one very fast worker, for its workers what rank 0 is without
/// groups.

#include <deque>
#include <utility>

#include "gridcast/farm/periods.h"
#include "gridcast/farm/watch.h"
#include "master.h"

namespace gridcast::sweep {
namespace {

/// Results go up at least this often while rank 0 may be waiting for them to see who needs work.
constexpr double hurry_seconds = 0.005;
/// ... and when there are so many bytes of them.
constexpr std::size_t send_bytes = std::size_t{1} << 20U;
/// A sign of life; much less than any sensible lease.
constexpr double pulse_seconds = 0.5;

/// The tasks that rank 0 gave to this group, as a job for its workers.
class Shares final : public Job {
public:
  Shares(const boost::mpi::communicator& world, std::size_t workers)
      : workers_(workers), inbox_(world, tag_to_worker), outbox_(world), self_(this_process()) {
    if (Watch* const watch = Watch::current()) {
      rank_0_ = watch->process_of(0);  // if it is killed before it says hello
    }
    Message hello;
    write_hello(hello, self_);
    send(std::move(hello));
  }

  [[nodiscard]] std::vector<Task> next(std::size_t max) override {
    const std::size_t count = std::min(max, waiting_.size());
    const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(count);
    std::vector<Task> tasks(waiting_.begin(), end);
    waiting_.erase(waiting_.begin(), end);
    return tasks;
  }

  void take(std::span<const Task> tasks, const Results& results, int worker,
            double seconds) override {
    bundle_.add(worker, tasks, results, seconds);
    in_hand_ -= tasks.size();
  }

  void give_up(const Task& task, const std::string& reason) override {
    send_bundle();
    Message message;
    write_gave_up(message, task, reason);
    send(std::move(message));
    --in_hand_;
  }

  void lost(const LostRank& lost) override {
    send_bundle();
    Message message;
    write_lost(message, lost);
    send(std::move(message));
  }

  /// There may always be another share.
  [[nodiscard]] bool finished() const override { return false; }

  [[nodiscard]] bool should_stop() override {
    poll();
    send_what_is_due();
    return stopped_;
  }

  void tick() override {
    send_what_is_due();
    const double now = seconds_now();
    if (now - last_sent_ >= pulse_seconds) {
      Message message;
      write_message(message, {.kind = MessageKind::pulse});
      send(std::move(message));
    }
    outbox_.settle();
  }

  /// When all workers have dropped what they had: waits until rank 0 says how to end.
  [[nodiscard]] WorkerEnd wait_for_leave() {
    send_bundle();
    Message message;
    write_message(message, {.kind = MessageKind::dropped});
    send(std::move(message));
    Idle idle;
    while (!end_) {
      poll();
      outbox_.settle();
      idle.wait();
    }
    return *end_;
  }

private:
  void poll() {
    while (inbox_.take(0, message_)) {
      take_message();
    }
    const double now = seconds_now();
    if (now - last_watch_ >= watch_seconds) {
      last_watch_ = now;
      if (rank_0_.is_gone()) {
        end_ = WorkerEnd{1, true};
        stopped_ = true;
      }
    }
  }

  void take_message() {
    const MessageHeader header = read_header(message_);
    switch (header.kind) {
      case MessageKind::hello:
        rank_0_ = ProcessWatch(read_hello(message_), self_);
        break;
      case MessageKind::batch:
        take_share(header);
        break;
      case MessageKind::stop:
        stopped_ = true;
        break;
      case MessageKind::leave:
        end_ = WorkerEnd{header.code, header.lost_ranks != 0};
        stopped_ = true;
        break;
      case MessageKind::results:
      case MessageKind::dropped:
      case MessageKind::bundle:
      case MessageKind::gave_up:
      case MessageKind::lost:
      case MessageKind::pulse:
        break;  // never sent to a group master by rank 0
    }
  }

  void take_share(const MessageHeader& header) {
    std::uint64_t number = header.id;
    for (Task& task : read_tasks(message_)) {
      task.number = number++;
      waiting_.push_back(task);
      ++in_hand_;
    }
  }

  void send_what_is_due() {
    if (bundle_.empty()) {
      return;
    }
    const double period = in_hand_ < 2 * workers_ ? hurry_seconds : send_seconds;
    if (bundle_.bytes() >= send_bytes || seconds_now() - last_sent_ >= period) {
      send_bundle();
    }
  }

  void send_bundle() {
    if (!bundle_.empty()) {
      send(bundle_.take());
    }
  }

  void send(Message message) {
    last_sent_ = seconds_now();
    outbox_.send(0, tag_to_master, std::move(message));
  }

  std::size_t workers_;
  Inbox inbox_;
  Outbox outbox_;
  ProcessIdentity self_;
  ProcessWatch rank_0_;
  Message message_;
  std::deque<Task> waiting_;
  std::size_t in_hand_ = 0;  ///< tasks of rank 0 that it has no results of
  Bundle bundle_;
  double last_sent_ = 0.0;
  double last_watch_ = 0.0;
  bool stopped_ = false;
  std::optional<WorkerEnd> end_;
};

}  // namespace

WorkerEnd run_group_master(const boost::mpi::communicator& world, const Layout& layout,
                           const FarmOptions& options) {
  Shares shares(world, layout.workers_of(world.rank()).size());
  Master master(world, layout, shares, nullptr, options);
  WorkerEnd end;
  master.run([&] {
    end = shares.wait_for_leave();
    return end;
  });
  end.lost_ranks = end.lost_ranks || master.end().lost_ranks;
  return end;
}

}  // namespace gridcast::sweep
