// What must hold for every program on every grid of every machine (docs/model.md §2.8, §2.10).

#include <algorithm>
#include <fstream>
#include <numeric>

#include "fixture.h"
#include "gridcast/compile/compile.h"

namespace gridcast::model::test {
namespace {

struct Machine {
  std::string name;
  machine::Cluster cluster;
};

const std::vector<Machine>& machines() {
  static const std::vector<Machine> all{{"bus", flat("ethernet", 75.0, 0.2)},
                                        {"transputer", flat("transputer", 9.0, 0.0125)},
                                        {"myrinet(1)", flat("myrinet (1)", 7.0, 0.004)},
                                        {"myrinet(4)", flat("myrinet (4)", 7.0, 0.004)},
                                        {"ports", flat("ports", 7.0, 0.004)},
                                        {"nodes with ports", port_nodes()},
                                        {"two levels", two_level()},
                                        {"three levels", three_level()},
                                        {"heterogeneous", heterogeneous()}};
  return all;
}

const std::vector<std::string> grids{"1",   "2",   "7",   "16",    "1x4",
                                     "4x1", "3x5", "4x4", "2x3x2", "16x16"};

std::vector<std::filesystem::path> traces() {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(data(""))) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".ptr") || name.ends_with(".ptr.gz")) {
      found.push_back(entry.path());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// The largest difference between the sums and the sum of the processors' own figures.
double worst_sum(const IntervalResult& interval) {
  const Characteristics& sums = interval.sums;
  const auto difference = [&](double expected, auto&& figure) {
    double sum = 0.0;
    for (const ProcessorTimes& times : interval.per_processor) {
      sum += figure(times);
    }
    return std::abs(sum - expected);
  };
  using P = ProcessorTimes;
  double worst = 0.0;
  const auto check = [&](double expected, auto&& figure) {
    worst = std::max(worst, difference(expected, figure));
  };
  check(sums.productive_cpu_time + sums.insufficient_parallelism_usr,
        [](const P& p) { return p.cpu_time; });
  check(sums.productive_sys_time + sums.insufficient_parallelism_sys,
        [](const P& p) { return p.sys_time; });
  check(sums.insufficient_parallelism_usr,
        [](const P& p) { return p.insufficient_parallelism_usr; });
  check(sums.insufficient_parallelism_sys,
        [](const P& p) { return p.insufficient_parallelism_sys; });
  check(sums.io_time, [](const P& p) { return p.io_time; });
  check(sums.idle, [](const P& p) { return p.idle; });
  check(sums.load_imbalance, [](const P& p) { return p.load_imbalance; });
  check(sums.synchronization, [](const P& p) { return p.synchronization; });
  check(sums.time_variation, [](const P& p) { return p.time_variation; });
  check(sums.communication, [](const P& p) { return p.communication(); });
  check(sums.communication_synch, [](const P& p) { return p.communication_synch(); });
  check(sums.overlap, [](const P& p) { return p.overlap(); });
  check(sums.lost_time, [](const P& p) { return p.lost_time(); });
  for (std::size_t k = 0; k < operation_count; ++k) {
    check(sums.operations[k].communication,
          [k](const P& p) { return p.operations[k].communication; });
    check(sums.operations[k].synch, [k](const P& p) { return p.operations[k].synch; });
    check(sums.operations[k].overlap, [k](const P& p) { return p.operations[k].overlap; });
  }
  double variation = 0.0;
  for (const double kind : interval.time_variations) {
    variation += kind;
  }
  check(variation, [](const P& p) { return p.time_variation; });
  return worst;
}

/// Every second of a processor is one of: computing, system, I/O, communication.
double worst_processor(const IntervalResult& interval) {
  double worst = 0.0;
  for (const ProcessorTimes& p : interval.per_processor) {
    worst = std::max(worst, std::abs(p.execution_time - p.cpu_time - p.sys_time - p.io_time -
                                     p.communication()));
  }
  return worst;
}

void check_prediction(const Prediction& prediction, double serial, double power) {
  double nested = 0.0;
  for (const IntervalResult& interval : prediction.intervals) {
    const Characteristics& c = interval.sums;
    CAPTURE(interval.info.file, interval.info.line);
    const double total = c.execution_time * static_cast<double>(interval.per_processor.size());
    REQUIRE(close(c.total_time, total, 1e-12));
    REQUIRE(close(c.total_time, c.productive_time + c.lost_time, 1e-9));
    REQUIRE(worst_sum(interval) <= 1e-9 * total);
    REQUIRE(worst_processor(interval) <= 1e-9 * c.execution_time);
    REQUIRE(c.efficiency <= 1.0 + 1e-9);
    REQUIRE(c.idle >= 0.0);
    if (interval.info.level == 1) {
      nested += c.productive_time;
    }
  }
  const IntervalResult& whole = prediction.intervals.front();
  REQUIRE(nested <= whole.sums.productive_time * (1.0 + 1e-9));
  REQUIRE(whole.sums.execution_time >= serial / power * (1.0 - 1e-9));
  for (const ProcessorTimes& p : whole.per_processor) {
    REQUIRE(whole.sums.execution_time >= (p.cpu_time + p.sys_time + p.io_time) * (1.0 - 1e-9));
  }
}

}  // namespace

TEST_CASE("total = productive + lost, and detail adds up") {
  REQUIRE(traces().size() >= 20);
  for (const std::filesystem::path& path : traces()) {
    const trace::Program program = trace::read_program(path);
    const Compiled compiled = compile(program);
    const double serial = std::accumulate(
        program.records.begin(), program.records.end(), 0.0,
        [](double sum, const trace::Record& r) { return sum + r.call_time + r.ret_time; });
    for (const Machine& machine : machines()) {
      Predictor predictor(compiled.script, machine.cluster);
      for (const std::string& on : grids) {
        CAPTURE(path.filename().string(), machine.name, on);
        const machine::ProcessorSystem system = machine.cluster.expand(grid(on).processors());
        const double power =
            std::accumulate(system.performance.begin(), system.performance.end(), 0.0);
        const Prediction prediction = predictor.predict(grid(on), true);
        check_prediction(prediction, serial, power);
        const std::span<const Characteristics> sums = predictor.evaluate(grid(on));
        REQUIRE(sums.size() == prediction.intervals.size());
        REQUIRE(close(sums[0].execution_time, prediction.intervals[0].sums.execution_time, 1e-12));
        REQUIRE(close(sums[0].communication, prediction.intervals[0].sums.communication, 1e-9,
                      sums[0].execution_time));
        if (on == "1") {
          REQUIRE(close(sums[0].execution_time, serial / system.performance[0], 1e-9));
          REQUIRE(close(sums[0].efficiency, 1.0, 1e-9));
          REQUIRE(sums[0].communication <= 1e-12 * serial);
        }
      }
    }
  }
}

TEST_CASE("a predictor that is used again forgets the grid before") {
  const Compiled compiled = compile(trace::read_program(data("c_tsk_ra_8.ptr.gz")));
  for (const Machine& machine : machines()) {
    Predictor again(compiled.script, machine.cluster);
    for (const char* on : {"16", "2", "4x4", "7", "16", "2"}) {
      CAPTURE(machine.name, on);
      Predictor fresh(compiled.script, machine.cluster);
      const Characteristics first = fresh.evaluate(grid(on)).front();
      const Characteristics second = again.evaluate(grid(on)).front();
      CHECK(first.execution_time == second.execution_time);
      CHECK(first.lost_time == second.lost_time);
    }
  }
}

}  // namespace gridcast::model::test
