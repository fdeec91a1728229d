#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <queue>
#include <set>

#include "assign.h"
#include "gridcast/farm/scheduler.h"

namespace {

using namespace gridcast::sweep;
using gridcast::machine::Grid;
using sweep_test::assign_all;

Grid grid_of(std::int64_t processors) { return Grid(std::span(&processors, 1)); }

/// Hands out the grids 1 ... count.
TaskSource counted(std::int64_t count, std::int64_t& handed) {
  return [count, &handed](std::size_t max) {
    std::vector<Task> tasks;
    while (tasks.size() < max && handed < count) {
      tasks.push_back({grid_of(++handed)});
    }
    return tasks;
  };
}

/// Grids of 2^20 processors: all in one class of the cost model.
TaskSource uniform(std::int64_t count, std::int64_t& handed) {
  return [count, &handed](std::size_t max) {
    std::vector<Task> tasks;
    while (tasks.size() < max && handed < count) {
      tasks.push_back({grid_of((std::int64_t{1} << 20) + handed++)});
    }
    return tasks;
  };
}

/// Whether the answer counts.
bool answer(Scheduler& scheduler, int worker, std::uint64_t batch, std::size_t count,
            double seconds, double now) {
  return scheduler.answer(worker, batch, count, seconds, now).size() == count;
}

struct Event {
  double time = 0.0;
  int worker = 0;
  std::uint64_t batch = 0;
  std::size_t grids = 0;
  double seconds = 0.0;
  bool operator>(const Event& other) const { return time > other.time; }
};

struct Simulated {
  double makespan = 0.0;
  std::size_t batches = 0;
  std::size_t largest = 0;
  std::size_t last = 0;
};

/// Workers that evaluate each grid in `cost` seconds, messages without delay.
Simulated simulate(int workers, std::int64_t count, double cost) {
  std::int64_t handed = 0;
  Scheduler scheduler(workers, {}, uniform(count, handed));
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
  std::vector<double> free_at(static_cast<std::size_t>(workers));
  Simulated result;
  double now = 0.0;
  for (;;) {
    for (const Batch& batch : assign_all(scheduler, now)) {
      double& free = free_at[static_cast<std::size_t>(batch.worker)];
      const double seconds = cost * static_cast<double>(batch.tasks.size());
      free = std::max(free, now) + seconds;
      events.push({free, batch.worker, batch.id, batch.tasks.size(), seconds});
      ++result.batches;
      result.largest = std::max(result.largest, batch.tasks.size());
      result.last = batch.tasks.size();
    }
    if (events.empty()) {
      break;
    }
    const Event event = events.top();
    events.pop();
    now = event.time;
    REQUIRE(answer(scheduler, event.worker, event.batch, event.grids, event.seconds, now));
  }
  REQUIRE(scheduler.idle());
  REQUIRE(handed == count);
  result.makespan = now;
  return result;
}

}  // namespace

TEST_CASE("the cost of a class of processors is learnt and extended upwards") {
  CostModel costs;
  CHECK_FALSE(costs.estimate(grid_of(1)).has_value());
  const std::vector<Task> tasks{{grid_of(4)}, {grid_of(5)}};
  costs.learn(tasks, 0.2);
  CHECK(costs.estimate(grid_of(7)).value() == Approx(0.1));
  CHECK(costs.estimate(grid_of(8)).value() == Approx(0.2));
  CHECK(costs.estimate(grid_of(33)).value() == Approx(0.8));
  CHECK(costs.estimate(grid_of(2)).value() == Approx(0.1));
}

TEST_CASE("first batches are single grids, later ones fill the aimed time") {
  std::int64_t handed = 0;
  Scheduler scheduler(2, {}, uniform(100000, handed));
  const std::vector<Batch> first = assign_all(scheduler, 0.0);
  // Each worker has one grid and one in reserve.
  REQUIRE(first.size() == 4);
  for (const Batch& batch : first) {
    CHECK(batch.tasks.size() == 1);
  }
  // 0.2 ms each: 100 grids in the 20 ms aimed for.
  REQUIRE(answer(scheduler, first[0].worker, first[0].id, 1, 0.0002, 0.0002));
  const std::vector<Batch> second = assign_all(scheduler, 0.0002);
  REQUIRE(second.size() == 1);
  CHECK(second[0].tasks.size() == 100);
  // The source is asked for little more than is handed out.
  CHECK(handed < 1000);
}

