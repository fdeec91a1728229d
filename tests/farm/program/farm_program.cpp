/// A farm with made-up evaluations that can end, hang or stop their worker, for tests under mpirun:
/// farm_program [key=value...]. The grids are 1 ... `grids` in one dimension; the "execution time"
/// of grid n is n. `group` ranks form a group. Leases run out by the clocks of the board, which
/// stand still until the test has brought about what a lease is for. Prints what rank 0 got.

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <set>
#include <stdexcept>
#include <string>

#include "board.h"
#include "gridcast/farm/farm.h"

namespace {

namespace mpi = boost::mpi;
using gridcast::machine::Grid;
using gridcast::sweep::Layout;
using gridcast::sweep::Results;
using gridcast::sweep::Task;

using farm_test::Board;
using Values = std::map<std::string, std::string>;

double number(const Values& values, const char* key, double otherwise) {
  const auto found = values.find(key);
  return found == values.end() ? otherwise : std::strtod(found->second.c_str(), nullptr);
}

/// Of any clock.
double clock_seconds(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

constexpr double lease_seconds = 60.0;

class TestJob final : public gridcast::sweep::Job {
public:
  TestJob(const Values& values, Board& board)
      : board_(&board),
        frozen_(static_cast<int>(number(values, "freeze", 0))),
        grids_(static_cast<std::int64_t>(number(values, "grids", 100))),
        quiet_rounds_(static_cast<int>(number(values, "quiet", 0))),
        fail_after_(number(values, "fail_after", 0)),
        stops_(number(values, "endless", 0) > 0),
        seen_(static_cast<std::size_t>(grids_) + 1) {}

  std::vector<Task> next(std::size_t max) override {
    std::vector<Task> tasks;
    if (frozen_ != 0) {
      // One at a time: none waits where nobody sees it.
      max = handed_ == taken_ + board_->held ? 1 : 0;
    }
    while (tasks.size() < max && handed_ < grids_) {
      const std::int64_t extent = ++handed_;
      tasks.push_back({.grid = Grid(std::span(&extent, 1)), .variant = 7 * extent});
    }
    return tasks;
  }

  void take(std::span<const Task> tasks, const Results& results, int worker, double) override {
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      const gridcast::store::ResultRow& row = results.rows[i];
      mixed_up_ +=
          row.grid() == tasks[i].grid && tasks[i].variant == 7 * row.grid().processors() ? 0 : 1;
      note(row.grid());
      sum_ += row.characteristics.execution_time;
      alone_ += worker == 0 ? 1 : 0;
      // Workers say who they are.
      mixed_up_ += row.characteristics.efficiency == worker ? 0 : 1;
      evaluators_.insert(worker);
    }
    if (fail_after_ > 0 && static_cast<double>(taken_) >= fail_after_) {
      throw std::runtime_error("the job fails");
    }
  }

  void give_up(const Task& task, const std::string&) override {
    note(task.grid);
    given_up_ += (given_up_.empty() ? "" : ",") + task.grid.text();
  }

  void lost(const gridcast::sweep::LostRank&) override { ++lost_; }
  bool finished() const override { return taken_ == grids_; }
  void tick() override {}

  bool should_stop() override {
    if (lost_ < board_->hung && taken_ == grids_ - 1) {
      // Nothing is out but the grid that hangs.
      move_clock(board_->master_of_hung);
    }
    if (frozen_ != 0 && lost_ == 0 && board_->held > 0 && handed_ == grids_ &&
        taken_ == grids_ - board_->held) {
      freeze();
      move_clock(0);
    }
    if (quiet_rounds_ > 0 && board_->held > 0 && taken_ == grids_ - 1) {
      note_quiet_round();
    }
    return stops_ && board_->held > 0;  // the grid without an end was begun
  }

  void print() const {
    const auto repeated = std::count_if(seen_.begin(), seen_.end(), [](int n) { return n > 1; });
    std::printf(
        "taken=%lld sum=%.0f given_up=%s lost=%d repeated=%lld alone=%lld mixed_up=%lld "
        "evaluators=%zu held=%d busy=%.3f\n",
        static_cast<long long>(taken_), sum_, given_up_.c_str(), lost_,
        static_cast<long long>(repeated), static_cast<long long>(alone_),
        static_cast<long long>(mixed_up_), evaluators_.size(), board_->held.load(), busy_);
    std::fflush(stdout);
  }

private:
  void note(const Grid& grid) {
    ++taken_;
    ++seen_[static_cast<std::size_t>(grid.processors())];
  }

  /// A round of rank 0 that has nothing to do: the last grid is held until there were enough.
  void note_quiet_round() {
    const double used = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
    const double now = clock_seconds(CLOCK_MONOTONIC);
    if (rounds_ == 0) {
      used_at_begin_ = used;
      begin_ = now;
    }
    if (++rounds_ == quiet_rounds_) {
      busy_ = (used - used_at_begin_) / (now - begin_);
      board_->released = true;
    }
  }

  void move_clock(int master) {
    std::atomic<double>& clock = board_->clock[static_cast<std::size_t>(master)];
    clock = clock + lease_seconds + 1.0;
  }

  /// Stops the group master; its workers may go on.
  void freeze() {
    ::kill(board_->pid[static_cast<std::size_t>(frozen_)], SIGSTOP);
    board_->released = true;
  }

  Board* board_;
  int frozen_;  ///< a group master that is to hang; 0: none
  std::int64_t grids_;
  int quiet_rounds_;  ///< how many rounds without work rank 0 is to make; 0: whatever comes
  int rounds_ = 0;
  double begin_ = 0.0;
  double used_at_begin_ = 0.0;
  double busy_ = 1.0;  ///< processor time of rank 0 per time that passed in the quiet rounds
  double fail_after_;
  bool stops_;
  std::vector<int> seen_;
  std::int64_t handed_ = 0;
  std::int64_t taken_ = 0;
  std::int64_t alone_ = 0;
  std::int64_t mixed_up_ = 0;  ///< rows that do not fit their task or worker
  std::set<int> evaluators_;
  double sum_ = 0.0;
  std::string given_up_;
  int lost_ = 0;
};

void spin(double seconds) {
  const auto begin = std::chrono::steady_clock::now();
  while (std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() <
         seconds) {
  }
}

/// Evaluates like a prediction that takes `task` seconds; grids `kill` and `hang` do what they say,
/// grid `endless` goes on until it is to give up.
/// The workers of a group master that is to be frozen wait until it is; whoever has the last grid
/// waits for `quiet` rounds of rank 0 without work.
gridcast::sweep::Evaluate make_evaluate(const Values& values, Board& board, int rank, int master) {
  const auto kill_at = static_cast<std::int64_t>(number(values, "kill", 0));
  const auto hang_at = static_cast<std::int64_t>(number(values, "hang", 0));
  const auto endless = static_cast<std::int64_t>(number(values, "endless", 0));
  const double duration = number(values, "task", 0.0);
  const bool waits = master != 0 && master == static_cast<int>(number(values, "freeze", 0));
  const auto waits_at =
      number(values, "quiet", 0) > 0 ? static_cast<std::int64_t>(number(values, "grids", 100)) : 0;
  return [=, &board](const Task& task, Results& results) {
    const Grid& grid = task.grid;
    if (grid.processors() == kill_at) {
      ::raise(SIGKILL);
    }
    if (grid.processors() == hang_at) {
      board.master_of_hung = master;
      ++board.hung;
      ::pause();
    }
    if (grid.processors() == endless) {
      ++board.held;
      while (!results.give_up()) {
        ::usleep(1000);
      }
      return;
    }
    if (waits || grid.processors() == waits_at) {
      ++board.held;
      while (!board.released) {
        ::usleep(1000);
      }
    }
    if (duration > 0.0) {
      spin(duration);
    }
    gridcast::model::Characteristics sums;
    sums.execution_time = static_cast<double>(grid.processors());
    sums.efficiency = rank;
    results.rows.push_back(gridcast::store::make_row(grid, 1.0, sums));
  };
}

gridcast::sweep::FarmOptions options_of(const Values& values, const Board& board, int rank) {
  gridcast::sweep::FarmOptions options;
  std::size_t& batch = options.scheduler.max_batch;
  batch = static_cast<std::size_t>(number(values, "batch", static_cast<double>(batch)));
  options.scheduler.lease_seconds = lease_seconds;
  options.scheduler.lease_factor = 1.0;
  options.scheduler.first_lease_factor = 1.0;
  const std::atomic<double>& clock = board.clock[static_cast<std::size_t>(rank)];
  options.lease_clock = [&clock] { return clock.load(); };
  return options;
}

int run_rank_0(const mpi::communicator& world, const Layout& layout, const Values& values,
               Board& board, bool& lost_ranks) {
  TestJob job(values, board);
  gridcast::sweep::MasterEnd end;
  int code = 0;
  try {
    gridcast::sweep::run_master(
        world, layout, job, make_evaluate(values, board, 0, 0), options_of(values, board, 0),
        [] { return 0; }, end);
  } catch (const std::exception& error) {
    std::printf("error: %s\n", error.what());
    code = 1;
  }
  job.print();
  lost_ranks = end.lost_ranks;
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  Values values;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const std::size_t equals = argument.find('=');
    values[argument.substr(0, equals)] = argument.substr(equals + 1);
  }
  const mpi::environment environment;
  const mpi::communicator world;
  Board& board = farm_test::open_board(values["board"]);
  const int rank = world.rank();
  board.pid[static_cast<std::size_t>(rank)] = ::getpid();
  const Layout layout =
      gridcast::sweep::choose_layout(world, static_cast<int>(number(values, "group", 0)));
  bool lost_ranks = false;
  int code = 0;
  if (rank == 0) {
    code = run_rank_0(world, layout, values, board, lost_ranks);
  } else {
    const gridcast::sweep::WorkerEnd end = gridcast::sweep::run_worker(
        world, layout, make_evaluate(values, board, rank, layout.master_of(rank)),
        options_of(values, board, rank));
    code = end.exit_code;
    lost_ranks = end.lost_ranks;
  }
  if (lost_ranks) {
    std::fflush(nullptr);
    ::_exit(code);
  }
  return code;
}
