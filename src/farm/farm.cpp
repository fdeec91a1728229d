#include "gridcast/farm/farm.h"

#include "master.h"

namespace gridcast::sweep {

void run_master(const boost::mpi::communicator& world, const Layout& layout, Job& job,
                const Evaluate& evaluate, const FarmOptions& options,
                const std::function<int()>& exit_code, MasterEnd& end) {
  Master master(world, layout, job, &evaluate, options);
  try {
    master.run([&] { return WorkerEnd{exit_code(), false}; });
  } catch (...) {
    end = master.end();
    throw;
  }
  end = master.end();
}

WorkerEnd run_worker(const boost::mpi::communicator& world, const Layout& layout,
                     const Evaluate& evaluate, const FarmOptions& options) {
  if (layout.is_group_master(world.rank())) {
    return run_group_master(world, layout, options);
  }
  return run_plain_worker(world, layout.master_of(world.rank()), evaluate);
}

void run_alone(Job& job, const Evaluate& evaluate) {
  constexpr double tick_seconds = 0.1;
  Results results;
  results.give_up = [&job] { return job.should_stop(); };
  double last_tick = seconds_now();
  while (!job.should_stop()) {
    const std::vector<Task> tasks = job.next(1);
    if (tasks.empty()) {
      return;
    }
    const double begin = seconds_now();
    results.clear();
    evaluate(tasks.front(), results);
    if (results.rows.empty()) {
      return;  // it was given up
    }
    const double now = seconds_now();
    job.take(tasks, results, 0, now - begin);
    if (now - last_tick >= tick_seconds) {
      last_tick = now;
      job.tick();
    }
  }
}

}  // namespace gridcast::sweep
