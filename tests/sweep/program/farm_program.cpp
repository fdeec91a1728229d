/// A farm with made-up evaluations that can end, hang or stop their worker, for tests under mpirun:
/// farm_program [key=value...]. The grids are 1 ... `grids` in one dimension; the "execution time"
/// of grid n is n. `group` ranks form a group. Prints what rank 0 got.

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <map>
#include <set>
#include <stdexcept>
#include <string>

#include "gridcast/sweep/farm.h"

namespace {

namespace mpi = boost::mpi;
using gridcast::machine::Grid;
using gridcast::sweep::Layout;
using gridcast::sweep::Results;
using gridcast::sweep::Task;

using Values = std::map<std::string, std::string>;

double number(const Values& values, const char* key, double otherwise) {
  const auto found = values.find(key);
  return found == values.end() ? otherwise : std::strtod(found->second.c_str(), nullptr);
}

/// Seconds of processor time that this process has used.
double processor_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

class TestJob final : public gridcast::sweep::Job {
public:
  explicit TestJob(const Values& values)
      : grids_(static_cast<std::int64_t>(number(values, "grids", 100))),
        fail_after_(number(values, "fail_after", 0)),
        seen_(static_cast<std::size_t>(grids_) + 1) {}

  std::vector<Task> next(std::size_t max) override {
    std::vector<Task> tasks;
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
  bool should_stop() override { return false; }
  void tick() override {}

  void print() const {
    const auto repeated = std::count_if(seen_.begin(), seen_.end(), [](int n) { return n > 1; });
    std::printf(
        "taken=%lld sum=%.0f given_up=%s lost=%d repeated=%lld alone=%lld mixed_up=%lld "
        "evaluators=%zu cpu=%.3f\n",
        static_cast<long long>(taken_), sum_, given_up_.c_str(), lost_,
        static_cast<long long>(repeated), static_cast<long long>(alone_),
        static_cast<long long>(mixed_up_), evaluators_.size(), processor_seconds());
    std::fflush(stdout);
  }

private:
  void note(const Grid& grid) {
    ++taken_;
    ++seen_[static_cast<std::size_t>(grid.processors())];
  }

  std::int64_t grids_;
  double fail_after_;
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

/// Evaluates like a prediction that takes `task` seconds; grids `kill` and `hang` do what they say.
gridcast::sweep::Evaluate make_evaluate(const Values& values, int rank) {
  const auto kill_at = static_cast<std::int64_t>(number(values, "kill", 0));
  const auto hang_at = static_cast<std::int64_t>(number(values, "hang", 0));
  const double duration = number(values, "task", 0.0);
  return [=](const Task& task, Results& results) {
    const Grid& grid = task.grid;
    if (grid.processors() == kill_at) {
      ::raise(SIGKILL);
    }
    if (grid.processors() == hang_at) {
      ::pause();
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

gridcast::sweep::SchedulerOptions options_of(const Values& values) {
  gridcast::sweep::SchedulerOptions options;
  options.lease_seconds = number(values, "lease", options.lease_seconds);
  options.first_lease_factor = 1.0;
  return options;
}

int run_rank_0(const mpi::communicator& world, const Layout& layout, const Values& values,
               bool& lost_ranks) {
  TestJob job(values);
  gridcast::sweep::MasterEnd end;
  int code = 0;
  try {
    gridcast::sweep::run_master(
        world, layout, job, make_evaluate(values, 0), options_of(values), [] { return 0; }, end);
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
  if (values.contains("pids")) {
    // The test wants to end certain ranks.
    std::ofstream(values["pids"] + std::to_string(world.rank())) << ::getpid() << std::endl;
  }
  const Layout layout =
      gridcast::sweep::choose_layout(world, static_cast<int>(number(values, "group", 0)));
  bool lost_ranks = false;
  int code = 0;
  if (world.rank() == 0) {
    code = run_rank_0(world, layout, values, lost_ranks);
  } else {
    const gridcast::sweep::WorkerEnd end = gridcast::sweep::run_worker(
        world, layout, make_evaluate(values, world.rank()), options_of(values));
    code = end.exit_code;
    lost_ranks = end.lost_ranks;
  }
  if (lost_ranks) {
    std::fflush(nullptr);
    ::_exit(code);
  }
  return code;
}
