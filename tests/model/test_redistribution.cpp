// redis_ and realn_ against the model of single elements (MODEL.md §5): every processor holds
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

TEST_CASE("with new values, and the first time, nothing moves") {
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
  Run first;
  first(trace::CreateTemplate{0, {8}});
  first(trace::CreateArray{0, {8}, 8, {}, {}})(trace::Realign{0, Run::identity(1, 0), false});
  first(trace::Redistribute{0, trace::no_object, trace::no_object, {1}, false});
  CHECK(build_last(first, grid("4")).bytes.empty());
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
