#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "assign.h"
#include "gridcast/farm/scheduler.h"

namespace {

using namespace gridcast::sweep;
using gridcast::machine::Grid;
using sweep_test::assign_all;

constexpr std::int64_t processors = 1 << 20;

/// Hands out `count` tasks of one size.
TaskSource tasks_of(std::int64_t count, std::int64_t& handed) {
  return [count, &handed](std::size_t max) {
    std::vector<Task> tasks;
    while (tasks.size() < max && handed < count) {
      const std::int64_t extent = processors + handed++;
      tasks.push_back({Grid(std::span(&extent, 1))});
    }
    return tasks;
  };
}

std::vector<std::uint64_t> numbers(std::uint64_t first, std::size_t count) {
  std::vector<std::uint64_t> result;
  for (std::size_t i = 0; i < count; ++i) {
    result.push_back(first + i);
  }
  return result;
}

const std::vector<Crew> two_groups{{4, true}, {4, true}};

}  // namespace

TEST_CASE("a group gets a task per worker first, then shares of the aimed time") {
  std::int64_t handed = 0;
  Scheduler scheduler(two_groups, {}, tasks_of(1'000'000, handed));
  const std::vector<Batch> first = assign_all(scheduler, 0.0);
  // One task per worker, and as many in reserve.
  REQUIRE(first.size() == 4);
  for (const Batch& batch : first) {
    CHECK(batch.tasks.size() == 4);
  }
  // A task takes 1 ms: half a second of work for four workers are 2000 tasks.
  REQUIRE(scheduler.answer(first[0].worker, numbers(first[0].id, 4), 0.004, 0.001).size() == 4);
  const std::vector<Batch> next = assign_all(scheduler, 0.001);
  REQUIRE_FALSE(next.empty());
  CHECK(next[0].tasks.size() == 2000);
}

TEST_CASE("a group and a worker that evaluates itself get what fits them") {
  std::int64_t handed = 0;
  Scheduler scheduler({{4, true}, {1, false}}, {}, tasks_of(1'000'000, handed));
  std::vector<Batch> out = assign_all(scheduler, 0.0);
  REQUIRE(out.size() == 4);
  std::size_t share = 0;
  std::size_t batch = 0;
  for (int step = 0; step < 4; ++step) {
    const Batch done = out.front();
    out.erase(out.begin());
    const double cost = 0.001 * static_cast<double>(done.tasks.size());
    if (done.worker == 0) {
      scheduler.answer(0, numbers(done.id, done.tasks.size()), cost, 0.001);
    } else {
      scheduler.answer(1, done.id, done.tasks.size(), cost, 0.001);
    }
    for (Batch& more : assign_all(scheduler, 0.001)) {
      std::size_t& largest = more.worker == 0 ? share : batch;
      largest = std::max(largest, more.tasks.size());
      out.push_back(std::move(more));
    }
  }
  CHECK(share == 2000);
  CHECK(batch == 20);
}

