// The extrapolated pipeline against the full simulation, on pipelined_programs of pipelined
// programs (docs/model.md §6; [Forecasting §2.2]).

#include <cmath>
#include <numeric>

#include "elements.h"
#include "gridcast/compile/compile.h"

namespace gridcast::model::test {
namespace {

const std::vector<std::string> pipelined_programs{
    "c_sor_1000x10.ptr.gz", "c_adi_20x10.ptr.gz", "f_adi_20x10.ptr.gz", "f_across_100.ptr.gz",
    "f_sor_10.ptr.gz",      "h_jacross.ptr.gz",   "h_sor.ptr.gz"};
const std::vector<std::string> pipeline_grids{"2", "4", "8", "4x4", "8x8"};

std::vector<std::pair<std::string, machine::Cluster>> named_machines() {
  return {{"bus", flat("ethernet", 75.0, 0.2)},
          {"myrinet", flat("myrinet (1)", 7.0, 0.004)},
          {"transputer", flat("transputer", 9.0, 0.0125)},
          {"two levels", two_level()}};
}

/// A pipelined loop of extents pipelined... x quantised whose edges are one element wide.
Run written_loop(const Index& pipelined, std::int64_t quantised, double seconds) {
  Run run;
  Index extents = pipelined;
  extents.push_back(quantised);
  std::vector<std::int64_t> axes;
  for (std::size_t i = 1; i <= pipelined.size(); ++i) {
    axes.push_back(static_cast<std::int64_t>(i));
  }
  Index low(pipelined.size(), 1);
  low.push_back(0);
  run(trace::CreateTemplate{0, extents})(trace::Distribute{0, trace::no_object, axes});
  run.array(0, extents, 8, low, low);
  run(trace::CreateShadowGroup{0})(trace::InsertShadow{0, 0, low, Index(low.size(), 0), 1});
  run(trace::Across{trace::no_object, 0, 0}).loop(0, extents);
  run(trace::RunLoop{0, false, {}}, seconds)(trace::EndLoop{0});
  return run;
}

}  // namespace

TEST_CASE("steady state and full simulation agree within 1 %") {
  std::size_t pipelined = 0;
  for (const std::string& trace : pipelined_programs) {
    const trace::Program program = trace::read_program(data(trace));
    const Compiled compiled = compile(program);
    const double serial = std::accumulate(
        program.records.begin(), program.records.end(), 0.0,
        [](double sum, const trace::Record& r) { return sum + r.call_time + r.ret_time; });
    for (const auto& [name, cluster] : named_machines()) {
      ModelOptions options;
      Predictor steady(compiled.script, cluster, options);
      options.pipeline = PipelineMode::full;
      Predictor full(compiled.script, cluster, options);
      for (const std::string& on : pipeline_grids) {
        const Characteristics a = steady.evaluate(grid(on)).front();
        const Characteristics b = full.evaluate(grid(on)).front();
        CAPTURE(trace, name, on);
        const double difference = std::abs(a.execution_time - b.execution_time) / b.execution_time;
        CHECK(difference <= 0.01);
        const auto processors = static_cast<double>(grid(on).processors());
        CHECK(a.execution_time >= serial / processors);
        CHECK(b.execution_time >= serial / processors);
        pipelined += b.operations[2].communication > 0.0 ? 1U : 0U;
      }
    }
  }
  CHECK(pipelined == pipelined_programs.size() * 4 * pipeline_grids.size());
}

TEST_CASE("steady state and full simulation of loops that fill or starve their networks") {
  // From loops that only compute to loops whose first processor runs ahead and floods the channel.
  Random random(31);
  std::size_t many_portions = 0;
  for (int round = 0; round < 400; ++round) {
    const bool plane = round % 3 == 0;
    const std::int64_t pipelined = std::int64_t{64} << (random() % 5);
    const std::int64_t quantised = std::int64_t{64} << (random() % 5);
    const auto power = [&](double low, double high) {
      return std::pow(10.0, low + (high - low) * static_cast<double>(random() % 1000) / 1000.0);
    };
    const double seconds = power(-4.0, 0.0);
    const Run run =
        written_loop(plane ? Index{pipelined, pipelined} : Index{pipelined}, quantised, seconds);
    const char* types[] = {"ethernet", "myrinet (1)", "myrinet (2)", "myrinet (4)", "ports"};
    const machine::Cluster cluster =
        round % 7 == 0   ? two_level()
        : round % 7 == 1 ? three_level()
        : round % 7 == 3 ? port_nodes()
        : round % 7 == 4 ? flat("transputer", power(-1, 2), power(-4, 0))
        : round % 7 == 2 ? heterogeneous()
                         : flat(types[random() % 5], power(-1, 2), power(-4, 0));
    const char* lines[] = {"2", "3", "4", "8", "16", "32"};
    const char* planes[] = {"2x2", "4x4", "3x5", "8x8", "1x6", "8x2"};
    const std::string on = plane ? planes[random() % 6] : lines[random() % 6];
    const Compiled compiled = compile(run.program());
    ModelOptions options;
    Predictor steady(compiled.script, cluster, options);
    options.pipeline = PipelineMode::full;
    Predictor full(compiled.script, cluster, options);
    const double a = steady.evaluate(grid(on)).front().execution_time;
    const double b = full.evaluate(grid(on)).front().execution_time;
    CAPTURE(round, on, pipelined, quantised, seconds);
    CHECK(std::abs(a - b) <= 0.01 * b);
    many_portions += std::abs(a - b) > 1e-12 * b ? 1U : 0U;
  }
  CHECK(many_portions > 10);  // some of them were extrapolated
}

TEST_CASE("steady state and full simulation where network and processors are nearly equally busy") {
  // Queues grow or shrink slowly there: what the first portions show is not yet the steady state.
  Random random(77);
  std::size_t extrapolated = 0;
  for (int round = 0; round < 40; ++round) {
    const auto power = [&](double low, double high) {
      return std::pow(10.0, low + (high - low) * static_cast<double>(random() % 1000) / 1000.0);
    };
    const std::int64_t processors = std::int64_t{1} << (1 + random() % 6);
    const std::int64_t pipelined = 64 * (1 + static_cast<std::int64_t>(random() % 40));
    const std::int64_t quantised = 500 + static_cast<std::int64_t>(random() % 2000);
    const double point = 5e-9;  // seconds
    // All edges of a portion take 0.5 to 4 times as long as computing it, half of that start times.
    const double edges = power(-0.3, 0.6) * point * static_cast<double>(pipelined) /
                         static_cast<double>(processors * (processors - 1)) * 1e6;
    const char* types[] = {"ethernet", "ethernet", "myrinet (2)", "ports", "transputer"};
    const machine::Cluster cluster = flat(types[random() % 5], edges / 2.0, edges / 16.0);
    const Run run =
        written_loop({pipelined}, quantised, point * static_cast<double>(pipelined * quantised));
    const Compiled compiled = compile(run.program());
    ModelOptions options;
    const machine::Grid on(std::vector{processors});
    const double a = Predictor(compiled.script, cluster, options).evaluate(on)[0].execution_time;
    options.pipeline = PipelineMode::full;
    const double b = Predictor(compiled.script, cluster, options).evaluate(on)[0].execution_time;
    CAPTURE(round, processors, pipelined, quantised, edges);
    CHECK(std::abs(a - b) <= 0.01 * b);
    extrapolated += a != b ? 1U : 0U;
  }
  CHECK(extrapolated > 5);
}

TEST_CASE("sweeps over 4000 x 4000 points on a bus that is nearly as busy as 64 processors") {
  // 3998 quantised points: portions of 3 take 1.13 µs to compute, their 63 edges 1.49 µs.
  const machine::Cluster cluster = flat("ethernet", 0.02, 0.00015);
  const Compiled compiled = compile(written_loop({3998}, 3998, 6e-9 * 3998 * 3998).program());
  ModelOptions options;
  const double a =
      Predictor(compiled.script, cluster, options).evaluate(grid("64"))[0].execution_time;
  options.pipeline = PipelineMode::full;
  const double b =
      Predictor(compiled.script, cluster, options).evaluate(grid("64"))[0].execution_time;
  CHECK(std::abs(a - b) <= 0.01 * b);
}

}  // namespace gridcast::model::test
