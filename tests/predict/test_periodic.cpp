// Edges that wrap around periodic dimensions: closed forms of a ring, who sends what to whom, and
// both engines (docs/model.md §5, "Periodic dimensions").

#include <algorithm>
#include <cmath>

#include "elements.h"
#include "gridcast/compile/compile.h"
#include "same_figures.h"

namespace gridcast::model::test {
namespace {

/// An array of doubles over a template that wraps where `periodic` says, and one exchange of its
/// edges of this width, corners of up to `tuple_limit` dimensions included.
Run ring(const trace::Extents& extents, const trace::Extents& periodic, std::int64_t width = 1,
         std::int64_t tuple_limit = 1) {
  Run run;
  std::vector<std::int64_t> axes;
  for (std::size_t i = 1; i <= extents.size(); ++i) {
    axes.push_back(static_cast<std::int64_t>(i));
  }
  const trace::Extents widths(extents.size(), width);
  const trace::Extents own(extents.size(), -1);
  run(trace::CreateTemplate{0, extents, periodic})(trace::Distribute{0, trace::no_object, axes});
  run.array(0, extents, 8, widths, widths)(trace::CreateShadowGroup{0});
  run(trace::InsertShadow{0, 0, own, own, tuple_limit});
  run(trace::StartShadow{0})(trace::WaitShadow{0});
  return run;
}

Bytes bytes_of(const Run& run, const std::string& on) {
  Run exchange;
  for (std::size_t i = 0; i + 1 < run.program().calls.size(); ++i) {
    exchange(run.program().calls[i]);  // all but the wait
  }
  return build_last(exchange, grid(on)).bytes;
}

std::vector<double> ends_of(const Run& run, const machine::Cluster& cluster,
                            const std::string& on) {
  std::vector<double> ends;
  const Prediction prediction = run.predict(cluster, on);
  for (const ProcessorTimes& times : prediction.intervals[0].per_processor) {
    ends.push_back(times.execution_time);
  }
  // Sums alone, by classes.
  const Compiled compiled = compile(run.program());
  Predictor fast(compiled.script, cluster);
  CHECK(close(fast.evaluate(grid(on)).front().execution_time,
              *std::max_element(ends.begin(), ends.end())));
  return ends;
}

}  // namespace

TEST_CASE("a ring on n channels: message k of 2 P ends at ceil(k / n) times its length") {
  for (const int channels : {1, 2, 3, 64}) {
    for (int count = 3; count <= 9; ++count) {
      const double length = 75e-6 + 8 * 0.2e-6;
      const Run run = ring({count * 4L}, {1});
      const auto ends = ends_of(run, flat("myrinet (" + std::to_string(channels) + ")", 75.0, 0.2),
                                std::to_string(count));
      for (int p = 0; p < count; ++p) {
        // p sends messages 2p+1 and 2p+2; its right neighbour's to it is 2p+3, but the last one has
        // p before p-1 in its list; the last but one and the last end with the whole list.
        const int k = p == 0 ? 2 * count - 1 : p + 2 >= count ? 2 * count : 2 * p + 3;
        CAPTURE(channels, count, p);
        CHECK(
            close(ends[static_cast<std::size_t>(p)], std::ceil(1.0 * k / channels) * length, 1e-9));
      }
    }
  }
}

TEST_CASE("the message that wraps crosses all links of its dimension, and all wait for it") {
  // (P - 2 + ceil(8 / S)) (TStart + S TByte) for the best portion S of 1 to 8 bytes.
  for (int count = 3; count <= 9; ++count) {
    double least = 1.0;
    for (int portion = 1; portion <= 8; ++portion) {
      least = std::min(least, (count - 2 + std::ceil(8.0 / portion)) * (1e-6 + portion * 2e-6));
    }
    for (const double end :
         ends_of(ring({count * 3L}, {1}), flat("transputer", 1.0, 2.0), std::to_string(count))) {
      CHECK(close(end, least, 1e-9));
    }
  }
}

TEST_CASE("a ring over ports: everybody sends and gets two edges, which share each port") {
  const double d = 8 * 0.5e-6;
  for (int count = 4; count <= 9; ++count) {
    const auto ends =
        ends_of(ring({count * 3L}, {1}), flat("ports", 3.0, 0.5), std::to_string(count));
    for (int p = 0; p < count; ++p) {
      CAPTURE(count, p);
      CHECK(close(ends[static_cast<std::size_t>(p)], 3e-6 + 2 * d, 1e-9));
    }
  }
}

TEST_CASE("one processor along a periodic dimension copies, two send each other both edges") {
  CHECK(bytes_of(ring({8}, {1}), "1").empty());
  CHECK(bytes_of(ring({8, 8}, {0, 1}), "4x1") == bytes_of(ring({8, 8}, {}), "4x1"));
  CHECK(bytes_of(ring({8}, {1}), "2") == Bytes{{{0, 1}, 16.0}, {{1, 0}, 16.0}});
  const machine::Cluster bus = flat("ethernet", 75.0, 0.2);
  CHECK(close(ends_of(ring({8}, {1}), bus, "2").front(), 2 * (75e-6 + 16 * 0.2e-6), 1e-9));
  // All in one block of five: the others are empty, and there is nobody to send to.
  CHECK(bytes_of(ring({1}, {1}), "5").empty());
}

TEST_CASE("blocks shorter than the edge, and empty ones") {
  // 5 elements in blocks of 2, 2, 1, 0: a ring of three. Edges 3 wide, but no wider than a block.
  const Bytes expected{{{0, 1}, 16.0}, {{0, 2}, 16.0}, {{1, 0}, 16.0},
                       {{1, 2}, 16.0}, {{2, 0}, 8.0},  {{2, 1}, 8.0}};
  CHECK(bytes_of(ring({5}, {1}, 3), "4") == expected);
}

TEST_CASE("a torus with corners") {
  // 3 x 3 processors of 3 x 3 elements: eight neighbours each, edges of 24 and corners of 8 bytes.
  const Bytes bytes = bytes_of(ring({9, 9}, {1, 1}, 1, 2), "3x3");
  CHECK(bytes.size() == 72);
  CHECK(bytes.at({0, 1}) == 24.0);
  CHECK(bytes.at({0, 2}) == 24.0);
  CHECK(bytes.at({0, 4}) == 8.0);
  CHECK(bytes.at({0, 8}) == 8.0);
  CHECK(close(ends_of(ring({9, 9}, {1, 1}, 1, 2), flat("ethernet", 75.0, 0.2), "3x3").back(),
              36 * (75e-6 + 24 * 0.2e-6) + 36 * (75e-6 + 8 * 0.2e-6), 1e-9));
}

TEST_CASE("an array that is laid backwards, and one over a part of the template, wrap as well") {
  Run run;
  run(trace::CreateTemplate{0, {12}, {1}})(trace::Distribute{0, trace::no_object, {1}});
  run(trace::CreateArray{0, {6}, 8, {2}, {1}});  // elements 5 ... 0 over 3 ... 8, blocks of 3
  run(trace::Align{0, {trace::PatternKind::target, 0, {1}, {-1}, {8}}});
  run(trace::CreateShadowGroup{0})(trace::InsertShadow{0, 0, {-1}, {-1}, 1});
  run(trace::StartShadow{0});
  // Processor 1 has elements 3 to 5, 2 has 0 to 2. Towards smaller indices goes the high edge, one
  // wide, towards larger ones the low edge, two wide; each is the other's neighbour on both sides.
  CHECK(build_last(run, grid("4")).bytes == Bytes{{{1, 2}, 24.0}, {{2, 1}, 24.0}});
}

TEST_CASE("neither a pipeline nor the values before it wrap") {
  const auto swept = [](const trace::Extents& periodic) {
    Run run;
    run(trace::CreateTemplate{0, {12, 6}, periodic});
    run(trace::Distribute{0, trace::no_object, {1}}).array(0, {12, 6}, 8, {1, 1}, {1, 1});
    run.loop(0, {12, 6});
    run(trace::CreateShadowGroup{0})(trace::InsertShadow{0, 0, {0, 0}, {1, 0}, 1});
    run(trace::CreateShadowGroup{1})(trace::InsertShadow{1, 0, {1, 0}, {0, 0}, 1});
    run(trace::Across{0, 0, 1})(trace::RunLoop{0, true, {}});
    run(trace::RunLoop{0, false, {}}, 1e-3)(trace::EndLoop{0});
    return run.predict(flat("ethernet", 75.0, 0.2), "4").intervals[0].sums.execution_time;
  };
  CHECK(swept({1, 0}) == swept({}));
}

TEST_CASE("both engines agree about rings") {
  Random random(53);
  const std::vector<machine::Cluster> machines{flat("ethernet", 75.0, 0.2),
                                               flat("myrinet (3)", 9.0, 0.0125),
                                               flat("transputer", 9.0, 0.01),
                                               two_level(),
                                               three_level(),
                                               heterogeneous(),
                                               port_nodes(),
                                               flat("ports", 3.0, 0.01)};
  for (int round = 0; round < 60; ++round) {
    const std::size_t rank = 1 + random() % 3;
    const Index extents = random_extents(random, rank, rank == 1 ? 60 : 12);
    Index periodic;
    Index low;
    Index high;
    for (std::size_t d = 0; d < rank; ++d) {
      periodic.push_back(up_to(random, 1));
      low.push_back(up_to(random, 2));
      high.push_back(up_to(random, 2));
    }
    Run run = ring(extents, periodic, 1, 1 + up_to(random, 1));
    run.loop(0, extents)(trace::CreateShadowGroup{1});
    run(trace::InsertShadow{1, 0, low, high, 1 + up_to(random, 2)});
    run(trace::RunLoop{0, false, {}}, 300 * 1e-6)(trace::EndLoop{0});
    run(trace::StartShadow{1})(trace::Ordinary{}, 20e-6)(trace::StartShadow{0});
    run(trace::WaitShadow{0})(trace::InputOutput{true, 8}, 1e-6, 1e-6)(trace::WaitShadow{1});
    const Compiled compiled = compile(run.program());
    const machine::Grid on = random_grid(random);
    for (const machine::Cluster& cluster : machines) {
      CAPTURE(round, on.text(), extents, periodic, cluster.text());
      ModelOptions options;
      options.engine = EngineKind::reference;
      Predictor reference(compiled.script, cluster, options);
      options.engine = EngineKind::fast;
      Predictor fast(compiled.script, cluster, options);
      require_same(fast.evaluate(on), reference.evaluate(on), on);
    }
  }
}

}  // namespace gridcast::model::test