TEST_CASE("every grid is evaluated once and batches shrink at the end") {
  for (const int workers : {1, 2, 16, 1024, 16384}) {
    const std::int64_t count = 200LL * workers;
    const double cost = 0.0005;
    const Simulated result = simulate(workers, count, cost);
    CAPTURE(workers, result.makespan, result.batches);
    // 40 grids take the 20 ms aimed for; the pool holds 2^20 grids, two batches per worker.
    CHECK(result.largest ==
          std::min<std::size_t>(40, (std::size_t{1} << 19) / static_cast<std::size_t>(workers)));
    CHECK(result.last <= 2);
    const double ideal = cost * static_cast<double>(count) / workers;
    CHECK(result.makespan < 1.05 * ideal);
  }
}

TEST_CASE("few expensive grids go to different workers and none is held in reserve") {
  std::int64_t handed = 0;
  Scheduler scheduler(3, {}, uniform(8, handed));
  std::vector<Batch> out = assign_all(scheduler, 0.0);
  REQUIRE(out.size() == 6);
  for (const Batch& batch : std::vector<Batch>(out.begin(), out.begin() + 3)) {
    REQUIRE(answer(scheduler, batch.worker, batch.id, 1, 1.0, 1.0));
  }
  // Two grids are left; all three workers work on one: nobody reserves them.
  CHECK(assign_all(scheduler, 1.0).empty());
  REQUIRE(answer(scheduler, out[3].worker, out[3].id, 1, 1.0, 2.0));
  const std::vector<Batch> next = assign_all(scheduler, 2.0);
  REQUIRE(next.size() == 1);
  CHECK(next[0].worker == out[3].worker);
}

