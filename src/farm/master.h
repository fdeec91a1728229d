#pragma once
/// A master: hands out the tasks of a job to its workers and takes their results. Rank 0 is one,
/// and so is the master of a group.

#include <boost/mpi/communicator.hpp>
#include <functional>
#include <unordered_map>
#include <vector>

#include "gridcast/farm/farm.h"
#include "gridcast/farm/idle.h"
#include "mailbox.h"
#include "process.h"

namespace gridcast::sweep {

class Master {
public:
  /// `evaluate`: for tasks when no worker is left; without it they stay.
  Master(const boost::mpi::communicator& world, const Layout& layout, Job& job,
         const Evaluate* evaluate, const FarmOptions& options);

  /// Until the job is finished or has to stop. Then all workers are told to drop what they have,
  /// `end` is asked how to end, and they are told to leave so. What Job throws comes out here after
  /// that.
  void run(const std::function<WorkerEnd()>& end);

  [[nodiscard]] MasterEnd end() const noexcept { return {lost_, out_of_reach_}; }

private:
  void greet();
  void farm();
  bool hand_out();
  bool work_alone();
  bool give_up();
  bool take_messages();
  void take_message(int rank);
  void take_results(int worker, const MessageHeader& header);
  void take_bundle(int worker);
  void take_gave_up(int worker, const MessageHeader& header);
  void take_lost(int worker);
  void keep_house();
  void look_for_lost();
  void lose(int worker, const char* reason);
  void lose_group_of(int worker);
  void report_lost(const LostRank& lost);
  void quiesce();
  [[nodiscard]] std::optional<int> first_not_dropped() const;
  void dismiss(const WorkerEnd& end);
  void end_orphans();
  void send_to_living(const Message& message);
  void pause(bool busy);
  [[nodiscard]] double lease_now() const;

  /// Who has a number of a worker in the scheduler.
  struct Child {
    int rank = 0;
    std::vector<int> group;  ///< its workers if it is a group master
    bool gone = false;
    bool dropped = false;  ///< has said that it dropped everything
  };
  [[nodiscard]] Child& at(int worker) { return children_[static_cast<std::size_t>(worker)]; }

  const boost::mpi::communicator* world_;
  Job* job_;
  const Evaluate* evaluate_;
  double lease_;
  std::function<double()> lease_clock_;
  std::vector<Child> children_;
  std::unordered_map<int, int> worker_of_rank_;
  Scheduler scheduler_;
  Inbox inbox_;
  Outbox outbox_;
  ProcessIdentity self_;
  std::unordered_map<int, ProcessWatch> watches_;  ///< by rank; rank 0 knows all ranks
  std::vector<int> orphans_;                       ///< ranks whose group master is gone
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

/// Runs the master of a group.
[[nodiscard]] WorkerEnd run_group_master(const boost::mpi::communicator& world,
                                         const Layout& layout, const FarmOptions& options);

/// Runs a worker of a master.
[[nodiscard]] WorkerEnd run_plain_worker(const boost::mpi::communicator& world, int master,
                                         const Evaluate& evaluate);

}  // namespace gridcast::sweep
