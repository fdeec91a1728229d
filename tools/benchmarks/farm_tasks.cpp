/// How fast the farm is by itself: tasks that do nothing, wait or keep a core busy, under mpirun.
/// farm_tasks [tasks=N] [kind=empty|sleep|spin] [seconds=S] [batch=N] [group=RANKS]
/// `batch`: most tasks in a message. Rank 0 prints one line of key=value: workers; wall seconds
/// from the first task to the last result; tasks per second; efficiency, the share of the workers'
/// time that is spent in tasks; and processor microseconds per task of rank 0, of the busiest group
/// master times their number, and of the busiest worker times their number.

#include <fmt/core.h>

#include <algorithm>
#include <boost/mpi/collectives.hpp>
#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>
#include <boost/mpi/operations.hpp>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <map>
#include <string>
#include <thread>

#include "gridcast/farm/farm.h"

namespace {

namespace mpi = boost::mpi;
using gridcast::machine::Grid;
using gridcast::sweep::Results;
using gridcast::sweep::Task;

double clock_seconds(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double now() { return clock_seconds(CLOCK_MONOTONIC); }
double processor_seconds() { return clock_seconds(CLOCK_PROCESS_CPUTIME_ID); }

/// Counts, and measures from the first task to the last result.
class CountingJob final : public gridcast::sweep::Job {
public:
  explicit CountingJob(std::int64_t tasks) : tasks_(tasks) {}

  std::vector<Task> next(std::size_t max) override {
    if (handed_ == 0) {
      begin_ = now();
      processor_begin_ = processor_seconds();
    }
    const auto count = std::min<std::int64_t>(static_cast<std::int64_t>(max), tasks_ - handed_);
    handed_ += count;
    return std::vector<Task>(static_cast<std::size_t>(count));
  }

  void take(std::span<const Task> tasks, const Results&, int, double seconds) override {
    taken_ += static_cast<std::int64_t>(tasks.size());
    in_tasks_ += seconds;
    if (taken_ == tasks_) {
      wall_ = now() - begin_;
      processor_ = processor_seconds() - processor_begin_;
    }
  }

  void give_up(const Task&, const std::string&) override {}
  void lost(const gridcast::sweep::LostRank&) override {}
  bool finished() const override { return taken_ == tasks_; }
  bool should_stop() override { return false; }
  void tick() override {}

  [[nodiscard]] std::int64_t tasks() const { return tasks_; }
  [[nodiscard]] double in_tasks() const { return in_tasks_; }
  [[nodiscard]] double wall() const { return wall_; }
  [[nodiscard]] double processor() const { return processor_; }

private:
  std::int64_t tasks_;
  std::int64_t handed_ = 0;
  std::int64_t taken_ = 0;
  double begin_ = 0.0;
  double processor_begin_ = 0.0;
  double wall_ = 0.0;
  double processor_ = 0.0;
  double in_tasks_ = 0.0;
};

void append_row(const Task& task, Results& results) {
  static const gridcast::model::Characteristics nothing;
  results.rows.push_back(gridcast::store::make_row(task.grid, 1.0, nothing));
}

gridcast::sweep::Evaluate evaluation(const std::string& kind, double seconds) {
  if (kind == "sleep") {
    return [seconds](const Task& task, Results& results) {
      std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
      append_row(task, results);
    };
  }
  if (kind == "spin") {
    return [seconds](const Task& task, Results& results) {
      // Processor time: on a busy machine a task takes longer, as a prediction does.
      const double begin = clock_seconds(CLOCK_THREAD_CPUTIME_ID);
      while (clock_seconds(CLOCK_THREAD_CPUTIME_ID) - begin < seconds) {
      }
      append_row(task, results);
    };
  }
  return append_row;
}

using Values = std::map<std::string, std::string>;

double number(const Values& values, const char* key, double otherwise) {
  const auto found = values.find(key);
  return found == values.end() ? otherwise : std::strtod(found->second.c_str(), nullptr);
}

}  // namespace

int main(int argc, char** argv) {
  Values values{{"kind", "empty"}};
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const std::size_t equals = argument.find('=');
    values[argument.substr(0, equals)] = argument.substr(std::min(equals, argument.size() - 1) + 1);
  }
  const mpi::environment environment;
  const mpi::communicator world;
  const gridcast::sweep::Layout layout =
      gridcast::sweep::choose_layout(world, static_cast<int>(number(values, "group", 0)));
  gridcast::sweep::FarmOptions options;
  std::size_t& batch = options.scheduler.max_batch;
  batch = static_cast<std::size_t>(number(values, "batch", static_cast<double>(batch)));
  const gridcast::sweep::Evaluate evaluate =
      evaluation(values["kind"], number(values, "seconds", 0.0));
  const bool relays = layout.is_group_master(world.rank());
  const bool evaluates = world.rank() != 0 && !relays;
  const int workers = mpi::all_reduce(world, evaluates ? 1 : 0, std::plus<int>());
  const int groups = mpi::all_reduce(world, relays ? 1 : 0, std::plus<int>());
  world.barrier();
  const double begin = processor_seconds();
  CountingJob job(static_cast<std::int64_t>(number(values, "tasks", 1e6)));
  if (world.rank() == 0) {
    gridcast::sweep::MasterEnd end;
    gridcast::sweep::run_master(
        world, layout, job, evaluate, options, [] { return 0; }, end);
  } else {
    static_cast<void>(gridcast::sweep::run_worker(world, layout, evaluate, options));
  }
  const double own = processor_seconds() - begin;
  const double relay = mpi::all_reduce(world, relays ? own : 0.0, mpi::maximum<double>());
  const double worker = mpi::all_reduce(world, evaluates ? own : 0.0, mpi::maximum<double>());
  if (world.rank() == 0) {
    const auto tasks = static_cast<double>(job.tasks());
    fmt::print(
        "workers={} wall={:.6f} per_second={:.0f} efficiency={:.4f} master_us={:.4f} "
        "relay_us={:.4f} worker_us={:.4f}\n",
        workers, job.wall(), tasks / job.wall(), job.in_tasks() / (job.wall() * workers),
        1e6 * job.processor() / tasks, 1e6 * relay * groups / tasks,
        1e6 * worker * workers / tasks);
  }
  return 0;
}
