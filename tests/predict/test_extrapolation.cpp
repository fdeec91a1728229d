// --extrapolate-iterations: the same program predicted both ways, iteration by iteration and from
// some iterations (docs/model.md §8).

#include <algorithm>
#include <random>

#include "described.h"
#include "fixture.h"
#include "gridcast/bound/box_bound.h"
#include "gridcast/compile/compile.h"

namespace gridcast::model::test {
namespace {

/// Off the full simulation by at most this part of the execution time, or of the total time for
/// figures that are sums over processors.
constexpr double allowed_error = 0.005;
/// The same for what the sample alone splits: waiting for others against waiting for messages.
constexpr double allowed_split = 0.06;

const std::vector<std::string> sampled_grids{"2", "7", "16", "4x4", "3x5", "8x8"};

std::vector<std::pair<std::string, machine::Cluster>> sampled_machines() {
  return {{"bus", flat("ethernet", 75.0, 0.2)},
          {"links", flat("transputer", 9.0, 0.0125)},
          {"myrinet", flat("myrinet (4)", 7.0, 0.004)},
          {"three levels", three_level()},
          {"ports", port_nodes()},
          {"heterogeneous", heterogeneous()}};
}

trace::Program repeated(const std::string& name, const std::string& size) {
  const char* const iterations = name == "multigrid" ? "cycles" : "iterations";
  trace::Program program = shipped_program(name, {{"n", size}, {iterations, "100"}});
  for (trace::Record& record : program.records) {
    record.ret_time += 1e-6;  // as calls of a run-time library take
  }
  return program;
}

enum class Noise { even, heavy, spikes };

/// Multiplies every time by its own random factor.
void disturb(trace::Program& program, Noise noise, unsigned seed) {
  std::mt19937_64 random(seed);
  const auto uniform = [&] { return static_cast<double>(random() % 1000001) / 1e6; };
  const auto factor = [&] {
    switch (noise) {
      case Noise::even:
        return 0.8 + 0.4 * uniform();
      case Noise::heavy:  // log-normal, a factor of 1.65 either way
        return std::exp(0.5 * std::sqrt(-2.0 * std::log(uniform() + 1e-7)) *
                        std::cos(6.283185307179586 * uniform()));
      case Noise::spikes:
        return 1.0 + (uniform() < 0.03 ? 10.0 : 0.0) + 0.1 * uniform();
    }
    return 1.0;
  };
  for (trace::Record& record : program.records) {
    record.call_time *= factor();
    record.ret_time *= factor();
  }
}

/// The number that a note gives for "extrapolated N iterations"; 0 without such a note.
std::size_t left_out(const Prediction& prediction) {
  for (const std::string& warning : prediction.warnings) {
    if (warning.starts_with("extrapolated ")) {
      return std::stoul(warning.substr(std::string("extrapolated ").size()));
    }
  }
  return 0;
}

bool in_full(const Prediction& prediction) {
  return std::any_of(
      prediction.warnings.begin(), prediction.warnings.end(),
      [](const std::string& text) { return text.find("in full") != std::string::npos; });
}

/// Both ways; checks every interval and returns the prediction from some iterations.
Prediction check_both_ways(const Compiled& compiled, const machine::Cluster& cluster,
                           const std::string& on) {
  ModelOptions options;
  options.extrapolate_iterations = true;
  const Prediction all = Predictor(compiled.script, cluster).predict(grid(on));
  Predictor predictor(compiled.script, cluster, options);
  Prediction some = predictor.predict(grid(on), true);
  const double time = all.intervals.front().sums.execution_time;
  const double total = all.intervals.front().sums.total_time;
  for (std::size_t i = 0; i < all.intervals.size(); ++i) {
    const Characteristics& a = all.intervals[i].sums;
    const Characteristics& b = some.intervals[i].sums;
    const auto near = [&](double x, double y, double part) { return std::abs(x - y) <= part; };
    CAPTURE(i, a.execution_time, b.execution_time);
    REQUIRE(near(a.execution_time, b.execution_time, allowed_error * time));
    REQUIRE(near(a.communication, b.communication, allowed_error * total));
    REQUIRE(near(a.lost_time, b.lost_time, allowed_error * total));
    REQUIRE(near(a.idle, b.idle, allowed_error * total));
    // What is linear in the times is exact.
    REQUIRE(near(a.productive_time, b.productive_time, 1e-9 * total));
    REQUIRE(near(a.io_time, b.io_time, 1e-9 * total));
    REQUIRE(near(a.load_imbalance, b.load_imbalance, allowed_error * total));
    REQUIRE(near(a.insufficient_parallelism, b.insufficient_parallelism, 1e-9 * total));
    REQUIRE(near(a.synchronization, b.synchronization, allowed_split * total));
    REQUIRE(near(a.overlap, b.overlap, allowed_split * total));
    for (std::size_t k = 0; k < operation_count; ++k) {
      const OperationTimes& x = a.operations[k];
      const OperationTimes& y = b.operations[k];
      REQUIRE(near(x.communication, y.communication, allowed_split * total));
      REQUIRE(a.operation_counts[k] == b.operation_counts[k]);
    }
    REQUIRE(close(b.total_time, b.productive_time + b.lost_time, 1e-9));
    double communication = 0.0;
    for (const ProcessorTimes& p : some.intervals[i].per_processor) {
      communication += p.communication();
      REQUIRE(close(p.execution_time, p.cpu_time + p.sys_time + p.io_time + p.communication(), 1e-9,
                    time));
    }
    REQUIRE(close(communication, b.communication, 1e-9, total));
  }
  REQUIRE(BoxBound(compiled.script, cluster, options)(grid(on)).time <=
          some.intervals.front().sums.execution_time * (1.0 + 1e-12));
  const Characteristics sums = predictor.evaluate(grid(on)).front();
  REQUIRE(close(sums.execution_time, some.intervals.front().sums.execution_time));
  REQUIRE(close(sums.communication, some.intervals.front().sums.communication, 1e-9, total));
  return some;
}

/// `count` iterations on 100 elements in blocks: a loop, its sum, and what `more` adds.
template <class More>
Run written_iterations(int count, More&& more) {
  Run run;
  run.target({100}).array(0, {100}, 8).loop(0, {100});
  run(trace::CreateReduction{0, 8, 1, 0})(trace::CreateReductionGroup{0})(
      trace::InsertReduction{0, 0});
  for (int k = 0; k < count; ++k) {
    more(run, k);
  }
  return run;
}

}  // namespace

TEST_CASE("all example traces: a part of the iterations predicts what all do") {
  std::size_t traces = 0;
  for (const auto& entry : std::filesystem::directory_iterator(data(""))) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".ptr") && !name.ends_with(".ptr.gz")) {
      continue;
    }
    const Compiled compiled = compile(trace::read_program(entry.path()));
    for (const auto& [machine, cluster] : sampled_machines()) {
      for (const std::string& on : sampled_grids) {
        CAPTURE(name, machine, on);
        check_both_ways(compiled, cluster, on);
      }
    }
    ++traces;
  }
  CHECK(traces >= 20);
}

