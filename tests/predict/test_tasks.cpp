// Tasks on subsystems (docs/model.md §2, §3, §4): each processor has its own clock, networks have
// gaps.

#include "elements.h"
#include "gridcast/compile/compile.h"

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

/// When a program asks for its tasks: Fortran-DVM once, at the top; C-DVM when it maps them and
/// before every runam_ again.
enum class Asks : std::uint8_t { once, every_time };

constexpr Slot task_array = 9;

/// Tasks on equal parts of four traced processors that run `rounds` times one after the other. Each
/// call of `body` gets the number of its task, 1...count.
template <class Body>
Run equal_parts(Slot count, Asks asks, int rounds, Body&& body) {
  Run run({4});
  const std::int64_t each = 4 / count;
  const auto ask = [&](Slot task) { run(trace::GetMachineElement{task, task_array, {task - 1}}); };
  run(trace::CreateTemplate{task_array, {count}});
  for (Slot task = 1; task <= count && asks == Asks::once; ++task) {
    ask(task);
  }
  for (Slot task = 1; task <= count; ++task) {
    run(trace::CreateSystem{task, trace::no_object, {(task - 1) * each}, {task * each - 1}});
    if (asks == Asks::every_time) {
      ask(task);
    }
    run(trace::MapMachine{task, task});
  }
  for (int round = 0; round < rounds; ++round) {
    for (Slot task = 1; task <= count; ++task) {
      if (asks == Asks::every_time) {
        ask(task);
      }
      run(trace::RunTask{task, true});
      body(run, task);
      run(trace::StopTask{});
    }
  }
  return run;
}

/// The calls of each task: after runam_ up to stopam_, in order.
std::vector<std::pair<std::size_t, std::size_t>> task_calls(const trace::Program& program) {
  std::vector<std::pair<std::size_t, std::size_t>> tasks;
  for (std::size_t i = 0; i < program.records.size(); ++i) {
    const trace::Call& call = program.calls[program.records[i].call];
    if (std::holds_alternative<trace::RunTask>(call)) {
      tasks.emplace_back(i + 1, i + 1);
    } else if (std::holds_alternative<trace::StopTask>(call)) {
      tasks.back().second = i + 1;
    }
  }
  return tasks;
}

void take_no_time(trace::Program& program, std::pair<std::size_t, std::size_t> calls) {
  for (std::size_t i = calls.first; i < calls.second; ++i) {
    program.records[i].call_time = 0.0;
    program.records[i].ret_time = 0.0;
  }
}

