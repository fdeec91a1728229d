// Time lines: without gaps from 0 to the execution time, and what each processor does adds up to
// its characteristics (docs/model.md, "Time lines").

#include <array>

#include "fixture.h"
#include "gridcast/explain/timeline.h"
#include "gridcast/retrace/merge.h"
#include "gridcast/trace/program.h"

namespace gridcast::model::test {
namespace {

using Shares = std::array<double, doing_count>;

/// Seconds per processor and thing done; checks that phases follow each other.
std::vector<Shares> checked_shares(const Timeline& timeline) {
  std::vector<Shares> sums(timeline.processors);
  std::vector<double> clocks(timeline.processors, 0.0);
  bool without_gaps = true;
  bool forward = true;
  for (const Phase& phase : timeline.phases) {
    without_gaps = without_gaps && phase.begin == clocks.at(phase.processor);
    forward = forward && phase.end >= phase.begin && phase.place < timeline.places.size();
    clocks[phase.processor] = phase.end;
    sums[phase.processor][static_cast<std::size_t>(phase.doing)] += phase.end - phase.begin;
  }
  CHECK(without_gaps);
  CHECK(forward);
  for (const double clock : clocks) {
    CHECK(clock == timeline.execution_time);
  }
  return sums;
}

void check_timeline(const trace::Program& program, const machine::Cluster& cluster,
                    const std::string& on) {
  CAPTURE(on, cluster.text());
  const Script whole = compile(program).script;
  const Script places = compile(program, Detail::places).script;
  const Prediction prediction = Predictor(whole, cluster).predict(grid(on), true);
  const IntervalResult& main = prediction.intervals.front();
  const Timeline timeline = record_timeline(places, cluster, grid(on), {});
  REQUIRE(timeline.omitted.empty());
  CHECK(close(timeline.execution_time, main.sums.execution_time, 1e-9));
  const std::vector<Shares> shares = checked_shares(timeline);
  REQUIRE(shares.size() == main.per_processor.size());
  const auto same = [&](double a, double b) { return close(a, b, 1e-9, timeline.execution_time); };
  for (std::size_t p = 0; p < shares.size(); ++p) {
    const ProcessorTimes& times = main.per_processor[p];
    const auto of = [&](Doing doing) { return shares[p][static_cast<std::size_t>(doing)]; };
    CAPTURE(p);
    CHECK(same(of(Doing::computing), times.cpu_time));
    CHECK(same(of(Doing::library), times.sys_time));
    CHECK(same(of(Doing::io), times.io_time));
    CHECK(same(of(Doing::communicating) + of(Doing::pipeline) + of(Doing::waiting),
               times.communication()));
    CHECK(same(of(Doing::idle), times.idle));
  }
}

}  // namespace

TEST_CASE("time lines add up to the characteristics of each processor") {
  for (const std::string name :
       {"c_jac2d_8_e1.ptr", "c_acopy_100.ptr", "c_redist_100_e4.ptr", "f_across_100.ptr.gz",
        "f_feat_100.ptr.gz", "c_tsk_8.ptr.gz", "h_sor.ptr.gz", "c_lib_100.ptr.gz"}) {
    CAPTURE(name);
    const trace::Program program = trace::read_program(data(name));
    for (const machine::Cluster& cluster : {two_level(), heterogeneous(), port_nodes()}) {
      check_timeline(program, cluster, "1");
      check_timeline(program, cluster, "2x3");
    }
  }
}

TEST_CASE("phases of a run by hand") {
  Run run;
  run.target({10});
  run.array(0, {10}, 8);
  run.loop(0, {10});
  run(trace::Ordinary{}, 1.0, 0.0, 5);
  run(trace::RunLoop{0, false, {}}, 10.0, 0.0, 20);
  const Timeline timeline = record_timeline(compile(run.program(), Detail::places).script,
                                            free_of_charge(), grid("3"), {});
  CHECK(timeline.execution_time == Approx(5.0));
  REQUIRE(timeline.phases.size() == 7);  // 1 s, then blocks of 4, 4 and 2, then 2 s idle
  const Phase& idle = timeline.phases.back();
  CHECK(idle.processor == 2);
  CHECK(idle.doing == Doing::idle);
  CHECK(idle.begin == Approx(3.0));
  CHECK(idle.end == Approx(5.0));
  const Phase& loop = timeline.phases[5];
  CHECK(loop.doing == Doing::computing);
  CHECK(loop.activity == Activity::loop);
  CHECK(timeline.places[loop.place] == "a.c:20");
}

TEST_CASE("a run of too many phases says so") {
  const Script places =
      compile(trace::read_program(data("c_jac2d_8_e1.ptr")), Detail::places).script;
  const Timeline timeline = record_timeline(places, two_level(), grid("2x2"), {}, 50);
  CHECK(timeline.phases.empty());
  CHECK_THAT(timeline.omitted, Catch::Matchers::Contains("more than 50 phases"));
}

}  // namespace gridcast::model::test