TEST_CASE("measured traces of 100 iterations: at least 80 are left out") {
  for (const auto& entry : std::filesystem::directory_iterator(data("measured"))) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with("x100.ptr.gz")) {
      continue;
    }
    const Compiled compiled = compile(trace::read_program(entry.path()));
    for (const auto& [machine, cluster] : sampled_machines()) {
      for (const std::string& on : sampled_grids) {
        CAPTURE(name, machine, on);
        const Prediction prediction = check_both_ways(compiled, cluster, on);
        // Two steps of asynchronous Jacobi, which swap their arrays, are one iteration.
        CHECK(left_out(prediction) >= (name.starts_with("f_jacas") ? 32U : 80U));
      }
    }
  }
}

TEST_CASE("noise of times: 80 of 100 iterations are left out, or none, and then a note says so") {
  const std::pair<const char*, const char*> programs[] = {
      {"jacobi2d", "500"},   {"redblack", "500"}, {"jacobi3d", "100"}, {"multigrid", "256"},
      {"taskjacobi", "400"}, {"sor", "500"},      {"adi", "500"}};
  std::size_t predictions = 0;
  std::size_t full = 0;
  for (const auto& [name, size] : programs) {
    for (const Noise noise : {Noise::even, Noise::heavy, Noise::spikes}) {
      trace::Program program = repeated(name, size);
      disturb(program, noise, 7);
      const Compiled compiled = compile(program);
      for (const auto& [machine, cluster] : sampled_machines()) {
        for (const std::string& on : sampled_grids) {
          CAPTURE(name, static_cast<int>(noise), machine, on);
          const Prediction prediction = check_both_ways(compiled, cluster, on);
          CAPTURE(left_out(prediction));
          ++predictions;
          full += noise == Noise::even && in_full(prediction) ? 1U : 0U;
          CHECK((left_out(prediction) >= 80 || in_full(prediction)));
        }
      }
    }
  }
  CAPTURE(full);
  CHECK(predictions == 756);
  // A pipeline is cut into as many portions as suit its time, each way a jump; of tasks the last
  // one counts. A sample of those may not be good enough, others mostly are.
  CHECK(full <= 45);
}