double seconds(const trace::Program& program, const machine::Cluster& cluster, const char* on) {
  const Compiled compiled = compile(program);
  return Predictor(compiled.script, cluster).evaluate(grid(on)).front().execution_time;
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

TEST_CASE("equal tasks share the processors, whichever way they are asked for") {
  // Per round a task shares 8 s of a loop over its processors and takes 1 s on each of them.
  const auto body = [](Run& run, Slot task) {
    compute(run, task, 8.0);
    run(trace::Ordinary{}, 0.75, 0.25);
  };
  for (const Asks asks : {Asks::once, Asks::every_time}) {
    for (const Slot count : {2U, 4U}) {
      const Run run = equal_parts(count, asks, 2, body);
      for (const std::int64_t processors : {4, 8, 20}) {
        CAPTURE(static_cast<int>(asks), count, processors);
        const Characteristics sums =
            run.predict(free_of_charge(), std::to_string(processors)).intervals[0].sums;
        const double each = static_cast<double>(processors) / count;
        CHECK(close(sums.execution_time, 2.0 * (8.0 / each + 1.0)));
        CHECK(close(sums.productive_time, 2.0 * count * 9.0));
        CHECK(close(sums.insufficient_parallelism, 2.0 * count * (each - 1.0)));
        CHECK(close(sums.idle, 0.0, 0.0, 1e-9));
      }
      // One processor takes them in turn; with fewer processors than tasks some share one.
      CHECK(close(run.predict(free_of_charge(), "1").intervals[0].sums.execution_time,
                  2.0 * count * 9.0));
      CHECK(close(run.predict(free_of_charge(), "2").intervals[0].sums.execution_time,
                  2.0 * count / 2.0 * 9.0));
    }
  }
}

TEST_CASE("of tasks of unequal length the longest counts") {
  for (const Asks asks : {Asks::once, Asks::every_time}) {
    const Run run = equal_parts(4, asks, 3, [](Run& r, Slot task) {
      compute(r, task, 2.0 * task);  // 2, 4, 6, 8 s
    });
    const Prediction result = run.predict(free_of_charge(), "8");
    for (std::size_t p = 0; p < 8; ++p) {
      const double own = static_cast<double>(p) / 2.0;
      CHECK(close(result.intervals[0].per_processor[p].execution_time,
                  3.0 * (1.0 + std::floor(own))));
    }
    CHECK(close(result.intervals[0].sums.execution_time, 12.0));
    CHECK(close(result.intervals[0].sums.idle, 2.0 * (9.0 + 6.0 + 3.0)));
  }
}

TEST_CASE("tasks synchronise and reduce among their own processors") {
  // Two tasks on 4 of 8 processors; a channel for each. A reduction takes 3 messages of 100 us to
  // the task's first processor and 3 back.
  const machine::Cluster networks = flat("myrinet (2)", 100.0, 0.0);
  for (const Asks asks : {Asks::once, Asks::every_time}) {
    const Run run = equal_parts(2, asks, 1, [](Run& r, Slot task) {
      compute(r, task, task == 1 ? 8.0 : 4.0);
      r(trace::CreateReductionGroup{task})(trace::CreateReduction{task, 8, 1, 0});
      r(trace::InsertReduction{task, task})(trace::StartReduction{task});
      r(trace::WaitReduction{task});
    });
    const Prediction result = run.predict(networks, "8");
    // Messages of one task on two channels: 2 + 1 to the root, then 2 + 1 back.
    CHECK(close(result.intervals[0].per_processor[3].execution_time, 2.0004, 1e-9));
    CHECK(close(result.intervals[0].per_processor[7].execution_time, 1.0004, 1e-9));
    CHECK(close(result.intervals[0].sums.synchronization, 0.0, 0.0, 1e-9));
  }
}

TEST_CASE("an element of a new task array is another task") {
  // The template is made anew under the same name; its element was never mapped and runs on all.
  Run run = equal_parts(2, Asks::every_time, 1, [](Run& r, Slot task) { compute(r, task, 8.0); });
  run(trace::DeleteTemplate{task_array})(trace::CreateTemplate{task_array, {2}});
  run(trace::GetMachineElement{1, task_array, {0}})(trace::RunTask{1, true});
  compute(run, 3, 8.0);
  run(trace::StopTask{});
  CHECK(close(run.predict(free_of_charge(), "4").intervals[0].sums.execution_time, 4.0 + 2.0));
}

TEST_CASE("the library's task-parallel Jacobi takes the time of the longer half") {
  const trace::Program both = trace::read_program(data("v_c_tsk_8_ups4_np1.ptr.gz"));
  const auto tasks = task_calls(both);
  REQUIRE(tasks.size() == 20);  // two per iteration; a reduction ends each iteration
  trace::Program longer = both;
  trace::Program neither = both;
  for (const auto& calls : tasks) {
    take_no_time(neither, calls);
  }
  double differences = 0.0;
  for (std::size_t i = 0; i < tasks.size(); i += 2) {
    double alone[2];
    for (const std::size_t half : {0U, 1U}) {
      trace::Program one = neither;
      for (std::size_t k = tasks[i + half].first; k < tasks[i + half].second; ++k) {
        one.records[k] = both.records[k];
      }
      alone[half] = seconds(one, free_of_charge(), "4");
    }
    take_no_time(longer, tasks[alone[0] < alone[1] ? i : i + 1]);
    differences += std::min(alone[0], alone[1]) - seconds(neither, free_of_charge(), "4");
  }
  const double time = seconds(both, free_of_charge(), "4");
  CHECK(close(time, seconds(longer, free_of_charge(), "4")));
  // The shorter halves are no trifle: one after the other they would be seen.
  CHECK(differences > 0.02 * time);
  // One shared bus costs the tasks little more than a network on which nobody waits.
  const double shared = seconds(both, flat("ethernet", 1.0, 0.001), "4");
  const double apart = seconds(both, flat("myrinet (64)", 1.0, 0.001), "4");
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
