/// The worker's side of the farm.

#include <deque>
#include <utility>

#include "gridcast/farm/periods.h"
#include "gridcast/farm/watch.h"
#include "master.h"

namespace gridcast::sweep {
namespace {

/// Between tasks messages are looked for at most this often: looking costs as much as a very short
/// evaluation.
constexpr double poll_seconds = 1e-4;

class Worker {
public:
  Worker(const boost::mpi::communicator& world, int master, const Evaluate& evaluate)
      : master_(master),
        evaluate_(&evaluate),
        inbox_(world, tag_to_worker),
        outbox_(world),
        self_(this_process()) {
    if (Watch* const watch = Watch::current()) {
      watch_ = watch->process_of(master);  // if it is killed before it says hello
    }
    results_.give_up = [this] {
      if (seconds_now() - last_poll_ >= poll_seconds) {
        poll();
      }
      return stopped_ || end_;
    };
  }

  WorkerEnd run() {
    Message hello;
    write_hello(hello, self_);
    if (master_ != 0) {
      outbox_.send(0, tag_to_master, hello);
    }
    outbox_.send(master_, tag_to_master, std::move(hello));
    while (!end_) {
      if (poll()) {
        idle_.reset();
      }
      if (batches_.empty()) {
        wait();
      } else {
        work();
      }
    }
    return *end_;
  }

private:
  /// A batch and how far it has been evaluated.
  struct Open {
    std::uint64_t id = 0;
    std::vector<Task> tasks;
    std::size_t next = 0;
  };

  /// Takes all messages that have come in; returns whether there was one.
  bool poll() {
    bool any = false;
    // From its master; from rank 0 when its group master is gone.
    while (!end_ && inbox_.take(boost::mpi::any_source, message_)) {
      any = true;
      take_message();
    }
    last_poll_ = seconds_now();
    return any;
  }

  void take_message() {
    const MessageHeader header = read_header(message_);
    switch (header.kind) {
      case MessageKind::hello:
        watch_ = ProcessWatch(read_hello(message_), self_);
        break;
      case MessageKind::batch:
        batches_.push_back({header.id, read_tasks(message_), 0});
        break;
      case MessageKind::stop:
        stop();
        break;
      case MessageKind::leave:
        end_ = WorkerEnd{header.code, header.lost_ranks != 0};
        break;
      case MessageKind::results:
      case MessageKind::dropped:
      case MessageKind::bundle:
      case MessageKind::gave_up:
      case MessageKind::lost:
      case MessageKind::pulse:
        break;  // never sent to a worker
    }
  }

  /// Evaluates tasks of the oldest batch until it is done, results are due or a message has come
  /// in.
  void work() {
    Open& batch = batches_.front();
    stopped_ = false;
    const double begin = seconds_now();
    double now = begin;
    while (batch.next < batch.tasks.size()) {
      (*evaluate_)(batch.tasks[batch.next], results_);
      if (stopped_ || end_) {
        results_.clear();  // the master knows that this task is dropped
        return;
      }
      ++batch.next;
      now = seconds_now();
      if (now - begin >= send_seconds || now - last_poll_ >= poll_seconds) {
        break;
      }
    }
    seconds_ += now - begin;
    if (batch.next == batch.tasks.size() || seconds_ >= send_seconds) {
      send_results();
    }
    if (batch.next == batch.tasks.size()) {
      batches_.pop_front();
    }
  }

  void send_results() {
    if (!results_.rows.empty()) {
      Message message;
      write_results(message, batches_.front().id, results_, seconds_);
      outbox_.send(master_, tag_to_master, std::move(message));
    }
    results_.clear();
    seconds_ = 0.0;
  }

  void stop() {
    if (!batches_.empty()) {
      send_results();
    }
    batches_.clear();
    stopped_ = true;
    Message message;
    write_message(message, {.kind = MessageKind::dropped});
    outbox_.send(master_, tag_to_master, std::move(message));
  }

  void wait() {
    const double now = seconds_now();
    if (now - last_watch_ >= watch_seconds) {
      last_watch_ = now;
      if (watch_.is_gone()) {
        end_ = WorkerEnd{1, true};
        return;
      }
    }
    outbox_.settle();
    idle_.wait();
  }

  int master_;
  const Evaluate* evaluate_;
  Inbox inbox_;
  Outbox outbox_;
  ProcessIdentity self_;
  ProcessWatch watch_;  ///< of the master
  Idle idle_;
  Message message_;
  bool stopped_ = false;  // batches_ were dropped
  std::deque<Open> batches_;
  Results results_;       ///< not yet sent, all of the oldest batch
  double seconds_ = 0.0;  ///< that those took
  double last_poll_ = 0.0;
  double last_watch_ = 0.0;
  std::optional<WorkerEnd> end_;
};

}  // namespace

WorkerEnd run_plain_worker(const boost::mpi::communicator& world, int master,
                           const Evaluate& evaluate) {
  return Worker(world, master, evaluate).run();
}

}  // namespace gridcast::sweep
