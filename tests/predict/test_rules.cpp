// The time rules by tiny programs whose figures are worked out in the comments (docs/model.md §2).

#include "fixture.h"
#include "gridcast/base/error.h"
#include "gridcast/compile/compile.h"

namespace gridcast::model::test {
namespace {

constexpr double us = 1e-6;

/// 100 us per message, whatever its length, one at a time.
machine::Cluster bus() { return flat("ethernet", 100.0, 0.0); }

const Characteristics& main_of(const Prediction& prediction) {
  return prediction.intervals[0].sums;
}

const OperationTimes& of(const ProcessorTimes& times, Operation operation) {
  return times.operations[static_cast<std::size_t>(operation)];
}

/// An array of `n` doubles over template 0 with edges of one element, and its group 0.
Run with_edges(std::int64_t n) {
  Run run;
  run.target({n}).array(0, {n}, 8, {1}, {1});
  run(trace::CreateShadowGroup{0})(trace::InsertShadow{0, 0, {-1}, {-1}, 1});
  return run;
}

}  // namespace

TEST_CASE("ordinary calls take their time on every processor") {
  Run run;
  run(trace::Ordinary{}, 3.0, 1.0);
  const Prediction result = run.predict(bus(), "4");
  CHECK(main_of(result).execution_time == 4.0);
  // (N-1)/N of 4 * 3 s and of 4 * 1 s.
  CHECK(close(main_of(result).insufficient_parallelism_usr, 9.0));
  CHECK(close(main_of(result).insufficient_parallelism_sys, 3.0));
  CHECK(close(main_of(result).productive_time, 4.0));
  CHECK(close(main_of(result).efficiency, 0.25));
}

TEST_CASE("I/O runs on processor 0, which hands its result on") {
  Run run;
  run(trace::InputOutput{true, 4}, 1.0, 0.5);
  const Prediction result = run.predict(bus(), "3");
  const auto& p = result.intervals[0].per_processor;
  // All at 1, processor 0 at 1.5; the messages end at 1.5001 and 1.5002.
  CHECK(close(p[0].execution_time, 1.5));
  CHECK(close(p[1].execution_time, 1.5001));
  CHECK(close(p[2].execution_time, 1.5002));
  CHECK(close(p[0].io_time, 0.5));
  CHECK(p[1].io_time == 0.0);
  CHECK(of(p[0], Operation::io).communication == 0.0);
  CHECK(close(of(p[1], Operation::io).communication, 0.5001));
  CHECK(close(of(p[1], Operation::io).synch, 0.5));
  CHECK(close(p[2].synchronization, 0.5));
  CHECK(main_of(result).operation_counts[0] == 1);
  // Without a result nobody waits.
  Run silent;
  silent(trace::InputOutput{false, 0}, 1.0, 0.5);
  const Prediction alone = silent.predict(bus(), "3");
  CHECK(main_of(alone).communication == 0.0);
  CHECK(close(alone.intervals[0].per_processor[1].idle, 0.5));
}

TEST_CASE("a processor that is later than the I/O processor's message does not wait for it") {
  // Iterations 2 and 3 of 4 on two processors: 1 takes 1 s, 0 nothing. The result is there at
  // 0.2501.
  Run run;
  run.target({4})(trace::CreateLoop{0, 1});
  run(trace::MapLoop{0, Run::identity(1, 0), {2}, {3}, {1}});
  run(trace::RunLoop{0, false, {}}, 1.0)(trace::EndLoop{0});
  run(trace::InputOutput{true, 4}, 0.0, 0.25);
  const Prediction result = run.predict(bus(), "2");
  CHECK(main_of(result).communication == 0.0);
  CHECK(close(main_of(result).execution_time, 1.0));
  CHECK(close(result.intervals[0].per_processor[0].execution_time, 0.25));
}

TEST_CASE("all time between biof_ and eiof_ is I/O of processor 0") {
  Run run;
  run(trace::BeginIoStatement{}, 1.0, 2.0)(trace::Ordinary{}, 4.0, 8.0);
  run(trace::InputOutput{false, 0}, 0.0, 16.0)(trace::EndIoStatement{}, 32.0, 64.0);
  const Prediction result = run.predict(bus(), "2");
  CHECK(close(main_of(result).io_time, 126.0));
  CHECK(close(main_of(result).execution_time, 127.0));
  CHECK(close(result.intervals[0].per_processor[1].execution_time, 1.0));
}

TEST_CASE("asynchronous edges overlap with what is computed before the wait") {
  // Edges of 3 processors on the bus: 0-1 ends at 100, 1-0 at 200, 1-2 at 300, 2-1 at 400 us:
  // processors 0, 1, 2 complete at 200, 400, 400. The loop runs over elements 0...4 of 9, of which
  // the processors have 3, 2 and 0; it takes 500 us.
  Run run = with_edges(9);
  run(trace::CreateLoop{0, 1})(trace::MapLoop{0, Run::identity(1, 0), {0}, {4}, {1}});
  run(trace::StartShadow{0})(trace::RunLoop{0, false, {}}, 500 * us)(trace::EndLoop{0});
  run(trace::WaitShadow{0});
  const Prediction result = run.predict(bus(), "3");
  const auto& p = result.intervals[0].per_processor;
  // 0 computes 300 us: all 200 overlap. 1 computes 200 us: waits 200. 2 waits 400.
  CHECK(close(of(p[0], Operation::shadow).overlap, 200 * us));
  CHECK(of(p[0], Operation::shadow).communication == 0.0);
  CHECK(close(of(p[1], Operation::shadow).overlap, 200 * us));
  CHECK(close(of(p[1], Operation::shadow).communication, 200 * us));
  CHECK(close(of(p[2], Operation::shadow).communication, 400 * us));
  CHECK(close(p[0].time_variation, 200 * us));
  CHECK(p[1].time_variation == 0.0);
  CHECK(close(result.intervals[0].time_variations[2], 200 * us));
  CHECK(main_of(result).operation_counts[2] == 1);
}

TEST_CASE("the start of an exchange waits for the slowest") {
  // 450 us of 3 iterations on 2 processors: 300 and 150 us; then both start at 300.
  Run run = with_edges(4);
  run(trace::CreateLoop{0, 1})(trace::MapLoop{0, Run::identity(1, 0), {0}, {2}, {1}});
  run(trace::RunLoop{0, false, {}}, 450 * us)(trace::EndLoop{0});
  run(trace::StartShadow{0})(trace::WaitShadow{0});
  const Prediction result = run.predict(bus(), "2");
  const auto& p = result.intervals[0].per_processor;
  CHECK(close(p[1].synchronization, 150 * us));
  CHECK(close(of(p[1], Operation::shadow).synch, 150 * us));
  CHECK(close(of(p[1], Operation::shadow).communication, 350 * us));
  CHECK(close(of(p[0], Operation::shadow).communication, 200 * us));
  CHECK(close(main_of(result).execution_time, 500 * us));
}

TEST_CASE("exfrst_: the exchange overlaps the last portion of the loop") {
  // Two edge portions of 50 us on each of 2 processors, then the exchange (200 us) and 500 us.
  Run run = with_edges(8);
  run.loop(0, {8})(trace::ExportFirst{0, 0});
  run(trace::RunLoop{0, true, {}}, 100 * us)(trace::RunLoop{0, true, {}}, 100 * us);
  run(trace::RunLoop{0, false, {}}, 1000 * us)(trace::EndLoop{0})(trace::WaitShadow{0});
  const Prediction result = run.predict(bus(), "2");
  CHECK(close(main_of(result).execution_time, 600 * us));
  CHECK(close(main_of(result).overlap, 400 * us));
  CHECK(main_of(result).communication == 0.0);
  CHECK(main_of(result).operation_counts[2] == 1);
}

TEST_CASE("imlast_: the wait is at the return of the second dopl_") {
  // 50 us of computation overlap the exchange of 200, 150 are waited for, 10 follow.
  Run run = with_edges(8);
  run(trace::StartShadow{0});
  run.loop(0, {8})(trace::ImportLast{0, 0});
  run(trace::RunLoop{0, true, {}}, 0.0)(trace::RunLoop{0, true, {}}, 100 * us);
  run(trace::RunLoop{0, false, {}}, 20 * us)(trace::EndLoop{0});
  const Prediction result = run.predict(bus(), "2");
  CHECK(close(main_of(result).execution_time, 210 * us));
  CHECK(close(main_of(result).overlap, 100 * us));
  CHECK(close(main_of(result).communication, 300 * us));
}

TEST_CASE("the asynchronous Jacobi program hides part of its exchanges") {
  const Compiled compiled = compile(trace::read_program(data("f_jacas_8.ptr.gz")));
  const Characteristics result =
      Predictor(compiled.script, flat("ethernet", 1.0, 0.001)).evaluate(grid("2x2")).front();
  CHECK(result.operations[2].overlap > 0.0);
}

TEST_CASE("across_: old values go once to the processors that come earlier") {
  Run run = with_edges(9);
  run(trace::Across{0, trace::no_object, 0}).loop(0, {9});
  run(trace::RunLoop{0, true, {}}, 300 * us)(trace::RunLoop{0, true, {}}, 300 * us);
  run(trace::RunLoop{0, false, {}}, 300 * us)(trace::EndLoop{0});
  const Prediction result = run.predict(bus(), "3");
  const auto& p = result.intervals[0].per_processor;
  // From 100 us on: 1-0 ends at 200, 2-1 at 300: 0 waits 100, 1 and 2 wait 200; then 200 us more.
  CHECK(close(p[0].execution_time, 400 * us));
  CHECK(close(p[1].execution_time, 500 * us));
  CHECK(close(p[2].execution_time, 500 * us));
  CHECK(close(main_of(result).communication, 500 * us));
  CHECK(main_of(result).operation_counts[2] == 1);
  // A loop that runs backwards: 0-1 ends at 200, 1-2 at 300.
  Run backwards = with_edges(9);
  backwards(trace::Across{0, trace::no_object, 0})(trace::CreateLoop{0, 1});
  backwards(trace::MapLoop{0, Run::identity(1, 0), {8}, {0}, {-1}});
  backwards(trace::RunLoop{0, true, {}}, 300 * us)(trace::RunLoop{0, false, {}}, 0.0);
  const Prediction mirrored = backwards.predict(bus(), "3");
  CHECK(close(mirrored.intervals[0].per_processor[0].execution_time, 200 * us));
  CHECK(close(mirrored.intervals[0].per_processor[2].execution_time, 300 * us));
}

TEST_CASE("across_: old values are waited for where sending takes no time as well") {
  // Elements 0...2 of 9 are in the first block: 300 us on processor 0, nothing on 1 and 2. The old
  // values start when the last one gets there: 1 and 2 send to 0 and to 1, so all have 300 us.
  Run run = with_edges(9);
  run(trace::Across{0, trace::no_object, 0})(trace::CreateLoop{0, 1});
  run(trace::MapLoop{0, Run::identity(1, 0), {0}, {2}, {1}});
  run(trace::RunLoop{0, true, {}}, 300 * us)(trace::EndLoop{0});
  const Prediction result = run.predict(free_of_charge(), "3");
  for (const ProcessorTimes& own : result.intervals[0].per_processor) {
    CHECK(close(own.execution_time, 300 * us));
  }
  CHECK(close(main_of(result).operations[2].communication, 600 * us));
  CHECK(main_of(result).communication_synch == 0.0);
  CHECK(close(Predictor(compile(run.program()).script, free_of_charge())
                  .evaluate(grid("3"))
                  .front()
                  .communication,
              600 * us));
  // With blocks of 5, 4 and 0 elements processor 2 takes no part.
  Run two = with_edges(9);
  two(trace::CreateTemplate{1, {9}})(trace::DivideBlocks{1, {5}});
  two(trace::Distribute{1, trace::no_object, {1}});
  two(trace::CreateArray{1, {9}, 8, {1}, {1}})(trace::Align{1, Run::identity(1, 1)});
  two(trace::CreateShadowGroup{1})(trace::InsertShadow{1, 1, {-1}, {-1}, 1});
  two(trace::Across{1, trace::no_object, 1})(trace::CreateLoop{0, 1});
  two(trace::MapLoop{0, Run::identity(1, 1), {0}, {2}, {1}});
  two(trace::RunLoop{0, true, {}}, 300 * us)(trace::EndLoop{0});
  const Prediction left_out = two.predict(free_of_charge(), "3");
  CHECK(close(left_out.intervals[0].per_processor[1].execution_time, 300 * us));
  CHECK(left_out.intervals[0].per_processor[2].execution_time == 0.0);
}

TEST_CASE("across_: old values at corners go to processors that come earlier in loop order") {
  // 2x2 blocks; corners as well. Loop order is by rows: of the four, 0 runs first, 3 last.
  Run run;
  run.target({8, 8}).array(0, {8, 8}, 8, {1, 1}, {1, 1});
  run(trace::CreateShadowGroup{0})(trace::InsertShadow{0, 0, {-1, -1}, {-1, -1}, 2});
  run(trace::Across{0, trace::no_object, 0}).loop(0, {8, 8});
  run(trace::RunLoop{0, true, {}}, 0.0);
  // Rows of 4 elements, columns of 4, and a corner: 1 to 0, 2 to 0, 2 to 1, 3 to 0, 3 to 1, 3 to 2.
  // The bus carries them one after the other; 3's last message is the last.
  const Prediction result = run.predict(bus(), "2x2");
  CHECK(close(main_of(result).execution_time, 600 * us));
  CHECK(close(result.intervals[0].per_processor[3].execution_time, 600 * us));
  CHECK(close(result.intervals[0].per_processor[1].execution_time, 500 * us));
}

TEST_CASE("portions of a loop with a step, and empty ones") {
  // Iterations 1, 4, 7, 10 of 12 elements on two processors: 2 each (blocks 0...5 and 6...11).
  const auto portion = [](std::int64_t first, std::int64_t last, double seconds) {
    Run run;
    run.target({12})(trace::CreateLoop{0, 1});
    run(trace::MapLoop{0, Run::identity(1, 0), {1}, {10}, {3}});
    run(trace::RunLoop{0, true, trace::SubBlock{{first}, {last}, {3}}}, seconds);
    const Prediction result = run.predict(free_of_charge(), "2");
    return std::pair(result.intervals[0].per_processor[0].cpu_time,
                     result.intervals[0].per_processor[1].cpu_time);
  };
  CHECK(portion(4, 10, 3.0) == std::pair(1.0, 2.0));
  CHECK(portion(2, 9, 2.0) == std::pair(1.0, 1.0));    // 4 and 7
  CHECK(portion(8, 11, 2.0) == std::pair(0.0, 2.0));   // 10
  CHECK(portion(11, 10, 1.0) == std::pair(1.0, 1.0));  // nobody has any: rule 1
}

TEST_CASE("productive time keeps its digits on many processors") {
  // 62,500 processors: sums over them are 62,500 times as large as what one of them needs.
  Run run;
  run.target({1000, 1000}).array(0, {1000, 1000}, 8).array(1, {1000, 1000}, 8);
  run(trace::CreateShadowGroup{0})(trace::InsertShadow{0, 0, {}, {}, 1});
  run.loop(0, {1000, 1000});
  double seconds = 0.0;
  for (int k = 1; k <= 50; ++k) {
    run(trace::Ordinary{}, 1.0 / k, 1.0 / (k + 7.0));
    run(trace::RunLoop{0, false, {}}, 1.0 / (3.0 * k), 0.0);
    run(trace::StartShadow{0}, 0.0, 0.1)(trace::WaitShadow{0});
    const auto whole = [](Slot array) { return trace::Section{array, {-1, -1}, {0, 0}, {1, 1}}; };
    run(trace::CopyArrays{whole(0), whole(1), trace::no_object}, 0.0, 1.0 / (k + 0.3));
    seconds += 1.0 / k + 1.0 / (k + 7.0) + 1.0 / (3.0 * k) + 0.1 + 1.0 / (k + 0.3);
  }
  const Characteristics sums = run.predict(free_of_charge(), "250x250").intervals[0].sums;
  CHECK(close(sums.productive_time, seconds, 1e-13));
  CHECK(close(sums.total_time, sums.productive_time + sums.lost_time, 1e-11));
}

TEST_CASE("the return time of a copy is shared by what is written") {
  const auto whole = [](Slot array) { return trace::Section{array, {-1}, {0}, {0}}; };
  Run run;
  run.target({10}).array(0, {10}, 8).array(1, {10}, 8);
  // Blocks of 4, 4, 2.
  run(trace::CopyArrays{whole(0), whole(1), trace::no_object}, 0.0, 1.0);
  // Elements 0...4: 4, 1 and 0 of them.
  run(trace::CopyArrays{{0, {0}, {4}, {1}}, {1, {0}, {4}, {1}}, trace::no_object}, 0.0, 10.0);
  const Prediction result = run.predict(free_of_charge(), "3");
  const auto& p = result.intervals[0].per_processor;
  CHECK(close(p[0].sys_time, 0.4 + 8.0));
  CHECK(close(p[1].sys_time, 0.4 + 2.0));
  CHECK(close(p[2].sys_time, 0.2));
  CHECK(main_of(result).insufficient_parallelism_sys == 0.0);
  CHECK(main_of(result).operation_counts[3] == 2);
  // Realigned to a replicated array everybody writes everything: two thirds are not productive.
  Run replicated;
  replicated.target({10}).array(0, {10}, 8);
  trace::AlignmentRule everywhere = Run::identity(1, 0);
  everywhere.axes = {-1};
  replicated(trace::Realign{0, everywhere, false}, 0.0, 3.0);
  const Prediction copies = replicated.predict(free_of_charge(), "3");
  CHECK(close(copies.intervals[0].per_processor[2].sys_time, 3.0));
  CHECK(close(main_of(copies).insufficient_parallelism_sys, 6.0));
  CHECK(close(main_of(copies).productive_sys_time, 3.0));
}

TEST_CASE("a blocking copy raises those that send or receive") {
  // Elements 0 and 1 of processor 0 go to processor 1 of 3; nobody else takes part.
  Run run;
  run.target({6}).array(0, {6}, 8).array(1, {6}, 8);
  run(trace::CopyArrays{{0, {0}, {1}, {1}}, {1, {2}, {3}, {1}}, trace::no_object}, 1.0, 0.0);
  const Prediction result = run.predict(bus(), "3");
  const auto& p = result.intervals[0].per_processor;
  CHECK(close(p[0].execution_time, 1.0001));
  CHECK(close(p[1].execution_time, 1.0001));
  CHECK(close(p[2].execution_time, 1.0));
  CHECK(close(of(p[1], Operation::remote_access).communication, 100 * us, 1e-9));
  CHECK(close(p[2].time_variation, 100 * us, 1e-9));
  CHECK(close(result.intervals[0].time_variations[3], 100 * us, 1e-9));
}

TEST_CASE("copies of a loop's iterations are not productive") {
  // The second dimension of the grid replicates the loop: 3 processors compute each iteration.
  Run run;
  run(trace::CreateTemplate{0, {8}})(trace::Distribute{0, trace::no_object, {1}});
  run.loop(0, {8})(trace::RunLoop{0, false, {}}, 8.0)(trace::EndLoop{0});
  const Prediction result = run.predict(bus(), "4x3");
  CHECK(close(main_of(result).execution_time, 2.0));
  CHECK(close(main_of(result).insufficient_parallelism_usr, 16.0));
  CHECK(close(main_of(result).productive_cpu_time, 8.0));
}

TEST_CASE("intervals: their own calls, nesting, counts") {
  const trace::BeginInterval user{trace::IntervalType::user, {}};
  const trace::BeginInterval first{trace::IntervalType::user, 1};
  Run run;
  run(trace::Ordinary{}, 100.0, 0.0);
  run(user, 1.0, 0.5, 10)(trace::Ordinary{}, 2.0, 0.0);    // 1.5 outside, 2 inside
  run(first, 8.0, 0.0, 20)(trace::Ordinary{}, 16.0, 0.0);  // 8 in the outer, 16 in the inner
  run(trace::EndInterval{}, 32.0, 0.0)(trace::EndInterval{}, 4.0, 0.25);
  run(user, 0.0, 0.0, 10)(trace::Ordinary{}, 64.0, 0.0)(trace::EndInterval{}, 0.0, 0.0);
  run(first, 0.0, 0.0, 10)(trace::Ordinary{}, 128.0, 0.0);  // another expression; left open
  const Prediction result = run.predict(bus(), "2");
  REQUIRE(result.intervals.size() == 4);
  CHECK(close(main_of(result).execution_time, 355.75));
  const IntervalResult& outer = result.intervals[1];
  CHECK(outer.info.line == 10);
  CHECK(outer.info.count == 2);
  CHECK(close(outer.sums.execution_time, 2.0 + 8.0 + 16.0 + 32.0 + 4.25 + 64.0));
  const IntervalResult& inner = result.intervals[2];
  CHECK(inner.info.parent == 1);
  CHECK(inner.info.level == 2);
  CHECK(inner.info.expression == 1);
  CHECK(close(inner.sums.execution_time, 48.0));
  CHECK(result.intervals[3].info.parent == 0);
  CHECK(close(result.intervals[3].sums.execution_time, 128.0));
}

TEST_CASE("a surplus end of an interval is ignored with a warning") {
  Run run;
  run(trace::EndInterval{}, 1.0, 0.0)(trace::Ordinary{}, 1.0, 0.0);
  const Compiled compiled = compile(run.program());
  CHECK(compiled.warnings.size() == 1);
  CHECK(close(main_of(run.predict(bus(), "1")).execution_time, 2.0));
}

TEST_CASE("a wait without a start is an error with its place") {
  Run run = with_edges(8);
  run(trace::WaitShadow{0});
  try {
    static_cast<void>(compile(run.program()));
    FAIL("no error");
  } catch (const InputError& error) {
    CHECK(error.file() == "written.ptr");
    CHECK(error.line() == run.program().records.size());
  }
}

TEST_CASE("unequal processors: blocks follow their performance") {
  // Performances 1 and 3, 8 iterations: 2 and 6, all done at the same time: 8 s / 4.
  const machine::Cluster cluster = machine::Cluster::parse(
      "cluster = c; c = {1 x p, 1 x q}; c.CommType = ethernet; c.TStart = 0; c.TByte = 0; p = 1;"
      "q = 3;",
      "two.par");
  Run run;
  run.target({8}).loop(0, {8})(trace::RunLoop{0, false, {}}, 8.0)(trace::EndLoop{0});
  CHECK(close(main_of(run.predict(cluster, "2")).execution_time, 2.0));
  // Without weights 4 and 4: the slow one takes 4 s.
  ModelOptions options;
  options.processor_weights = false;
  CHECK(close(main_of(run.predict(cluster, "2", options)).execution_time, 4.0));
}

}  // namespace gridcast::model::test
