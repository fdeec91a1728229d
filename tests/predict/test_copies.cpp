// arrcpy_ and buffers of remote elements against the model of single elements (docs/model.md §5).

#include "elements.h"

namespace gridcast::model::test {
namespace {

/// A section: the indices along each dimension, as a call of the library gives them.
struct Cut {
  trace::Section section;
  std::vector<Index> along;
};

/// Section of `array` with the given numbers of elements along its dimensions.
Cut random_cut(Random& random, Slot slot, const Index& extents, const Index& counts) {
  Cut cut;
  cut.section.array = slot;
  for (std::size_t dim = 0; dim < extents.size(); ++dim) {
    const std::int64_t count = counts[dim];
    if (count == extents[dim] && random() % 2 == 0) {
      cut.section.first.push_back(-1);  // the whole dimension; what follows does not count
      cut.section.last.push_back(0);
      cut.section.step.push_back(0);
      cut.along.push_back(sequence(0, extents[dim] - 1, 1));
      continue;
    }
    const std::int64_t largest = count == 1 ? 1 : (extents[dim] - 1) / (count - 1);
    std::int64_t step = 1 + up_to(random, largest - 1);
    std::int64_t first = up_to(random, extents[dim] - 1 - step * (count - 1));
    if (random() % 4 == 0) {
      first += step * (count - 1);
      step = -step;
    }
    cut.section.first.push_back(first);
    cut.section.last.push_back(first + step * (count - 1));
    cut.section.step.push_back(step == 1 && random() % 2 == 0 ? 0 : step);
    cut.along.push_back(sequence(first, cut.section.last.back(), step));
  }
  return cut;
}

/// The elements of a section in the order of positions.
std::vector<Index> elements_of(const Cut& cut) {
  std::vector<Index> result{{}};
  for (const Index& along : cut.along) {
    std::vector<Index> longer;
    for (const Index& start : result) {
      for (const std::int64_t i : along) {
        longer.push_back(start);
        longer.back().push_back(i);
      }
    }
    result = std::move(longer);
  }
  return result;
}

}  // namespace

TEST_CASE("copies between sections of any rank and step") {
  Random random(21);
  std::size_t with_transfers = 0;
  for (int round = 0; round < 2500; ++round) {
    Run run;
    Elements elements(run, random_grid(random));
    random_arrays(random, elements);
    CAPTURE(round, elements.grid().text());
    // Numbers of elements that fit both arrays, k-th long dimension to k-th long dimension.
    const Index& from_extents = elements.extents(1);
    const Index& to_extents = elements.extents(0);
    Index from_counts(from_extents.size(), 1);
    Index to_counts(to_extents.size(), 1);
    std::size_t f = 0;
    std::size_t t = 0;
    while (f < from_extents.size() && t < to_extents.size()) {
      const std::int64_t common = std::min(from_extents[f], to_extents[t]);
      if (common > 1 && random() % 4 != 0) {
        from_counts[f++] = to_counts[t++] = 2 + up_to(random, common - 2);
      } else if (random() % 2 == 0) {
        ++f;
      } else {
        ++t;
      }
    }
    const Cut from = random_cut(random, 1, from_extents, from_counts);
    const Cut to = random_cut(random, 0, to_extents, to_counts);
    run(trace::CopyArrays{from.section, to.section, trace::no_object});
    const std::vector<Index> sources = elements_of(from);
    const std::vector<Index> targets = elements_of(to);
    REQUIRE(sources.size() == targets.size());
    Bytes bytes;
    std::vector<double> written(elements.processors(), 0.0);
    for (std::size_t k = 0; k < sources.size(); ++k) {
      for (const std::uint32_t p : elements.holders(0, targets[k])) {
        elements.fetch(elements.holders(1, sources[k]), p, 8.0, bytes);
        written[p] += 1.0;
      }
    }
    const Built built = build_last(run, elements.grid());
    CHECK(built.bytes == bytes);
    with_transfers += bytes.empty() ? 0U : 1U;
    for (std::size_t p = 0; p < built.written.size(); ++p) {
      CHECK(close(built.written[p], written[p] / static_cast<double>(targets.size())));
    }
  }
  CHECK(with_transfers > 300);
}

TEST_CASE("copies into a buffer of every processor") {
  Random random(22);
  for (int round = 0; round < 500; ++round) {
    Run run;
    Elements elements(run, random_grid(random));
    random_arrays(random, elements);
    Index counts;
    for (const std::int64_t extent : elements.extents(0)) {
      counts.push_back(1 + up_to(random, extent - 1));
    }
    const Cut from = random_cut(random, 0, elements.extents(0), counts);
    run(trace::CopyArrays{from.section, trace::Section{}, trace::no_object});
    Bytes bytes;
    for (const Index& element : elements_of(from)) {
      for (std::uint32_t p = 0; p < elements.processors(); ++p) {
        elements.fetch(elements.holders(0, element), p, 4.0, bytes);
      }
    }
    const Built built = build_last(run, elements.grid());
    CHECK(built.bytes == bytes);
    for (const double share : built.written) {
      CHECK(share == 1.0);  // everybody writes all of it
    }
    // From a buffer nothing is sent.
    run(trace::CopyArrays{trace::Section{}, from.section, trace::no_object});
    CHECK(build_last(run, elements.grid()).bytes.empty());
  }
}

TEST_CASE("buffers for the elements that the iterations of a loop read") {
  Random random(23);
  std::size_t with_transfers = 0;
  for (int round = 0; round < 2500; ++round) {
    Run run;
    Elements elements(run, random_grid(random));
    random_arrays(random, elements);
    CAPTURE(round, elements.grid().text());
    const std::size_t loop_rank = 1 + random() % 2;
    const Index& array = elements.extents(0);
    // Iterations as indices of an array of the loop's shape would be.
    const Index box = random_extents(random, loop_rank, 6);
    const Index& over = elements.extents(1);
    const trace::AlignmentRule rule = random_rule(random, trace::PatternKind::array, 1, over, box);
    trace::MapLoop map{0, rule, {}, {}, {}};
    std::vector<Index> iterations_along;
    for (const std::int64_t extent : box) {
      const bool backwards = random() % 3 == 0;
      const std::int64_t step = (1 + up_to(random, 2)) * (backwards ? -1 : 1);
      map.first.push_back(backwards ? extent - 1 : 0);
      map.last.push_back(backwards ? 0 : extent - 1);
      map.step.push_back(step);
      iterations_along.push_back(sequence(map.first.back(), map.last.back(), step));
    }
    run(trace::CreateLoop{0, static_cast<std::int64_t>(loop_rank)})(map);
    trace::CreateRemoteBuffer buffer{0, 0, 0, {}, {}, {}};
    for (std::size_t dim = 0; dim < array.size(); ++dim) {
      const std::int64_t kind = up_to(random, 4);
      const std::int64_t axis = kind == 0 ? -1
                                : kind == 1
                                    ? 0
                                    : 1 + up_to(random, static_cast<std::int64_t>(loop_rank) - 1);
      const std::int64_t coefficient = axis <= 0 ? 0 : up_to(random, 4) - 2;
      buffer.axes.push_back(axis);
      buffer.coefficients.push_back(coefficient);
      buffer.constants.push_back(up_to(random, array[dim] - 1));
    }
    run(buffer)(trace::LoadBuffer{0});
    // Per processor and dimension of the array the positions that its iterations name: the buffer
    // is their box.
    std::vector<std::vector<std::set<std::int64_t>>> named(
        elements.processors(), std::vector<std::set<std::int64_t>>(array.size()));
    Index numbers;
    for (const Index& along : iterations_along) {
      numbers.push_back(static_cast<std::int64_t>(along.size()));
    }
    for (const Index& number : indices(numbers)) {
      Index iteration;
      for (std::size_t d = 0; d < number.size(); ++d) {
        iteration.push_back(iterations_along[d][static_cast<std::size_t>(number[d])]);
      }
      for (const std::uint32_t p : elements.holders_over(rule, iteration)) {
        for (std::size_t dim = 0; dim < array.size(); ++dim) {
          for (std::int64_t at = 0; at < array[dim] && buffer.axes[dim] < 0; ++at) {
            named[p][dim].insert(at);
          }
          if (buffer.axes[dim] >= 0) {
            const std::int64_t along =
                buffer.axes[dim] == 0
                    ? 0
                    : buffer.coefficients[dim] *
                          iteration[static_cast<std::size_t>(buffer.axes[dim] - 1)];
            named[p][dim].insert(buffer.constants[dim] + along);
          }
        }
      }
    }
    std::vector<std::set<Index>> needed(elements.processors());
    Bytes bytes;
    std::set<Index> all;
    for (std::uint32_t p = 0; p < elements.processors(); ++p) {
      for (const Index& element : indices(array)) {
        bool wanted = true;
        for (std::size_t dim = 0; dim < array.size(); ++dim) {
          wanted = wanted && named[p][dim].contains(element[dim]);
        }
        if (wanted) {
          needed[p].insert(element);
          elements.fetch(elements.holders(0, element), p, 4.0, bytes);
          all.insert(element);
        }
      }
    }
    const Built built = build_last(run, elements.grid());
    CHECK(built.bytes == bytes);
    with_transfers += bytes.empty() ? 0U : 1U;
    for (std::size_t p = 0; p < built.written.size(); ++p) {
      CHECK(close(built.written[p],
                  static_cast<double>(needed[p].size()) / static_cast<double>(all.size())));
    }
  }
  CHECK(with_transfers > 300);
}

TEST_CASE("buffers of loops without iterations take no part of the return time") {
  // Element 0 of 6 for the loop over 0...5 (2 iterations each) and for one that runs from 5 to 0:
  // three processors write one element each, the same one.
  Run run;
  run.target({6}).array(0, {6}, 8).loop(0, {6})(trace::CreateLoop{1, 1});
  run(trace::MapLoop{1, Run::identity(1, 0), {5}, {0}, {1}});
  for (const Slot loop : {0U, 1U}) {
    run(trace::CreateRemoteBuffer{loop, 0, loop, {0}, {0}, {0}});
  }
  run(trace::CreateBufferGroup{0})(trace::InsertBuffer{0, 0})(trace::InsertBuffer{0, 1});
  run(trace::LoadBufferGroup{0}, 0.0, 1.0)(trace::WaitBufferGroup{0});
  const Prediction result = run.predict(free_of_charge(), "3");
  for (const ProcessorTimes& own : result.intervals[0].per_processor) {
    CHECK(close(own.sys_time, 1.0));
    CHECK(close(own.insufficient_parallelism_sys, 2.0 / 3.0));
  }
  CHECK(close(result.intervals[0].sums.productive_sys_time, 1.0));
  // With nothing at all to write, rule 1.
  Run nothing;
  nothing.target({6}).array(0, {6}, 8)(trace::CreateLoop{1, 1});
  nothing(trace::MapLoop{1, Run::identity(1, 0), {5}, {0}, {1}});
  nothing(trace::CreateRemoteBuffer{0, 0, 1, {0}, {0}, {0}});
  nothing(trace::LoadBuffer{0}, 0.0, 1.0)(trace::WaitBuffer{0});
  CHECK(close(nothing.predict(free_of_charge(), "3").intervals[0].sums.execution_time, 1.0));
}

TEST_CASE("a point or line for every processor") {
  Run run;
  run.target({6, 4}).array(0, {6, 4}, 8);
  run(trace::CreatePointBuffer{0, 0, trace::no_object, {3, -1}})(trace::LoadBuffer{0});
  // Row 3 of 4 doubles lies in the second block of rows (3 rows each): on 2x2 processors 2 and 3
  // hold half of it each and exchange it; 0 gets the halves from 2 and 3, 1 likewise.
  const Bytes expected{{{2, 0}, 16.0}, {{3, 0}, 16.0}, {{2, 1}, 16.0},
                       {{3, 1}, 16.0}, {{2, 3}, 16.0}, {{3, 2}, 16.0}};
  CHECK(build_last(run, grid("2x2")).bytes == expected);
}

TEST_CASE("a group of buffers sends one message per pair") {
  Run run;
  run.target({6}).array(0, {6}, 8);
  run(trace::CreatePointBuffer{0, 0, trace::no_object, {0}});
  run(trace::CreatePointBuffer{1, 0, trace::no_object, {1}});
  run(trace::CreateBufferGroup{0})(trace::InsertBuffer{0, 0})(trace::InsertBuffer{0, 1});
  run(trace::LoadBufferGroup{0});
  const Built built = build_last(run, grid("3"));
  const Bytes expected{{{0, 1}, 16.0}, {{0, 2}, 16.0}};
  CHECK(built.bytes == expected);
  CHECK(built.transfers == 2);
}

TEST_CASE("a copy of an array pays TArray in the place of TCollective") {
  const trace::Program program = trace::read_program(data("c_gauss_10.ptr.gz"));
  const Compiled compiled = compile(program);
  const auto copies = static_cast<double>(std::count_if(
      program.records.begin(), program.records.end(),
      [&](const trace::Record& record) { return program.function_of(record) == "arrcpy_"; }));
  REQUIRE(copies > 0.0);
  for (const EngineKind engine : {EngineKind::fast, EngineKind::reference}) {
    ModelOptions options;
    options.engine = engine;
    const auto time = [&](const std::string& costs) {
      const machine::Cluster cluster = machine::Cluster::parse(
          "cluster = c; c = {4 x p}; c.CommType = ports; c.TStart = 1; c.TByte = 0; " + costs +
              "p = 1;",
          "m.par");
      Predictor predictor(compiled.script, cluster, options);
      return predictor.evaluate(machine::Grid::parse("4"))[0].execution_time;
    };
    CHECK(time("c.TCollective = 5; ") == time("c.TCollective = 5; c.TArray = 5; "));
    CHECK(time("c.TCollective = 5; c.TArray = 20; ") - time("c.TCollective = 5; c.TArray = 0; ") ==
          Approx(copies * 20e-6).epsilon(1e-9));
  }
}

}  // namespace gridcast::model::test
