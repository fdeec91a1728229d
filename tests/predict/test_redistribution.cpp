// redis_ and realn_ against the model of single elements (docs/model.md §5): every processor holds
// afterwards what it should, what it did not hold was sent once by the nearest holder, and nothing
// else was sent.

#include "elements.h"

namespace gridcast::model::test {
namespace {

using Before = std::map<Index, Holders>;

Before snapshot(const Elements& elements, Slot array) {
  Before before;
  for (const Index& element : indices(elements.extents(array))) {
    before[element] = elements.holders(array, element);
  }
  return before;
}

/// What has to arrive where, and who writes how many elements.
void expect_move(const Elements& elements, Slot array, const Before& before, double element_size,
                 Bytes& bytes, std::vector<double>& written, double& distinct) {
  for (const Index& element : indices(elements.extents(array))) {
    distinct += 1.0;
    for (const std::uint32_t p : elements.holders(array, element)) {
      elements.fetch(before.at(element), p, element_size, bytes);
      written[p] += 1.0;
    }
  }
}

void check(const Built& built, const Bytes& bytes, const std::vector<double>& written,
           double distinct) {
  CHECK(built.bytes == bytes);
  CHECK(built.transfers == bytes.size());
  if (built.written.empty()) {
    CHECK(std::all_of(written.begin(), written.end(), [](double w) { return w == 0.0; }));
    return;
  }
  for (std::size_t p = 0; p < written.size(); ++p) {
    CHECK(close(built.written[p], written[p] / distinct));
  }
}

}  // namespace

TEST_CASE("redistribution of all arrays on a template, directly or through arrays") {
  Random random(11);
  std::size_t with_transfers = 0;
  for (int round = 0; round < 1500; ++round) {
    Run run;
    Elements elements(run, random_grid(random));
    random_arrays(random, elements);
    CAPTURE(round, elements.grid().text());
    const Before first = snapshot(elements, 0);
    const Before second = snapshot(elements, 1);
    const trace::CreateTemplate created =
        std::get<trace::CreateTemplate>(run.program().calls.front());
    const auto axes = random_axes(random, created.extents.size(), elements.grid());
    run(trace::Redistribute{0, trace::no_object, trace::no_object, axes, false});
    elements.move_target(0, axes);
    Bytes bytes;
    std::vector<double> written(elements.processors(), 0.0);
    double distinct = 0.0;
    expect_move(elements, 0, first, 4.0, bytes, written, distinct);
    expect_move(elements, 1, second, 8.0, bytes, written, distinct);
    check(build_last(run, elements.grid()), bytes, written, distinct);
    with_transfers += bytes.empty() ? 0U : 1U;
  }
  CHECK(with_transfers > 300);
}

TEST_CASE("realignment over the template and over an array") {
  Random random(12);
  std::size_t with_transfers = 0;
  for (int round = 0; round < 1500; ++round) {
    Run run;
    Elements elements(run, random_grid(random));
    random_arrays(random, elements);
    CAPTURE(round, elements.grid().text());
    const Before before = snapshot(elements, 0);
    const trace::CreateTemplate created =
        std::get<trace::CreateTemplate>(run.program().calls.front());
    const bool over_array = random() % 2 == 0;
    const trace::AlignmentRule rule = over_array
                                          ? random_rule(random, trace::PatternKind::array, 1,
                                                        elements.extents(1), elements.extents(0))
                                          : random_rule(random, trace::PatternKind::target, 0,
                                                        created.extents, elements.extents(0));
    run(trace::Realign{0, rule, false});
    elements.move_array(0, rule);
    Bytes bytes;
    std::vector<double> written(elements.processors(), 0.0);
    double distinct = 0.0;
    expect_move(elements, 0, before, 4.0, bytes, written, distinct);
    check(build_last(run, elements.grid()), bytes, written, distinct);
    with_transfers += bytes.empty() ? 0U : 1U;
  }
  CHECK(with_transfers > 300);
}

TEST_CASE("with new values nothing moves") {
  Run run;
  run.target({8}).array(0, {8}, 8);
  run(trace::Redistribute{0, trace::no_object, trace::no_object, {0}, true});
  CHECK(build_last(run, grid("4")).bytes.empty());
  Run realigned;
  realigned.target({8}).array(0, {8}, 8);
  trace::AlignmentRule backwards = Run::identity(1, 0);
  backwards.coefficients = {-1};
  backwards.constants = {7};
  realigned(trace::Realign{0, backwards, true});
  CHECK(build_last(realigned, grid("4")).bytes.empty());
}

TEST_CASE("the first realn_ of an array and the first redis_ of a template are align_ and distr_") {
  // Element 0 of 8 is computed for 4 s: processor 0 is 4 s ahead, and nobody waits for it.
  const auto begin = [] {
    Run run;
    run.target({8}, 1)(trace::CreateLoop{0, 1});
    run(trace::MapLoop{0, Run::identity(1, 1), {0}, {0}, {1}});
    run(trace::RunLoop{0, false, {}}, 4.0)(trace::EndLoop{0});
    return run;
  };
  const auto redistributions = [](const Prediction& result) {
    return result.intervals[0]
        .sums.operation_counts[static_cast<std::size_t>(Operation::redistribution)];
  };
  Run first = begin();
  first(trace::CreateTemplate{0, {8}})(trace::CreateArray{0, {8}, 8, {}, {}});
  first(trace::Realign{0, Run::identity(1, 0), false}, 0.0, 1.0);
  first(trace::Redistribute{0, trace::no_object, trace::no_object, {1}, false}, 0.0, 2.0);
  const Prediction result = first.predict(flat("ethernet", 100.0, 0.0), "4");
  CHECK(result.intervals[0].sums.synchronization == 0.0);
  CHECK(result.intervals[0].sums.communication == 0.0);
  CHECK(redistributions(result) == 0);
  CHECK(close(result.intervals[0].per_processor[0].execution_time, 7.0));
  CHECK(close(result.intervals[0].per_processor[3].execution_time, 3.0));
  CHECK(close(result.intervals[0].sums.productive_sys_time, 3.0));
  CHECK(redistributions(first.predict(flat("ethernet", 100.0, 0.0), "1")) == 0);
  // They place the array: the second time it moves, turned round from {2q, 2q+1} to {7-2q, 6-2q}.
  Run second = first;
  trace::AlignmentRule backwards = Run::identity(1, 0);
  backwards.coefficients = {-1};
  backwards.constants = {7};
  second(trace::Realign{0, backwards, false});
  const Bytes expected{{{0, 3}, 16.0}, {{1, 2}, 16.0}, {{2, 1}, 16.0}, {{3, 0}, 16.0}};
  CHECK(build_last(second, grid("4")).bytes == expected);
  CHECK(redistributions(second.predict(free_of_charge(), "4")) == 1);
  CHECK(second.predict(free_of_charge(), "4").intervals[0].sums.synchronization > 0.0);
  second(trace::Redistribute{0, trace::no_object, trace::no_object, {0}, false});
  CHECK(redistributions(second.predict(free_of_charge(), "4")) == 2);
  // With new values the first redis_ is distr_ as well.
  Run fresh = begin();
  fresh(trace::CreateTemplate{0, {8}})(trace::CreateArray{0, {8}, 8, {}, {}});
  fresh(trace::Align{0, Run::identity(1, 0)});
  fresh(trace::Redistribute{0, trace::no_object, trace::no_object, {1}, true});
  CHECK(redistributions(fresh.predict(free_of_charge(), "4")) == 0);
  CHECK(fresh.predict(free_of_charge(), "4").intervals[0].sums.synchronization == 0.0);
}

TEST_CASE("processors without a part of the template get nothing of a replicated array") {
  // 5 elements on 4 processors: blocks of 2, 2, 1 and nothing.
  Run run;
  run.target({5}).array(0, {5}, 8);
  trace::AlignmentRule everywhere = Run::identity(1, 0);
  everywhere.axes = {-1};
  run(trace::Realign{0, everywhere, false}, 0.0, 1.0);
  const Bytes expected{{{0, 1}, 16.0}, {{0, 2}, 16.0}, {{1, 0}, 16.0},
                       {{1, 2}, 16.0}, {{2, 0}, 8.0},  {{2, 1}, 8.0}};
  CHECK(build_last(run, grid("4")).bytes == expected);
  // Three write all of it, the fourth nothing.
  const Prediction result = run.predict(free_of_charge(), "4");
  CHECK(close(result.intervals[0].per_processor[2].sys_time, 1.0));
  CHECK(result.intervals[0].per_processor[3].sys_time == 0.0);
  CHECK(close(result.intervals[0].sums.insufficient_parallelism_sys, 2.0));
  // Who has nothing of it fetches it: from the nearest that has.
  run(trace::CreatePointBuffer{0, 0, trace::no_object, {-1}})(trace::LoadBuffer{0});
  const Bytes fetched{{{2, 3}, 40.0}};
  CHECK(build_last(run, grid("4")).bytes == fetched);
  // Iterations that are replicated run where there is something of the template.
  run(trace::CreateLoop{0, 1})(trace::MapLoop{0, everywhere, {0}, {9}, {1}});
  run(trace::RunLoop{0, false, {}}, 3.0);
  const Prediction loop = run.predict(free_of_charge(), "4");
  CHECK(close(loop.intervals[0].per_processor[2].cpu_time, 3.0));
  CHECK(loop.intervals[0].per_processor[3].cpu_time == 0.0);
  CHECK(close(loop.intervals[0].sums.insufficient_parallelism_usr, 6.0));
  // On one processor nothing is empty.
  CHECK(close(run.predict(free_of_charge(), "1").intervals[0].sums.execution_time, 4.0));
}

TEST_CASE("a transpose by hand: 4x4 doubles from rows to columns on two processors") {
  Run run;
  run(trace::CreateTemplate{0, {4, 4}})(trace::Distribute{0, trace::no_object, {1}});
  run.array(0, {4, 4}, 8);
  run(trace::Redistribute{0, trace::no_object, trace::no_object, {2}, false});
  // Each keeps its diagonal quarter and sends the other 2x2 elements: 32 bytes.
  const Bytes expected{{{0, 1}, 32.0}, {{1, 0}, 32.0}};
  CHECK(build_last(run, grid("2")).bytes == expected);
}

}  // namespace gridcast::model::test
