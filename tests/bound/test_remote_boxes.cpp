// Bounds of boxes for loops that read buffers of remote elements, as a factorisation by panels
// does: lines and points that all readers need, several buffers at once, iterations that shrink.

#include "boxes.h"
#include "elements.h"

namespace gridcast::model::test {
namespace {

/// Iterations of a loop over template 0: from `first` on along each dimension, or one place.
struct Reader {
  std::vector<bool> fixed;
  Index place;  ///< per dimension of the template: the first element, or the only one
  Index last;   ///< ... the last one
  Index axis;   ///< dimension of the loop, 1-based; 0: fixed
  std::int64_t rank = 0;
};

Reader random_reader(Random& random, const Index& extents) {
  Reader reader;
  for (const std::int64_t extent : extents) {
    const bool fixed = random() % 3 == 0 && (reader.rank > 0 || &extent != &extents.back());
    reader.fixed.push_back(fixed);
    reader.place.push_back(up_to(random, extent - 1));
    const std::int64_t left = extent - reader.place.back();
    reader.last.push_back(random() % 2 == 0 ? extent - 1
                                            : reader.place.back() + up_to(random, left - 1));
    reader.axis.push_back(fixed ? 0 : ++reader.rank);
  }
  return reader;
}

void map(Run& run, Slot loop, const Reader& reader) {
  run(trace::CreateLoop{loop, reader.rank});
  trace::AlignmentRule rule{trace::PatternKind::target, 0, reader.axis, {}, {}};
  Index first;
  Index last;
  for (std::size_t dim = 0; dim < reader.axis.size(); ++dim) {
    const bool fixed = reader.fixed[dim];
    rule.coefficients.push_back(fixed ? 0 : 1);
    rule.constants.push_back(fixed ? reader.place[dim] : 0);
    if (!fixed) {
      first.push_back(reader.place[dim]);
      last.push_back(reader.last[dim]);
    }
  }
  const Index step(first.size(), 1);
  run(trace::MapLoop{loop, rule, first, last, step});
}

/// What the loop reads of an array over the same template: along each dimension one position, all
/// of them, or that of the iteration.
void read(Run& run, Random& random, Slot buffer, Slot array, Slot loop, const Reader& reader,
          const Index& extents) {
  trace::CreateRemoteBuffer call{buffer, array, loop, {}, {}, {}};
  for (std::size_t dim = 0; dim < extents.size(); ++dim) {
    const bool follows = !reader.fixed[dim] && random() % 2 == 0;
    const bool whole = !follows && random() % 6 == 0;
    const bool before = !follows && reader.place[dim] > 0 && random() % 2 == 0;
    const std::int64_t at = before              ? reader.place[dim] - 1
                            : random() % 2 == 0 ? reader.place[dim]
                                                : up_to(random, extents[dim] - 1);
    call.axes.push_back(follows ? reader.axis[dim] : whole ? -1 : 0);
    call.coefficients.push_back(follows ? 1 : 0);
    call.constants.push_back(follows ? 0 : at);
  }
  run(call);
}

/// Loops that read one or two arrays, with elements large and small, and compute for random times.
Run random_readers(Random& random, std::size_t rank) {
  Run run;
  const Index extents = random_extents(random, rank, rank == 1 ? 60 : 16);
  const std::int64_t sizes[] = {1, 8, 30000};
  run.target(extents);
  run.array(0, extents, sizes[random() % 3]).array(1, extents, sizes[random() % 3]);
  run(trace::CreateReductionGroup{0})(trace::CreateReduction{0, 8, 1, 0});
  run(trace::InsertReduction{0, 0});
  for (Slot step = 0; step < 5; ++step) {
    const double time = 1e-6 * static_cast<double>(random() % 4000);
    const Reader reader = random_reader(random, extents);
    map(run, step, reader);
    read(run, random, 2 * step, 0, step, reader, extents);
    read(run, random, 2 * step + 1, 1, step, reader, extents);
    if (random() % 3 == 0) {
      run(trace::LoadBuffer{2 * step})(trace::WaitBuffer{2 * step});
    } else {
      run(trace::CreateBufferGroup{step})(trace::InsertBuffer{step, 2 * step});
      run(trace::InsertBuffer{step, 2 * step + 1});
      run(trace::LoadBufferGroup{step})(trace::Ordinary{}, 0.1 * time);
      run(trace::WaitBufferGroup{step});
    }
    run(trace::Ordinary{}, 1e-6)(trace::RunLoop{step, false, {}}, time);
    if (random() % 2 == 0) {
      run(trace::StartReduction{0})(trace::WaitReduction{0});
    }
    run(trace::EndLoop{step});
  }
  return run;
}

}  // namespace

TEST_CASE("bounds of boxes: loops that read remote elements") {
  Random random(47);
  const std::vector<machine::Cluster> machines =
      bounded_kinds({flat("transputer", 60.0, 0.0001), flat("ports", 7.0, 0.004), port_nodes()});
  const double closeness = mean_closeness(300, [&](int round) {
    const std::size_t rank = 1 + random() % 3;
    const Compiled compiled = compile(random_readers(random, rank).program());
    return look_at_machines(compiled, machines, options_of_round(round), static_cast<int>(rank), 60,
                            3, random);
  });
  CHECK(closeness > 0.6);  // it bounds something
}

TEST_CASE("over links a buffer of short messages that go farther decides for one of long ones") {
  // 4 x 4 processors, blocks of 4 x 4: column 15 of elements of 30000 bytes goes over three links
  // to readers in column 0, one element of a byte over six.
  Run run;
  run.target({16, 16}).array(0, {16, 16}, 30000).array(1, {16, 16}, 1).loop(0, {16, 16});
  run(trace::CreateRemoteBuffer{0, 0, 0, {1, 0}, {1, 0}, {0, 15}});
  run(trace::CreateRemoteBuffer{1, 1, 0, {0, 0}, {0, 0}, {15, 15}});
  run(trace::CreateBufferGroup{0})(trace::InsertBuffer{0, 0})(trace::InsertBuffer{0, 1});
  run(trace::LoadBufferGroup{0})(trace::WaitBufferGroup{0});
  const Compiled compiled = compile(run.program());
  const machine::Cluster links = flat("transputer", 7.0, 0.004);
  BoxBound bound(compiled.script, links, {});
  Predictor predictor(compiled.script, links, {});
  const machine::Grid on = grid("4x4");
  const double six_links = 6.0 * (7e-6 + 0.004e-6);
  CHECK(predictor.evaluate(on).front().execution_time == Approx(six_links));
  CHECK(bound(on).time == Approx(six_links));
}

TEST_CASE("the last to get a buffer runs iterations afterwards") {
  // One element per processor. All but column 0 need the column's element of their row: 7 messages
  // of 9 us + 8 bytes on the bus each row, then one iteration of 100 us.
  Run run;
  run.target({8, 8}).array(0, {8, 8}, 8);
  run(trace::CreateLoop{0, 2});
  const trace::AlignmentRule rule{trace::PatternKind::target, 0, {1, 2}, {1, 1}, {0, 0}};
  run(trace::MapLoop{0, rule, {0, 1}, {7, 7}, {1, 1}});
  run(trace::CreateRemoteBuffer{0, 0, 0, {1, 0}, {1, 0}, {0, 0}});
  run(trace::LoadBuffer{0})(trace::WaitBuffer{0})(trace::RunLoop{0, false, {}}, 56 * 1e-4);
  const Compiled compiled = compile(run.program());
  const machine::Cluster bus = flat("ethernet", 9.0, 0.0125);
  BoxBound bound(compiled.script, bus, {});
  Predictor predictor(compiled.script, bus, {});
  const machine::Grid on = grid("8x8");
  const double time = 56 * (9e-6 + 8 * 0.0125e-6) + 1e-4;
  CHECK(predictor.evaluate(on).front().execution_time == Approx(time));
  // As far as bounds know, one of the seven columns that run iterations may be that of the
  // elements.
  const double known = 48 * (9e-6 + 8 * 0.0125e-6) + 1e-4;
  CHECK(bound(on).time == Approx(known));
}

}  // namespace gridcast::model::test
