/// A farm with made-up evaluations that can end, hang or stop their worker, for tests under mpirun:
/// farm_program [key=value...]. The grids are 1 ... `grids` in one dimension; the "execution time"
/// of grid n is n. Prints what rank 0 got.

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
#include <stdexcept>
#include <string>

#include "gridcast/sweep/farm.h"

namespace {

namespace mpi = boost::mpi;
using gridcast::machine::Grid;
using gridcast::sweep::Results;

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

  std::vector<Grid> next(std::size_t max) override {
    std::vector<Grid> grids;
    while (grids.size() < max && handed_ < grids_) {
      const std::int64_t extent = ++handed_;
      grids.emplace_back(std::span(&extent, 1));
    }
    return grids;
  }

  void take(const Results& results, int worker, double) override {
    for (const gridcast::store::ResultRow& row : results.rows) {
      note(row.grid());
      sum_ += row.characteristics.execution_time;
      alone_ += worker == 0 ? 1 : 0;
    }
    if (fail_after_ > 0 && static_cast<double>(taken_) >= fail_after_) {
      throw std::runtime_error("the job fails");
    }
  }

  void give_up(const Grid& grid, const std::string&) override {
    note(grid);
    given_up_ += (given_up_.empty() ? "" : ",") + grid.text();
  }

  void lost(int, const std::string&) override { ++lost_; }
  bool finished() const override { return taken_ == grids_; }
  bool should_stop() override { return false; }
  void tick() override {}

  void print() const {
    const auto repeated = std::count_if(seen_.begin(), seen_.end(), [](int n) { return n > 1; });
    std::printf("taken=%lld sum=%.0f given_up=%s lost=%d repeated=%lld alone=%lld cpu=%.3f\n",
                static_cast<long long>(taken_), sum_, given_up_.c_str(), lost_,
                static_cast<long long>(repeated), static_cast<long long>(alone_),
                processor_seconds());
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
gridcast::sweep::Evaluate make_evaluate(const Values& values) {
  const auto kill_at = static_cast<std::int64_t>(number(values, "kill", 0));
  const auto hang_at = static_cast<std::int64_t>(number(values, "hang", 0));
  const double task = number(values, "task", 0.0);
  return [=](const Grid& grid, Results& results) {
    if (grid.processors() == kill_at) {
      ::raise(SIGKILL);
    }
    if (grid.processors() == hang_at) {
      ::pause();
    }
    if (task > 0.0) {
      spin(task);
    }
    gridcast::model::Characteristics sums;
    sums.execution_time = static_cast<double>(grid.processors());
    results.rows.push_back(gridcast::store::make_row(grid, 1.0, sums));
  };
}

int run_rank_0(const mpi::communicator& world, const Values& values, bool& lost_ranks) {
  TestJob job(values);
  gridcast::sweep::SchedulerOptions options;
  options.lease_seconds = number(values, "lease", options.lease_seconds);
  options.first_lease_factor = 1.0;
  gridcast::sweep::MasterEnd end;
  int code = 0;
  try {
    gridcast::sweep::run_master(
        world, job, make_evaluate(values), options, [] { return 0; }, end);
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
  bool lost_ranks = false;
  int code = 0;
  if (world.rank() == 0) {
    code = run_rank_0(world, values, lost_ranks);
  } else {
    const gridcast::sweep::WorkerEnd end =
        gridcast::sweep::run_worker(world, make_evaluate(values));
    code = end.exit_code;
    lost_ranks = end.lost_ranks;
  }
  if (lost_ranks) {
    std::fflush(nullptr);
    ::_exit(code);
  }
  return code;
}