TEST_CASE("a group answers in any order and gets more before it runs dry") {
  std::int64_t handed = 0;
  Scheduler scheduler({{2, true}}, {}, tasks_of(100'000, handed));
  const std::vector<Batch> first = assign_all(scheduler, 0.0);
  REQUIRE(first.size() == 2);
  const std::uint64_t last = first[1].id + 1;
  // The last task of the reserve comes first; 1 ms each.
  const auto got = scheduler.answer(0, std::vector<std::uint64_t>{last}, 0.001, 0.001);
  REQUIRE(got.size() == 1);
  CHECK(got.front() == first[1].tasks[1]);
  // What was answered is not answered again.
  CHECK(scheduler.answer(0, std::vector<std::uint64_t>{last}, 0.001, 0.001).empty());
  CHECK(scheduler.answer(0, std::vector<std::uint64_t>{last + 1000}, 0.001, 0.001).empty());
  const std::vector<Batch> next = assign_all(scheduler, 0.001);
  REQUIRE(next.size() == 1);
  REQUIRE(next[0].tasks.size() == 1000);
  CHECK(scheduler.tasks_out() == 1003);
  // More than a share is left, then not.
  scheduler.answer(0, numbers(next[0].id, 2), 0.002, 0.01);
  CHECK(assign_all(scheduler, 0.01).empty());
  scheduler.answer(0, numbers(next[0].id + 2, 1), 0.001, 0.01);
  CHECK(assign_all(scheduler, 0.01).size() == 1);
}

TEST_CASE("shares shrink at the end") {
  std::int64_t handed = 0;
  Scheduler scheduler(two_groups, {}, tasks_of(10'000, handed));
  std::vector<Batch> out = assign_all(scheduler, 0.0);
  std::size_t done = 0;
  std::size_t last = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Batch batch = out[i];
    last = batch.tasks.size();
    done += scheduler
                .answer(batch.worker, numbers(batch.id, last), 0.001 * static_cast<double>(last),
                        0.001 * static_cast<double>(i))
                .size();
    for (Batch& more : assign_all(scheduler, 0.001 * static_cast<double>(i))) {
      out.push_back(std::move(more));
    }
  }
  CHECK(done == 10'000);
  CHECK(scheduler.idle());
  CHECK(last <= 2);
}

TEST_CASE("tasks of a lost group are given out again, only suspects one at a time") {
  std::int64_t handed = 0;
  Scheduler scheduler(two_groups, {}, tasks_of(16, handed));
  std::vector<Batch> out = assign_all(scheduler, 0.0);
  REQUIRE(out.size() >= 2);
  REQUIRE(out[0].worker != out[1].worker);
  const int gone = out[0].worker;
  scheduler.suspect(gone, out[0].id + 1, 1);
  scheduler.suspect(gone, 1'000'000, 1);  // of no interest any more
  const std::vector<Task> suspected = scheduler.lose(gone);
  REQUIRE(suspected.size() == 1);
  CHECK(suspected[0].grid == out[0].tasks[1].grid);
  CHECK(scheduler.workers_left() == 1);
  std::multiset<std::int64_t> done;
  std::vector<std::vector<Task>> order;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Batch batch = out[i];
    if (batch.worker != gone) {
      const std::size_t count = batch.tasks.size();
      REQUIRE(scheduler.answer(batch.worker, numbers(batch.id, count), 1.0, 1.0).size() == count);
      order.push_back(batch.tasks);
      for (const Task& task : batch.tasks) {
        done.insert(task.grid.processors());
      }
    }
    for (Batch& more : assign_all(scheduler, 1.0)) {
      out.push_back(std::move(more));
    }
  }
  CHECK(scheduler.idle());
  CHECK(done.size() == 16);
  CHECK(std::set<std::int64_t>(done.begin(), done.end()).size() == 16);
  REQUIRE(order.back().size() == 1);
  CHECK(order.back()[0].grid == suspected[0].grid);
  CHECK(order.back()[0].deaths == 1);
}

TEST_CASE("a suspect that comes from the source goes alone") {
  bool asked = false;
  Scheduler scheduler({{1, false}}, {}, [&asked](std::size_t) {
    std::vector<Task> tasks;
    if (!asked) {
      asked = true;
      tasks.resize(2);
      tasks[0].deaths = 1;
      tasks[0].number = 70;
      tasks[1].number = 71;
    }
    return tasks;
  });
  const std::vector<Batch> first = assign_all(scheduler, 0.0);
  REQUIRE(first.size() == 1);
  CHECK(first[0].tasks[0].number == 71);
  scheduler.answer(0, first[0].id, 1, 1.0, 1.0);
  const std::vector<Batch> second = assign_all(scheduler, 1.0);
  REQUIRE(second.size() == 1);
  CHECK(second[0].tasks[0].number == 70);
  // It ends this worker, too: enough.
  CHECK(scheduler.lose(0).size() == 1);
  REQUIRE(scheduler.take_given_up().size() == 1);
}

TEST_CASE("the last worker of a group takes the group with it") {
  std::int64_t handed = 0;
  Scheduler scheduler({{2, true}, {1, false}}, {}, tasks_of(100, handed));
  static_cast<void>(assign_all(scheduler, 0.0));
  scheduler.shrink(0);
  CHECK(scheduler.workers_left() == 2);
  scheduler.shrink(0);
  CHECK(scheduler.workers_left() == 1);
  scheduler.shrink(0);
  CHECK(scheduler.workers_left() == 1);
}

TEST_CASE("signs of life renew the lease of a group, whatever its tasks cost") {
  std::int64_t handed = 0;
  SchedulerOptions options;
  options.lease_seconds = 60.0;
  Scheduler scheduler({{2, true}}, options, tasks_of(100, handed));
  static_cast<void>(assign_all(scheduler, 0.0));
  CHECK(scheduler.overdue(60.0).empty());
  CHECK(scheduler.overdue(60.1) == std::vector<int>{0});
  scheduler.heard(0, 50.0);
  CHECK(scheduler.overdue(110.0).empty());
  CHECK(scheduler.overdue(110.1) == std::vector<int>{0});
}
