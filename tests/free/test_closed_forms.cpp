// Closed forms of free processes on a flat network of ports (docs/model.md §10; LogGP's L, o, g and
// G).

#include <algorithm>

#include "fixture.h"

namespace gridcast::model::test {
namespace {

/// Seconds; limits in bytes.
struct FreeNetwork {
  double latency, send, receive, gap, byte;
  double eager = 65536.0;

  [[nodiscard]] machine::Cluster cluster() const {
    const auto micro = [](double seconds) { return std::to_string(1e6 * seconds); };
    return machine::Cluster::parse(
        "cluster = c; c = {4096 x p}; c.CommType = loggp; c.L = " + micro(latency) +
            "; c.o_s = " + micro(send) + "; c.o_r = " + micro(receive) + "; c.g = " + micro(gap) +
            "; c.G = " + micro(byte) + "; c.EagerLimit = " + std::to_string(eager) + "; p = 1;",
        "free.par");
  }
  /// What a message takes of a port.
  [[nodiscard]] double flow(double bytes) const { return std::max(gap, bytes * byte); }
  /// An eager message alone, from its send to the end of its receive.
  [[nodiscard]] double message(double bytes) const {
    return send + latency + flow(bytes) + receive;
  }
};

ModelOptions free_options(ReductionKind reduction = ReductionKind::linear) {
  ModelOptions options;
  options.processes = ProcessKind::free;
  options.reduction = reduction;
  return options;
}

/// Clocks of all processes at the end; their time is accounted for in every interval.
std::vector<double> clocks(const Run& run, const FreeNetwork& network, const std::string& on,
                           const ModelOptions& options) {
  const Prediction result = run.predict(network.cluster(), on, options);
  for (const IntervalResult& interval : result.intervals) {
    const Characteristics& sums = interval.sums;
    CHECK(close(sums.total_time, sums.productive_time + sums.lost_time, 1e-9));
  }
  std::vector<double> found;
  for (const ProcessorTimes& times : result.intervals.front().per_processor) {
    found.push_back(times.execution_time);
  }
  return found;
}

/// A sum of so many doubles over loop 0.
Run& add_up(Run& run, std::int64_t values) {
  run(trace::CreateReductionGroup{0})(trace::CreateReduction{0, 8, values, 0});
  return run(trace::InsertReduction{0, 0})(trace::StartReduction{0})(trace::WaitReduction{0});
}

/// Two processes, of which the first computes 2 ms and the second 1 ms, exchange 96 bytes.
Run two_processes() {
  Run run;
  run.target({3, 12}).array(0, {3, 12}, 8, {1, 0}, {1, 0}).loop(0, {3, 12});
  run(trace::CreateShadowGroup{0})(trace::InsertShadow{0, 0, {-1, -1}, {-1, -1}, 1});
  run(trace::RunLoop{0, false, {}}, 3e-3)(trace::StartShadow{0})(trace::WaitShadow{0});
  return run;
}

const FreeNetwork usual{5e-6, 2e-6, 3e-6, 0.0, 1e-8};

}  // namespace

TEST_CASE("free processes: two exchange eagerly") {
  for (const FreeNetwork& c : {usual, FreeNetwork{1e-6, 40e-6, 2e-6, 7e-6, 1e-8}}) {
    const std::vector<double> ends = clocks(two_processes(), c, "2x1", free_options());
    const double late = 2e-3;
    CHECK(close(ends[0], late + c.send + c.receive, 1e-9));  // the other message is there already
    CHECK(close(ends[1], late + c.message(96.0), 1e-9));
  }
}

TEST_CASE("free processes: two exchange by rendezvous") {
  FreeNetwork c = usual;
  c.eager = 96.0;  // bytes below it are eager, these are not
  const std::vector<double> ends = clocks(two_processes(), c, "2x1", free_options());
  // Both messages are asked for when the later one comes to the exchange; it sends TSend later.
  CHECK(close(ends[0], 2e-3 + c.send + c.latency + c.flow(96.0), 1e-9));
  CHECK(close(ends[1], ends[0], 1e-12));
}

TEST_CASE("free processes: who sends by rendezvous and has nothing to get waits for the receiver") {
  Run run;  // the low shadow of the second process
  run.target({3, 12}).array(0, {3, 12}, 8, {1, 0}, {0, 0}).loop(0, {3, 12});
  run(trace::CreateShadowGroup{0})(trace::InsertShadow{0, 0, {-1, -1}, {-1, -1}, 1});
  run(trace::RunLoop{0, false, {}}, 3e-3)(trace::StartShadow{0})(trace::WaitShadow{0});
  FreeNetwork c = usual;
  const std::vector<double> eager = clocks(run, c, "2x1", free_options());
  CHECK(close(eager[0], 2e-3 + c.send, 1e-9));
  CHECK(close(eager[1], 2e-3 + c.message(96.0), 1e-9));
  c.eager = 0.0;
  const std::vector<double> asked = clocks(run, c, "2x1", free_options());
  CHECK(close(asked[0], 2e-3 + c.send + c.latency + c.flow(96.0), 1e-9));
  CHECK(close(asked[1], asked[0], 1e-12));
}

TEST_CASE("free processes: reduction round the ring") {
  Run run;
  run.target({70}).loop(0, {70});
  add_up(run, 700);
  for (const double eager : {0.0, 65536.0}) {
    FreeNetwork c = usual;
    c.eager = eager;
    const double step = c.send + c.latency + c.flow(800.0) + (eager > 0.0 ? c.receive : 0.0);
    for (const double end : clocks(run, c, "7", free_options(ReductionKind::ring))) {
      CHECK(close(end, 2.0 * 6.0 * step, 1e-9));
    }
  }
}

TEST_CASE("free processes: reduction along trees") {
  Run run;
  run.target({64, 64}).loop(0, {64, 64});
  add_up(run, 1);
  // A process sends its messages so far apart that they do not share its port.
  for (const auto& [on, rounds] : {std::pair{"2x1", 1.0}, {"4x2", 3.0}, {"8x8", 6.0}}) {
    const std::vector<double> ends = clocks(run, usual, on, free_options(ReductionKind::tree));
    CHECK(close(*std::max_element(ends.begin(), ends.end()), 2.0 * rounds * usual.message(8.0),
                1e-9));
    CHECK(close(ends.front(), rounds * (usual.message(8.0) + usual.send), 1e-9));
  }
}

TEST_CASE("free processes: reduction by doubling among six") {
  Run run;
  run.target({60}).loop(0, {60});
  add_up(run, 1);
  const double m = usual.message(8.0);
  const double own = usual.send + usual.receive;  // its partner's message is there already
  const std::vector<double> ends = clocks(run, usual, "6", free_options(ReductionKind::doubling));
  // 1 and 3 add their neighbours' values first, 4 and 5 wait for them in the second round; their
  // own values enter the ports of 1 and 3 together with those of the first round.
  const double shared = usual.flow(8.0);
  const double back = 2.0 * m + shared + own;  // when 1 and 3 send the sum back
  const std::vector<double> expected{back + m,          back + usual.send, back + m,
                                     back + usual.send, 3.0 * m + shared,  3.0 * m + shared};
  for (std::size_t p = 0; p < 6; ++p) {
    CAPTURE(p);
    CHECK(close(ends[p], expected[p], 1e-9));
  }
}

TEST_CASE("free processes: Rabenseifner's reduction among eight, and what auto takes") {
  Run run;
  run.target({80}).loop(0, {80});
  add_up(run, 1000);  // 8 parts of 125 doubles
  double expected = 0.0;
  for (const double bytes : {4000.0, 2000.0, 1000.0}) {
    expected += 2.0 * usual.message(bytes);
  }
  for (const ReductionKind kind : {ReductionKind::rabenseifner, ReductionKind::automatic}) {
    for (const double end : clocks(run, usual, "8", free_options(kind))) {
      CHECK(close(end, expected, 1e-9));
    }
  }
  Run few;
  few.target({80}).loop(0, {80});
  add_up(few, 256);
  CHECK(close(clocks(few, usual, "8", free_options(ReductionKind::automatic)).front(),
              3.0 * usual.message(2048.0), 1e-9));
}

TEST_CASE("free processes: alltoall of equal messages") {
  // From blocks of rows to blocks of columns: 4 x 5 doubles from each to each.
  Run run;
  run.target({32, 40}).array(0, {32, 40}, 8);
  run(trace::Redistribute{0, trace::no_object, trace::no_object, {2}, false});
  const FreeNetwork c{5e-6, 0.0, 0.0, 0.0, 1e-8};
  for (const double end : clocks(run, c, "8", free_options())) {
    CHECK(close(end, c.latency + 7.0 * c.flow(160.0), 1e-9));
  }
}

TEST_CASE("free processes: a wavefront of portions") {
  // 4 processes with 2 rows each; 10 portions, because they cost nothing. Edges of 8 bytes.
  Run run;
  run.target({8, 10}).array(0, {8, 10}, 8, {1, 0}, {1, 0});
  run(trace::CreateShadowGroup{0})(trace::InsertShadow{0, 0, {-1, 0}, {-1, 0}, 1});
  run(trace::Across{trace::no_object, 0, 0}).loop(0, {8, 10});
  run(trace::RunLoop{0, false, {}}, 80e-6)(trace::EndLoop{0});
  const FreeNetwork c{5e-6, 0.0, 0.0, 0.0, 1e-8};
  const double portion = 2e-6;
  const std::vector<double> ends = clocks(run, c, "4x1", free_options());
  for (std::size_t p = 0; p < 4; ++p) {
    const auto before = static_cast<double>(p);
    CHECK(close(ends[p], before * (portion + c.latency + c.flow(8.0)) + 10.0 * portion, 1e-9));
  }
}

TEST_CASE("free processes: who does not need a message does not wait") {
  Run run;
  run.target({17}).loop(0, {17});
  run(trace::RunLoop{0, false, {}}, 17e-3);
  run(trace::CreateReductionGroup{0})(trace::StartReduction{0})(trace::WaitReduction{0});
  // Blocks of 3, 3, 3, 3, 3, 2; nothing to add up.
  CHECK(close(clocks(run, usual, "6", free_options()).back(), 2e-3, 1e-9));
}

TEST_CASE("free processes: a long loop costs what its simulated iterations say") {
  Run run;
  run.target({40, 12}).array(0, {40, 12}, 8, {1, 1}, {1, 1}).loop(0, {40, 12});
  run(trace::CreateShadowGroup{0})(trace::InsertShadow{0, 0, {-1, -1}, {-1, -1}, 1});
  for (int i = 0; i < 150; ++i) {
    run(trace::RunLoop{0, false, {}}, 1e-3)(trace::StartShadow{0})(trace::WaitShadow{0});
  }
  ModelOptions options = free_options();
  // All take equally long for each iteration.
  const Prediction some = run.predict(usual.cluster(), "2x2", options);
  REQUIRE(some.warnings.size() == 1);
  CHECK_THAT(some.warnings.front(), Catch::StartsWith("64 of 150 iterations were simulated"));
  options.iterations = 0;
  const Prediction all = run.predict(usual.cluster(), "2x2", options);
  CHECK(all.warnings.empty());
  const Characteristics& a = all.intervals.front().sums;
  const Characteristics& s = some.intervals.front().sums;
  CHECK(close(s.execution_time, a.execution_time, 1e-9));
  CHECK(close(s.productive_time, a.productive_time, 1e-9));
  CHECK(close(s.communication, a.communication, 1e-9));
  CHECK(close(s.total_time, s.productive_time + s.lost_time, 1e-9));
}

}  // namespace gridcast::model::test
