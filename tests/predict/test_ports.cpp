// Closed forms of whole programs on a flat network of ports (docs/model.md §4, §5; LogGP's L, o,
// g and G), in both engines.

#include <algorithm>

#include "fixture.h"

namespace gridcast::model::test {
namespace {

/// Seconds; d = max(g, bytes · G) is what a message takes of a port, bytes · G what it waits for.
struct LogGp {
  double latency, send, receive, gap, byte;

  [[nodiscard]] machine::Cluster cluster() const {
    const auto micro = [](double seconds) { return std::to_string(1e6 * seconds); };
    return machine::Cluster::parse(
        "cluster = c; c = {65536 x p}; c.CommType = loggp; c.L = " + micro(latency) +
            "; c.o_s = " + micro(send) + "; c.o_r = " + micro(receive) + "; c.g = " + micro(gap) +
            "; c.G = " + micro(byte) + "; p = 1;",
        "loggp.par");
  }
  [[nodiscard]] double in_port(double bytes) const { return std::max(gap, bytes * byte); }
  [[nodiscard]] double alone(double bytes) const { return bytes * byte; }
  [[nodiscard]] double message(double bytes) const {
    return send + latency + alone(bytes) + receive;
  }
};

// Overheads below and above the gap and the time of the bytes; the last without any.
const std::vector<LogGp> networks{
    {5e-6, 1e-6, 2e-6, 0.0, 5e-7},       {5e-6, 8e-6, 1e-6, 3e-6, 2.5e-7},
    {0.5e-6, 1e-6, 90e-6, 7e-6, 1e-7},   {3e-6, 2e-6, 2e-6, 200e-6, 1e-9},
    {1.5e-6, 0.5e-6, 0.5e-6, 0.0, 1e-9}, {7e-6, 0.0, 0.0, 0.0, 4e-9}};

template <class F>
void for_networks_and_engines(F&& check) {
  for (const LogGp& c : networks) {
    for (const EngineKind engine : {EngineKind::fast, EngineKind::reference}) {
      CAPTURE(c.latency, c.send, c.receive, c.gap, c.byte, static_cast<int>(engine));
      ModelOptions options;
      options.engine = engine;
      check(c, options);
    }
  }
}

const Characteristics& whole(const Prediction& prediction) {
  const Characteristics& sums = prediction.intervals.front().sums;
  REQUIRE(close(sums.total_time, sums.productive_time + sums.lost_time, 1e-9));
  return sums;
}

double time_of(const Run& run, const LogGp& c, const std::string& on, const ModelOptions& options) {
  return whole(run.predict(c.cluster(), on, options)).execution_time;
}

/// An exchange of the edges of array 0.
Run& exchange(Run& run) {
  run(trace::CreateShadowGroup{0})(trace::InsertShadow{0, 0, {-1, -1}, {-1, -1}, 1});
  return run(trace::StartShadow{0})(trace::WaitShadow{0});
}

/// A sum of one value of 8 bytes over loop 0.
Run& add_up(Run& run) {
  run(trace::CreateReductionGroup{0})(trace::CreateReduction{0, 8, 1, 0});
  return run(trace::InsertReduction{0, 0})(trace::StartReduction{0})(trace::WaitReduction{0});
}

/// When the second of two arrivals has been taken by a processor that sent twice itself.
double taken(const LogGp& c, double earlier, double later) {
  return std::max(std::max(2.0 * c.send, earlier) + c.receive, later) + c.receive;
}

/// When edges between processors with two neighbours each, which share both ports, arrive: those
/// from above, sent first, and those from below.
struct Edges {
  Edges(const LogGp& c, double bytes)
      : lower(c.send + c.alone(bytes) + c.in_port(bytes) + c.latency),
        upper(c.send + c.alone(bytes) + std::max(c.in_port(bytes), c.send) + c.latency) {}
  double lower, upper;
};

}  // namespace

TEST_CASE("programs on ports: one message") {
  Run run;
  // The low shadow of the right one of two processors: 20 rows of 8 bytes.
  run.target({16, 20}).array(0, {16, 20}, 8, {1, 0}, {0, 0});
  exchange(run);
  for_networks_and_engines([&](const LogGp& c, const ModelOptions& options) {
    const Prediction result = run.predict(c.cluster(), "2x1", options);
    CHECK(close(whole(result).execution_time, c.message(160.0), 1e-9));
    CHECK(close(result.intervals.front().per_processor[0].execution_time, c.send + c.alone(160.0),
                1e-9));
  });
}

TEST_CASE("programs on ports: k messages out of one processor") {
  // Processor 0 alone has iterations, so it has the sum and sends it to the other k.
  Run run;
  run.target({110}).loop(0, {10});
  add_up(run);
  for_networks_and_engines([&](const LogGp& c, const ModelOptions& options) {
    const double step = std::max(c.in_port(8.0), c.send);
    CHECK(close(time_of(run, c, "11", options), c.message(8.0) + 9.0 * step, 1e-9));
  });
}

TEST_CASE("programs on ports: all to one") {
  // Processor 0 alone has iterations, each of which reads the whole array: 9 blocks of 10 doubles.
  Run run;
  run.target({100}).array(0, {100}, 8).loop(0, {10});
  run(trace::CreateRemoteBuffer{0, 0, 0, {-1}, {0}, {0}});
  run(trace::LoadBuffer{0})(trace::WaitBuffer{0});
  for_networks_and_engines([&](const LogGp& c, const ModelOptions& options) {
    // All arrive at once.
    const double step = c.in_port(80.0) + c.receive;
    CHECK(close(time_of(run, c, "10", options), c.message(80.0) + 8.0 * step, 1e-9));
  });
}

TEST_CASE("programs on ports: exchange of edges on a line") {
  Run run;
  run.target({40, 12}).array(0, {40, 12}, 8, {1, 1}, {1, 1});
  exchange(run);
  for_networks_and_engines([&](const LogGp& c, const ModelOptions& options) {
    const Edges edges(c, 96.0);
    const Prediction result = run.predict(c.cluster(), "10x1", options);
    const auto& each = result.intervals.front().per_processor;
    CHECK(close(each[0].execution_time, edges.lower + c.receive, 1e-9));
    CHECK(close(each[1].execution_time, taken(c, edges.lower, edges.lower), 1e-9));
    for (std::size_t p = 2; p < 9; ++p) {
      CHECK(close(each[p].execution_time, taken(c, edges.lower, edges.upper), 1e-9));
    }
    CHECK(close(each[9].execution_time, edges.upper + c.receive, 1e-9));
    CHECK(close(whole(result).execution_time, taken(c, edges.lower, edges.upper), 1e-9));
  });
}

TEST_CASE("programs on ports: exchange of edges on a grid without wrap-around") {
  // 7x8 processors with 8x10 elements each: 80 bytes up and down, 64 to the sides.
  Run run;
  run.target({56, 80}).array(0, {56, 80}, 8, {1, 1}, {1, 1});
  exchange(run);
  // Overheads that fit into the time of the shorter message, so that the ports decide.
  for (const LogGp& c : {LogGp{5e-6, 0.0, 0.0, 0.0, 5e-7}, LogGp{3e-6, 1e-6, 2e-6, 0.0, 5e-7},
                         LogGp{0.0, 0.5e-6, 4e-6, 5e-6, 1e-6}}) {
    for (const EngineKind engine : {EngineKind::fast, EngineKind::reference}) {
      ModelOptions options;
      options.engine = engine;
      const Prediction result = run.predict(c.cluster(), "7x8", options);
      whole(result);
      const auto& each = result.intervals.front().per_processor;
      const double up = c.in_port(80.0);
      const double side = c.in_port(64.0);
      // Two steps from every border all four share each port; the longer ones arrive together.
      for (std::size_t row = 2; row < 5; ++row) {
        for (std::size_t column = 2; column < 6; ++column) {
          CHECK(close(each[row * 8 + column].execution_time,
                      c.send + c.latency + 2 * up + 2 * side + 2 * c.receive, 1e-9));
        }
      }
      // The neighbour below sends three edges, two of them as long as that.
      CHECK(close(each[0].execution_time, c.send + c.latency + 2 * up + side + c.receive, 1e-9));
    }
  }
}

TEST_CASE("programs on ports: linear reduction") {
  Run run;
  run.target({140}).loop(0, {140});
  add_up(run);
  for_networks_and_engines([&](const LogGp& c, const ModelOptions& options) {
    const double gathered = c.message(8.0) + 5.0 * (c.in_port(8.0) + c.receive);
    const double handed_out = c.message(8.0) + 5.0 * std::max(c.in_port(8.0), c.send);
    CHECK(close(time_of(run, c, "7", options), gathered + handed_out, 1e-9));
  });
}

TEST_CASE("programs on ports: reduction along trees") {
  Run run;
  run.target({64, 64}).loop(0, {64, 64});
  add_up(run);
  for_networks_and_engines([&](const LogGp& c, ModelOptions options) {
    if (c.gap > c.alone(8.0) + c.send) {
      return;  // what remains of one message is in the way of the next
    }
    options.reduction = ReductionKind::tree;
    for (const auto& [on, rounds] : {std::pair{"2", 1.0}, {"4x2", 3.0}, {"8x8", 6.0}}) {
      CAPTURE(on);
      CHECK(close(time_of(run, c, on, options), 2.0 * rounds * c.message(8.0), 1e-9));
    }
  });
}

TEST_CASE("programs on ports: iterations add up, all of them or a sample") {
  // Each iteration computes, exchanges and adds up; all wait for each other in between.
  constexpr int iterations = 60;
  Run run;
  run.target({40, 12}).array(0, {40, 12}, 8, {1, 1}, {1, 1}).loop(0, {40, 12});
  run(trace::CreateShadowGroup{0})(trace::InsertShadow{0, 0, {-1, -1}, {-1, -1}, 1});
  run(trace::CreateReductionGroup{0})(trace::CreateReduction{0, 8, 1, 0});
  run(trace::InsertReduction{0, 0});
  for (int i = 0; i < iterations; ++i) {
    run(trace::RunLoop{0, false, {}}, 1e-3)(trace::StartShadow{0})(trace::WaitShadow{0});
    run(trace::StartReduction{0})(trace::WaitReduction{0});
  }
  for_networks_and_engines([&](const LogGp& c, ModelOptions options) {
    if (c.gap > c.in_port(96.0) / 2.0) {
      return;  // as above
    }
    const Edges edges(c, 96.0);
    const double sum = 2.0 * c.message(8.0) +
                       8.0 * (c.in_port(8.0) + c.receive + std::max(c.in_port(8.0), c.send));
    const double expected = iterations * (1e-4 + taken(c, edges.lower, edges.upper) + sum);
    CHECK(close(time_of(run, c, "10x1", options), expected, 1e-9));
    options.extrapolate_iterations = true;
    const Prediction sampled = run.predict(c.cluster(), "10x1", options);
    CHECK(close(whole(sampled).execution_time, expected, 1e-9));
  });
}

}  // namespace gridcast::model::test
