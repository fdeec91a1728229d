// The closed forms of pipelined loops, and the simulated line against the recurrence worked out by
// hand (docs/model.md §6; [Predictor2010 §4.6]).

#include <algorithm>

#include "elements.h"
#include "gridcast/rules/pipeline_formulas.h"

namespace gridcast::model::test {
namespace {

PipelineShape random_shape(Random& random) {
  PipelineShape shape;
  shape.pipelined = static_cast<double>(1 + random() % 1000);
  shape.quantised = static_cast<double>(1 + random() % 300);
  shape.processors = static_cast<double>(2 + random() % 15);
  shape.iteration_time = static_cast<double>(random() % 100) * 1e-7;
  shape.edge_width = static_cast<double>(random() % 20);
  shape.element_transfer = static_cast<double>(random() % 100) * 1e-6;
  shape.start_time = static_cast<double>(1 + random() % 100) * 1e-6;
  return shape;
}

/// Ta(Q) written out term by term.
double loop_time(const PipelineShape& s, double q) {
  const double m = s.pipelined;
  const double n = s.quantised;
  const double p = s.processors;
  const double tp = s.iteration_time * (m / p) * (n / q);       // (1)
  const double tb = s.element_transfer * s.edge_width * n / q;  // (7)
  const double tir = s.start_time;
  const double k = p * tir + (p - 1) * tir + tir + q * (tir + tir);
  const bool overloaded = s.edge_width * s.element_transfer == 0.0 ||
                          p <= m * s.iteration_time / (s.edge_width * s.element_transfer);
  return overloaded ? k + (p - 1 + q) * tp + (p - 1) * tb : k + (p - 2) * tp + (p + q) * tb;
}

/// A loop of m x n iterations on a line, one row of 8-byte edges, `seconds` in all.
Run line(std::int64_t m, std::int64_t n, double seconds, bool backwards = false) {
  Run run;
  run(trace::CreateTemplate{0, {m, n}})(trace::Distribute{0, trace::no_object, {1}});
  run.array(0, {m, n}, 8, {1, 0}, {1, 0});
  run(trace::CreateShadowGroup{0})(trace::InsertShadow{0, 0, {-1, 0}, {-1, 0}, 1});
  run(trace::Across{trace::no_object, 0, 0});
  if (backwards) {
    run(trace::CreateLoop{0, 2});
    run(trace::MapLoop{0, Run::identity(2, 0), {m - 1, 0}, {0, n - 1}, {-1, 1}});
  } else {
    run.loop(0, {m, n});
  }
  return run(trace::RunLoop{0, false, {}}, seconds)(trace::EndLoop{0});
}

/// Number of portions that the closed form prefers, by trying all.
std::int64_t best_portions(const PipelineShape& shape) {
  std::int64_t best = 1;
  for (std::int64_t q = 2; q <= static_cast<std::int64_t>(shape.quantised); ++q) {
    if (loop_time(shape, static_cast<double>(q)) <
        loop_time(shape, static_cast<double>(best)) * (1.0 - 1e-13)) {
      best = q;
    }
  }
  return best;
}

/// When each processor of a line ends. One channel per pair if `channels` is large, one for all if
/// it is 1 (then only for two processors).
std::vector<double> recurrence(std::int64_t m, std::int64_t n, std::int64_t processors,
                               double seconds, std::int64_t quanta, double start, double byte,
                               bool shared) {
  const std::int64_t block = (m + processors - 1) / processors;
  const std::int64_t portion = (n + quanta - 1) / quanta;
  std::vector<double> ends;
  std::vector<double> before;  // arrival of each portion's edge
  for (std::int64_t p = 0; p < processors; ++p) {
    const auto rows = static_cast<double>(std::min(block, m - p * block));
    std::vector<double> arrivals;
    double clock = 0.0;
    double channel = 0.0;
    std::size_t k = 0;
    for (std::int64_t at = 0; at < n; at += portion, ++k) {
      const auto columns = static_cast<double>(std::min(portion, n - at));
      if (p > 0) {
        clock = std::max(clock, before[k]);
      }
      clock += seconds * rows * columns / static_cast<double>(m * n);
      const double begin = shared ? std::max(clock, channel) : clock;
      channel = begin + start + byte * columns * 8.0;
      arrivals.push_back(channel);
    }
    ends.push_back(clock);
    before = std::move(arrivals);
  }
  return ends;
}

}  // namespace

TEST_CASE("time of a pipelined loop and the best number of portions") {
  Random random(51);
  std::size_t overloaded = 0;
  for (int round = 0; round < 2000; ++round) {
    const PipelineShape shape = random_shape(random);
    for (const double q : {1.0, 2.0, 7.0, 100.0}) {
      CHECK(close(shape.time(q), loop_time(shape, q), 1e-9));
    }
    const auto found = static_cast<double>(shape.best_quanta());
    CHECK(found >= 1.0);
    CHECK(found <= shape.quantised);
    // Ta is convex in Q: no other whole number is better.
    const auto best = static_cast<double>(best_portions(shape));
    CHECK(close(loop_time(shape, found), loop_time(shape, best), 1e-9));
    // At Q* the derivative is 0: Ta lies above it on both sides.
    const double ideal = shape.ideal_quanta();
    if (ideal > 0.0) {
      CHECK(loop_time(shape, ideal) <= loop_time(shape, ideal * 1.001) * (1.0 + 1e-12));
      CHECK(loop_time(shape, ideal) <= loop_time(shape, ideal * 0.999) * (1.0 + 1e-12));
    }
    overloaded += shape.overloaded() ? 1U : 0U;
  }
  CHECK(overloaded > 200);
  CHECK(overloaded < 1800);
}

TEST_CASE("Q* of both regimes by hand") {
  PipelineShape shape;
  shape.pipelined = 100;
  shape.quantised = 64;
  shape.processors = 4;
  shape.iteration_time = 1.0;
  shape.edge_width = 1.0;
  shape.element_transfer = 5.0;
  shape.start_time = 2.0;
  // 4 <= 100 / 5: overloaded. (5): sqrt(64 * 3 * (100 + 20) / (4 * 4)) = sqrt(1440).
  CHECK(shape.overloaded());
  CHECK(shape.ideal_quanta() == Approx(37.947331922).epsilon(1e-9));
  // Tm = 50: 4 > 2. (10): sqrt(64 * (4 * (100 + 200) - 200) / (4 * 4)) = sqrt(4000).
  shape.element_transfer = 50.0;
  CHECK_FALSE(shape.overloaded());
  CHECK(shape.ideal_quanta() == Approx(63.245553203).epsilon(1e-9));
  shape.start_time = 0.0;
  CHECK(shape.best_quanta() == 64);
}

TEST_CASE("of numbers of portions that take equally long the library takes the smaller one") {
  // Underloaded, P = 3, no computing, Tb(1) = 4t:
  // Ta(2) = K + 4t + 5 · 2t, Ta(3) = K + 6t + 6 · 4t / 3.
  Random random(54);
  for (int round = 0; round < 1000; ++round) {
    PipelineShape shape;
    shape.quantised = 6;
    shape.processors = 3;
    shape.edge_width = 1.0;
    shape.start_time = static_cast<double>(1 + random() % 1000000) * 1e-9;
    shape.element_transfer = 2.0 * shape.start_time / 3.0;
    CHECK(shape.best_quanta() == 2);
    shape.start_time *= 0.999;
    CHECK(shape.best_quanta() == 3);
  }
}

TEST_CASE("a whole Q* is taken as it is") {
  // On ports every edge takes TGap: each portion more takes longer, but Q* = sqrt(N P W Tm / h)
  // = 6.
  Random random(55);
  for (int round = 0; round < 1000; ++round) {
    PipelineShape shape;
    shape.quantised = 12;
    shape.processors = 3;
    shape.edge_width = 1.0;
    shape.ports = true;
    shape.overhead = static_cast<double>(1 + random() % 1000000) * 1e-9;
    shape.gap = 1.0;
    shape.element_transfer = shape.overhead;
    CHECK(shape.best_quanta() == 6);
    shape.element_transfer *= 0.999;
    CHECK(shape.best_quanta() == 5);
  }
}

TEST_CASE("a line of processors on networks that nobody has to wait for") {
  Random random(52);
  std::size_t in_portions = 0;
  for (int round = 0; round < 400; ++round) {
    const auto processors = static_cast<std::int64_t>(2 + random() % 6);
    const std::int64_t m = processors * (1 + static_cast<std::int64_t>(random() % 20));
    const auto n = static_cast<std::int64_t>(1 + random() % 200);
    const double seconds = static_cast<double>(1 + random() % 1000) * 1e-4;
    const auto start = static_cast<double>(1 + random() % 50);
    const double byte = static_cast<double>(random() % 64) * 0.015625;
    PipelineShape shape;
    shape.pipelined = static_cast<double>(m);
    shape.quantised = static_cast<double>(n);
    shape.processors = static_cast<double>(processors);
    shape.iteration_time = seconds / static_cast<double>(m * n);
    shape.edge_width = 1.0;  // one row, per column
    shape.element_transfer = 8.0 * byte * 1e-6;
    shape.start_time = start * 1e-6;
    const std::int64_t quanta = best_portions(shape);
    in_portions += quanta > 1 ? 1U : 0U;
    const std::vector<double> ends =
        recurrence(m, n, processors, seconds, quanta, start * 1e-6, byte * 1e-6, false);
    ModelOptions options;
    options.pipeline = PipelineMode::full;
    CAPTURE(round, m, n, processors, seconds, start, byte, quanta);
    for (const bool backwards : {false, true}) {
      const Prediction result =
          line(m, n, seconds, backwards)
              .predict(flat("myrinet (4000)", start, byte), std::to_string(processors), options);
      const auto& times = result.intervals[0].per_processor;
      double finish = 0.0;
      for (std::size_t p = 0; p < ends.size(); ++p) {
        const std::size_t at = backwards ? ends.size() - 1 - p : p;
        CHECK(close(times[at].execution_time, ends[p], 1e-9));
        finish = std::max(finish, ends[p]);
        const double own = seconds / static_cast<double>(processors);
        CHECK(close(times[at].cpu_time, own, 1e-9));
        CHECK(close(times[at].operations[2].communication, ends[p] - own, 1e-9, ends[p]));
      }
      CHECK(close(result.intervals[0].sums.execution_time, finish, 1e-9));
      CHECK(result.intervals[0].sums.operations[2].synch == 0.0);
      // Time_variation once: what each is earlier than the last.
      double variation = 0.0;
      for (const double end : ends) {
        variation += finish - end;
      }
      CHECK(close(result.intervals[0].sums.time_variation, variation, 1e-9, finish));
    }
  }
  CHECK(in_portions > 200);
}

TEST_CASE("two processors on one bus: the edges queue") {
  Random random(53);
  for (int round = 0; round < 200; ++round) {
    const auto n = static_cast<std::int64_t>(1 + random() % 100);
    const double seconds = static_cast<double>(1 + random() % 100) * 1e-5;
    PipelineShape shape;
    shape.pipelined = 10;
    shape.quantised = static_cast<double>(n);
    shape.processors = 2;
    shape.iteration_time = seconds / static_cast<double>(10 * n);
    shape.edge_width = 1.0;
    shape.element_transfer = 8.0e-6;
    shape.start_time = 3e-6;
    const std::int64_t quanta = best_portions(shape);
    const std::vector<double> ends = recurrence(10, n, 2, seconds, quanta, 3e-6, 1e-6, true);
    ModelOptions options;
    options.pipeline = PipelineMode::full;
    const Prediction bus = line(10, n, seconds).predict(flat("ethernet", 3, 1), "2", options);
    CHECK(close(bus.intervals[0].sums.execution_time, ends[1], 1e-9));
    // On a grid of links an edge starts when the previous one of the pair has ended: the same.
    const Prediction links = line(10, n, seconds).predict(flat("transputer", 3, 1), "2", options);
    CHECK(close(links.intervals[0].sums.execution_time, ends[1], 1e-9));
  }
}

TEST_CASE("dimensions that are not cut, or without dependence, make no pipeline") {
  // Width 0 along the cut dimension: parallel work.
  Run parallel;
  parallel(trace::CreateTemplate{0, {8, 8}})(trace::Distribute{0, trace::no_object, {1}});
  parallel.array(0, {8, 8}, 8, {0, 1}, {0, 1});
  parallel(trace::CreateShadowGroup{0})(trace::InsertShadow{0, 0, {-1, -1}, {-1, -1}, 1});
  parallel(trace::Across{trace::no_object, 0, 0}).loop(0, {8, 8});
  parallel(trace::RunLoop{0, false, {}}, 8.0)(trace::EndLoop{0});
  const Prediction result = parallel.predict(flat("ethernet", 75, 0.2), "4");
  CHECK(close(result.intervals[0].sums.execution_time, 2.0));
  CHECK(result.intervals[0].sums.communication == 0.0);
}

TEST_CASE("edges travel also where computing takes no time") {
  // N = 1: one portion. 3 processors pass one edge of 8 bytes each on: 2 * (10 + 8) us.
  const Prediction result = line(9, 1, 0.0).predict(flat("ethernet", 10.0, 1.0), "3");
  CHECK(close(result.intervals[0].sums.execution_time, 36e-6, 1e-9));
}

TEST_CASE(
    "exhaustive pipelines: --pipeline=exhaustive is never slower than the closed form's choice") {
  for (const double seconds : {1e-4, 1e-3, 1e-2, 1e-1}) {
    for (const char* on : {"2", "5", "8"}) {
      ModelOptions options;
      const Run run = line(40, 300, seconds);
      const double chosen =
          run.predict(flat("ethernet", 20, 0.1), on, options).intervals[0].sums.execution_time;
      options.pipeline = PipelineMode::exhaustive;
      const double best =
          run.predict(flat("ethernet", 20, 0.1), on, options).intervals[0].sums.execution_time;
      CHECK(best <= chosen * (1.0 + 1e-9));
    }
  }
}

TEST_CASE("what a pipelined loop costs is told from other exchanges of shadow edges") {
  // An exchange on three processors of a bus, 18 us per edge of 8 bytes: 0-1, 1-0, 1-2, 2-1. The
  // clocks are 36, 72, 72 us then. The pipelined loop waits for the first, 36 us, and passes one
  // edge on: the second processor waits 18 us for it, the third 36 us.
  Run run;
  run(trace::CreateTemplate{0, {9, 1}})(trace::Distribute{0, trace::no_object, {1}});
  run.array(0, {9, 1}, 8, {1, 0}, {1, 0});
  run(trace::CreateShadowGroup{0})(trace::InsertShadow{0, 0, {-1, 0}, {-1, 0}, 1});
  run(trace::StartShadow{0})(trace::WaitShadow{0});
  run(trace::Across{trace::no_object, 0, 0}).loop(0, {9, 1});
  run(trace::RunLoop{0, false, {}}, 0.0)(trace::EndLoop{0});
  const Prediction result = run.predict(flat("ethernet", 10.0, 1.0), "3");
  const IntervalResult& program = result.intervals[0];
  CHECK(close(program.sums.operations[2].communication, 180e-6 + 36e-6 + 54e-6, 1e-9));
  CHECK(close(program.pipelined.communication, 36e-6 + 54e-6, 1e-9));
  CHECK(close(program.pipelined.synch, 36e-6, 1e-9));
}

}  // namespace gridcast::model::test
