// Bounds of boxes for exchanges whose messages go far: around rings and to diagonal neighbours.

#include "boxes.h"
#include "elements.h"

namespace gridcast::model::test {
namespace {

/// Two arrays, elements large and small, over a template of which some dimensions wrap.
Run random_rings(Random& random, std::size_t rank) {
  Run run;
  const Index extents = random_extents(random, rank, rank == 1 ? 80 : 20);
  Index periodic;
  std::vector<std::int64_t> axes;
  for (std::size_t d = 0; d < rank; ++d) {
    periodic.push_back(up_to(random, 1));
    axes.push_back(static_cast<std::int64_t>(d + 1));
  }
  run(trace::CreateTemplate{0, extents, periodic})(trace::Distribute{0, trace::no_object, axes});
  const std::int64_t sizes[] = {1, 8, 50000};
  run(trace::CreateShadowGroup{0})(trace::CreateShadowGroup{1});
  for (const Slot array : {0U, 1U}) {
    run.array(array, extents, sizes[random() % 3]);
    const trace::Slot group = array == 0 || random() % 2 == 0 ? 0U : 1U;
    Index low;
    Index high;
    for (std::size_t d = 0; d < rank; ++d) {
      low.push_back(up_to(random, 2));
      high.push_back(up_to(random, 2));
    }
    run(trace::InsertShadow{group, array, low, high, 1 + up_to(random, 2)});
  }
  run.loop(0, extents);
  for (int step = 0; step < 4; ++step) {
    const Slot group = static_cast<Slot>(random() % 2);
    const double time = 1e-6 * static_cast<double>(random() % 2000);
    run(trace::RunLoop{0, false, {}}, time)(trace::EndLoop{0});
    run(trace::StartShadow{group}, 0.0, 1e-6)(trace::Ordinary{}, 0.1 * time);
    run(trace::WaitShadow{group});
  }
  return run;
}

}  // namespace

TEST_CASE("bounds of boxes: rings and corners, short messages that go far") {
  Random random(43);
  const std::vector<machine::Cluster> machines = bounded_kinds({port_nodes()});
  const double closeness = mean_closeness(150, [&](int) {
    const std::size_t rank = 1 + random() % 3;
    const Compiled compiled = compile(random_rings(random, rank).program());
    return look_at_machines(compiled, machines, {}, static_cast<int>(rank), 60, 3, random);
  });
  CHECK(closeness > 0.2);  // it bounds something
}

TEST_CASE("who sends a long edge and gets a short one is through when both are") {
  // Two elements on processor 0, which sends both in 400 us; the latency is only its receiver's.
  // Then 1 ms per iteration.
  Run run;
  run.target({3}).array(0, {3}, 50000, {2}, {1}).loop(0, {3});
  run(trace::CreateShadowGroup{0})(trace::InsertShadow{0, 0, {-1}, {-1}, 1});
  run(trace::StartShadow{0})(trace::WaitShadow{0})(trace::RunLoop{0, false, {}}, 3e-3);
  const Compiled compiled = compile(run.program());
  const machine::Cluster ports = flat("ports", 7.0, 0.004);
  BoxBound bound(compiled.script, ports, {});
  Predictor predictor(compiled.script, ports, {});
  CHECK(predictor.evaluate(grid("2")).front().execution_time == Approx(2.4e-3));
  CHECK(bound(grid("2")).time <= 2.4e-3);
  CHECK(bound(grid("2")).time >= 2e-3 * (1.0 - 1e-9));
}

TEST_CASE("over links a corner decides how long an exchange takes, not the edges") {
  // Blocks of 125 x 125 elements of 1000 bytes: edges of 125 kB over one link, corners of 1 kB over
  // two. By the rule of docs/model.md §4 all are through when the corners are.
  Run run;
  run.target({1000, 1000}).array(0, {1000, 1000}, 1000, {1, 1}, {1, 1});
  run(trace::CreateShadowGroup{0})(trace::InsertShadow{0, 0, {-1, -1}, {-1, -1}, 2});
  run(trace::StartShadow{0})(trace::WaitShadow{0});
  const Compiled compiled = compile(run.program());
  const machine::Cluster links = flat("transputer", 7.0, 0.004);
  BoxBound bound(compiled.script, links, {});
  Predictor predictor(compiled.script, links, {});
  for (const char* const text : {"8x8", "32x2", "2x2"}) {
    const machine::Grid on = grid(text);
    const double time = predictor.evaluate(on).front().execution_time;
    const double least = bound(machine::GridBox(on), on.processors()).time;
    CHECK(least > 0.0);
    CHECK(least <= time);
  }
}

}  // namespace gridcast::model::test