TEST_CASE("what a lost worker had goes to others, its oldest batch grid by grid") {
  std::int64_t handed = 0;
  SchedulerOptions options;
  Scheduler scheduler(2, options, counted(12, handed));
  std::map<int, std::vector<Batch>> out;
  for (const Batch& batch : assign_all(scheduler, 0.0)) {
    out[batch.worker].push_back(batch);
  }
  REQUIRE(out[0].size() == 2);
  scheduler.lose(0);
  scheduler.lose(0);
  CHECK(scheduler.workers_left() == 1);
  // Late answers of the lost worker do not count.
  CHECK_FALSE(answer(scheduler, 0, out[0][0].id, 1, 0.1, 1.0));
  std::multiset<std::int64_t> done;
  std::vector<Batch> mine = out[1];
  std::vector<std::size_t> sizes;
  while (!mine.empty()) {
    const Batch batch = mine.front();
    mine.erase(mine.begin());
    REQUIRE(answer(scheduler, 1, batch.id, batch.tasks.size(), 0.001, 1.0));
    for (const Task& task : batch.tasks) {
      done.insert(task.grid.processors());
    }
    sizes.push_back(batch.tasks.size());
    for (const Batch& next : assign_all(scheduler, 1.0)) {
      mine.push_back(next);
    }
  }
  CHECK(scheduler.idle());
  CHECK(done == std::multiset<std::int64_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  // The grid that may have ended the worker came last and alone.
  CHECK(sizes.back() == 1);
}

TEST_CASE("a grid that was with two lost workers is given up") {
  std::int64_t handed = 0;
  Scheduler scheduler(3, {}, counted(1, handed));
  const std::vector<Batch> first = assign_all(scheduler, 0.0);
  REQUIRE(first.size() == 1);
  scheduler.lose(first[0].worker);
  CHECK(scheduler.take_given_up().empty());
  const std::vector<Batch> second = assign_all(scheduler, 0.0);
  REQUIRE(second.size() == 1);
  CHECK(second[0].tasks[0].grid == first[0].tasks[0].grid);
  CHECK(second[0].tasks[0].deaths == 1);
  CHECK(second[0].worker != first[0].worker);
  scheduler.lose(second[0].worker);
  CHECK_FALSE(scheduler.idle());
  const std::deque<Task> given_up = scheduler.take_given_up();
  REQUIRE(given_up.size() == 1);
  CHECK(given_up.front().grid == grid_of(1));
  CHECK(scheduler.take_given_up().empty());
  CHECK(assign_all(scheduler, 0.0).empty());
  CHECK(scheduler.idle());
}

TEST_CASE("a worker is overdue when its lease is over, and answers renew it") {
  std::int64_t handed = 0;
  SchedulerOptions options;
  options.lease_seconds = 60.0;
  options.lease_factor = 20.0;
  options.first_lease_factor = 10.0;
  Scheduler scheduler(1, options, uniform(1000, handed));
  const std::vector<Batch> first = assign_all(scheduler, 0.0);
  REQUIRE(first.size() == 2);
  // While no cost is known, ten leases.
  CHECK(scheduler.overdue(600.0).empty());
  CHECK(scheduler.overdue(600.1) == std::vector<int>{0});
  // A grid takes 10 s: the lease is 20 times that.
  REQUIRE(answer(scheduler, 0, first[0].id, 1, 10.0, 10.0));
  CHECK(scheduler.overdue(210.0).empty());
  CHECK(scheduler.overdue(210.1) == std::vector<int>{0});
  scheduler.lose(0);
  CHECK(scheduler.overdue(1e9).empty());
}

TEST_CASE("answers to a part of a batch leave the rest out") {
  std::int64_t handed = 0;
  Scheduler scheduler(1, {}, uniform(1000, handed));
  const std::vector<Batch> first = assign_all(scheduler, 0.0);
  REQUIRE(answer(scheduler, 0, first[0].id, 1, 0.001, 0.001));
  const std::vector<Batch> second = assign_all(scheduler, 0.001);
  REQUIRE(second.size() == 1);
  REQUIRE(second[0].tasks.size() == 20);
  // The reserve is not the oldest batch yet.
  CHECK_FALSE(answer(scheduler, 0, second[0].id, 20, 0.02, 0.02));
  REQUIRE(answer(scheduler, 0, first[1].id, 1, 0.001, 0.002));
  const std::size_t before = scheduler.tasks_out();
  REQUIRE(answer(scheduler, 0, second[0].id, 5, 0.005, 0.01));
  CHECK(scheduler.tasks_out() == before - 5);
  scheduler.lose(0);
  CHECK(scheduler.tasks_out() == 0);
}

TEST_CASE("after stop nothing is handed out and dropped batches are forgotten") {
  std::int64_t handed = 0;
  Scheduler scheduler(2, {}, uniform(1000, handed));
  const std::vector<Batch> out = assign_all(scheduler, 0.0);
  scheduler.stop();
  REQUIRE(answer(scheduler, out[0].worker, out[0].id, 1, 0.001, 0.001));
  CHECK(assign_all(scheduler, 0.001).empty());
  scheduler.drop(0);
  CHECK_FALSE(scheduler.idle());
  scheduler.drop(1);
  CHECK(scheduler.idle());
}

TEST_CASE("without workers the caller gets every grid, suspected ones last") {
  std::int64_t handed = 0;
  Scheduler scheduler(1, {}, counted(5, handed));
  const std::vector<Batch> out = assign_all(scheduler, 0.0);
  REQUIRE(out.size() == 2);
  scheduler.lose(0);
  std::vector<std::int64_t> order;
  while (const std::optional<Task> task = scheduler.next_alone()) {
    order.push_back(task->grid.processors());
  }
  CHECK(order == std::vector<std::int64_t>{2, 3, 4, 5, 1});
  CHECK(scheduler.idle());
}
