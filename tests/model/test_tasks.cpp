// Tasks on subsystems (MODEL.md §2, §3, §4): each processor has its own clock, networks have gaps.

#include "elements.h"

namespace gridcast::model::test {
namespace {

/// Two tasks on the halves of four traced processors, mapped as 1 and 2; `order` says which runs
/// first in the trace. Each runs `body` on its own template and array (2 * number ...).
template <class Body>
Run two_tasks(const std::vector<int>& order, Body&& body) {
  Run run({4});
  run(trace::CreateSystem{1, trace::no_object, {0}, {1}});
  run(trace::CreateSystem{2, trace::no_object, {2}, {3}});
  run(trace::CreateTemplate{9, {2}});
  for (Slot task = 1; task <= 2; ++task) {
    run(trace::GetMachineElement{task, 9, {task - 1}});
    run(trace::MapMachine{task, task});
  }
  for (const int task : order) {
    const auto slot = static_cast<Slot>(task);
    run(trace::RunTask{slot, true});
    body(run, slot);
    run(trace::StopTask{});
  }
  return run;
}

/// A loop of `seconds` over 100 iterations, in the current system.
void compute(Run& run, Slot slot, double seconds) {
  run.target({100}, slot).loop(slot, {100}, slot);
  run(trace::RunLoop{slot, false, {}}, seconds)(trace::EndLoop{slot});
}

}  // namespace

TEST_CASE("tasks on disjoint systems take the longer of their times") {
  for (const std::vector<int>& order : {std::vector<int>{1, 2}, {2, 1}}) {
    const Run run =
        two_tasks(order, [](Run& r, Slot task) { compute(r, task, task == 1 ? 8.0 : 4.0); });
    // 8 processors: task 1 on 0...3, task 2 on 4...7; blocks of 25 of 100 iterations.
    const Prediction result = run.predict(free_of_charge(), "8");
    const IntervalResult& whole = result.intervals[0];
    CHECK(close(whole.sums.execution_time, 2.0));
    for (std::size_t p = 0; p < 8; ++p) {
      CHECK(close(whole.per_processor[p].execution_time, p < 4 ? 2.0 : 1.0));
    }
    CHECK(close(whole.sums.idle, 4.0));
    CHECK(close(whole.sums.load_imbalance, 4.0));
    // On one processor they run one after the other.
    CHECK(close(run.predict(free_of_charge(), "1").intervals[0].sums.execution_time, 12.0));
  }
}

TEST_CASE("two tasks that exchange edges share one bus through its gaps") {
  // Ten times: compute 1 ms each on 4 processors, then exchange edges: 6 messages of 8 bytes, 100
  // us each, 600 us in all. Alone a task takes 16 ms. Side by side they need 12 ms of the bus: they
  // fit if they take each other's gaps, and would take 2 * 16 if the second waited for the first.
  const auto body = [](Run& run, Slot task) {
    run.target({100}, task).array(task, {100}, 8, {1}, {1}, task).loop(task, {100}, task);
    run(trace::CreateShadowGroup{task})(trace::InsertShadow{task, task, {-1}, {-1}, 1});
    for (int k = 0; k < 10; ++k) {
      run(trace::RunLoop{task, false, {}}, 0.004);
      run(trace::StartShadow{task})(trace::WaitShadow{task});
    }
    run(trace::EndLoop{task});
  };
  const machine::Cluster bus = flat("ethernet", 100.0, 0.0);
  const double alone = two_tasks({1}, body).predict(bus, "8").intervals[0].sums.execution_time;
  CHECK(close(alone, 0.016, 1e-9));
  double first = 0.0;
  for (const std::vector<int>& order : {std::vector<int>{1, 2}, {2, 1}}) {
    const double both = two_tasks(order, body).predict(bus, "8").intervals[0].sums.execution_time;
    // The second to be computed waits 600 us once, and finds the gaps between the other's
    // exchanges from then on: messages of the one fit into the pauses of the other.
    CHECK(close(both, alone + 0.0006, 1e-6));
    CHECK((first == 0.0 || close(both, first, 1e-9)));
    first = both;
  }
  // With a channel for each they do not notice each other.
  const double apart = two_tasks({1, 2}, body)
                           .predict(flat("myrinet (2)", 100.0, 0.0), "8")
                           .intervals[0]
                           .sums.execution_time;
  CHECK(apart < alone);
}

TEST_CASE("the library's task-parallel Jacobi on disjoint halves") {
  const Compiled compiled = compile(trace::read_program(data("v_c_tsk_8_ups4_np1.ptr.gz")));
  const auto time = [&](const machine::Cluster& cluster, const char* on) {
    return Predictor(compiled.script, cluster).evaluate(grid(on)).front().execution_time;
  };
  CHECK(time(free_of_charge(), "4") < time(free_of_charge(), "1"));
  // One shared bus costs the tasks little more than a network on which nobody waits.
  const double shared = time(flat("ethernet", 1.0, 0.001), "4");
  const double apart = time(flat("myrinet (64)", 1.0, 0.001), "4");
  CHECK(shared >= apart * (1.0 - 1e-12));
  CHECK(shared <= apart * 1.05);
}

TEST_CASE("reductions and edges inside a task use its processors only") {
  const Run run = two_tasks({2}, [](Run& r, Slot task) {
    compute(r, task, 4.0);
    r(trace::CreateReductionGroup{0})(trace::CreateReduction{0, 8, 1, 0});
    r(trace::InsertReduction{0, 0})(trace::StartReduction{0})(trace::WaitReduction{0});
  });
  const Built built = build_last(run, grid("8"));
  const Bytes expected{{{5, 4}, 8.0}, {{6, 4}, 8.0}, {{7, 4}, 8.0},
                       {{4, 5}, 8.0}, {{4, 6}, 8.0}, {{4, 7}, 8.0}};
  CHECK(built.bytes == expected);
  const Prediction result = run.predict(flat("ethernet", 100.0, 0.0), "8");
  CHECK(result.intervals[0].per_processor[0].execution_time == 0.0);
  // Three messages to 4, then 4's messages to 5, 6, 7 one after the other.
  CHECK(close(result.intervals[0].per_processor[5].execution_time, 1.0 + 400e-6, 1e-9));
  CHECK(close(result.intervals[0].per_processor[7].execution_time, 1.0 + 600e-6, 1e-9));
  // Processor 0 was in the main interval's system but not in the task's: it idles all the time.
  CHECK(close(result.intervals[0].per_processor[0].idle, 1.0 + 600e-6, 1e-9));
}

TEST_CASE("what lies on a subsystem moves to the whole system from the nearest holder") {
  // 8 elements on processors 4...7 of 8 (2 each), then on all (1 each).
  Run run({4});
  run(trace::CreateSystem{1, trace::no_object, {2}, {3}});
  run.target({8}, 0, 1).array(0, {8}, 8);
  run(trace::GetSystem{2, trace::no_object});
  run(trace::Redistribute{0, trace::no_object, 2, {1}, false});
  const Bytes expected{{{4, 0}, 8.0}, {{4, 1}, 8.0}, {{5, 2}, 8.0}, {{5, 3}, 8.0},
                       {{6, 4}, 8.0}, {{6, 5}, 8.0}, {{7, 6}, 8.0}};
  CHECK(build_last(run, grid("8")).bytes == expected);
}

TEST_CASE("a pipelined loop that lies on more processors than the task has") {
  // The template lies on the whole system, the loop runs inside a task on half of it: only the
  // processors of the task compute, and total = productive + lost still holds.
  Run run({4});
  run(trace::CreateSystem{1, trace::no_object, {0}, {1}});
  run(trace::CreateTemplate{9, {2}})(trace::GetMachineElement{1, 9, {0}})(trace::MapMachine{1, 1});
  run(trace::CreateTemplate{0, {8, 8}})(trace::Distribute{0, trace::no_object, {1}});
  run.array(0, {8, 8}, 8, {1, 0}, {1, 0});
  run(trace::CreateShadowGroup{0})(trace::InsertShadow{0, 0, {-1, 0}, {-1, 0}, 1});
  run(trace::RunTask{1, true})(trace::Across{trace::no_object, 0, 0}).loop(0, {8, 8});
  run(trace::RunLoop{0, false, {}}, 8.0)(trace::EndLoop{0})(trace::StopTask{});
  const Prediction result = run.predict(flat("ethernet", 10.0, 0.0), "4");
  const IntervalResult& whole = result.intervals[0];
  CHECK(close(whole.sums.total_time, whole.sums.productive_time + whole.sums.lost_time, 1e-9));
  CHECK(whole.per_processor[2].execution_time == 0.0);
  CHECK(whole.per_processor[3].execution_time == 0.0);
  CHECK(close(whole.per_processor[0].cpu_time, 2.0));
}

}  // namespace gridcast::model::test