TEST_CASE("a few iterations whose times differ are simulated in their order") {
  // The last one waits for nobody: in another order its imbalance would be synchronization.
  const Run run = written_iterations(12, [](Run& program, int k) {
    program(trace::RunLoop{0, false, {}}, k % 3 == 2 ? 7.0 : 1.0 + 0.1 * k);
    if (k < 11) {
      program(trace::StartReduction{0}, 0.25)(trace::WaitReduction{0});
    }
  });
  const Compiled compiled = compile(run.program());
  for (const auto& [machine, cluster] : sampled_machines()) {
    CAPTURE(machine);
    const Prediction some = check_both_ways(compiled, cluster, "7");
    const Prediction all = Predictor(compiled.script, cluster).predict(grid("7"));
    const Characteristics& a = all.intervals.front().sums;
    const Characteristics& b = some.intervals.front().sums;
    CHECK(a.idle > 0.0);
    CHECK(close(a.idle, b.idle, 1e-9));
    CHECK(close(a.synchronization, b.synchronization, 1e-9));
    CHECK(left_out(some) == 0);
    CHECK(in_full(some));
  }
}

TEST_CASE("iterations that only compute are multiplied, however their times differ") {
  // Nobody waits: processor p of 4 has a quarter of each loop and all of the rest.
  double loops = 0.0;
  double rest = 0.0;
  const Run run = written_iterations(50, [&](Run& program, int k) {
    const double time = 1.0 + 0.37 * (k * k % 11);
    program(trace::BeginInterval{trace::IntervalType::user, {}});
    program(trace::RunLoop{0, false, {}}, time)(trace::EndInterval{}, 0.5 * time);
    loops += time;
    rest += 0.5 * time;
  });
  ModelOptions options;
  options.extrapolate_iterations = true;
  const Prediction prediction = run.predict(free_of_charge(), "4", options);
  CHECK(close(prediction.intervals.front().sums.execution_time, loops / 4.0 + rest, 1e-12));
  CHECK(left_out(prediction) == 49);
}

TEST_CASE("loops in a loop whose iterations differ are sampled by themselves") {
  // Five steps of 60 equal iterations; the steps differ in their loops.
  std::mt19937_64 random(3);
  Run run;
  run.target({100}).array(0, {100}, 8);
  run(trace::CreateReduction{0, 8, 1, 0})(trace::CreateReductionGroup{0})(
      trace::InsertReduction{0, 0});
  for (Slot step = 0; step < 5; ++step) {
    run.loop(step, {90 - 10 * static_cast<std::int64_t>(step)});
    for (int k = 0; k < 60; ++k) {
      run(trace::RunLoop{step, false, {}}, 1.0 + 1e-3 * static_cast<double>(random() % 500));
      run(trace::StartReduction{0}, 0.25 + 1e-3 * static_cast<double>(random() % 250));
      run(trace::WaitReduction{0});
    }
  }
  const Compiled compiled = compile(run.program());
  for (const auto& [machine, cluster] : sampled_machines()) {
    CAPTURE(machine);
    CHECK(left_out(check_both_ways(compiled, cluster, "7")) >= 5 * 40);
  }
}

}  // namespace gridcast::model::test
