// Lost time by place and cause: it adds up to the lost time of the prediction for every trace and
// program, and where it goes is known for programs that can be worked out by hand (docs/model.md,
// "Where lost time goes").

#include <algorithm>
#include <cmath>
#include <map>

#include "described.h"
#include "fixture.h"
#include "gridcast/explain/losses.h"
#include "gridcast/retrace/merge.h"
#include "gridcast/trace/program.h"

namespace gridcast::model::test {
namespace {

struct Explained {
  Losses losses;
  double lost_time = 0.0;  // of the prediction

  [[nodiscard]] double sum() const {
    double total = 0.0;
    for (const Loss& loss : losses.losses) {
      total += loss.seconds;
    }
    return total;
  }
  [[nodiscard]] double of(Cause cause, std::int64_t line) const {
    double total = 0.0;
    for (const Loss& loss : losses.losses) {
      total += loss.cause == cause && loss.line == line ? loss.seconds : 0.0;
    }
    return total;
  }
  [[nodiscard]] double of(Cause cause) const {
    double total = 0.0;
    for (const Loss& loss : losses.losses) {
      total += loss.cause == cause ? loss.seconds : 0.0;
    }
    return total;
  }
};

/// Scripts of one program, to be explained on several machines and grids.
class Explainer {
public:
  explicit Explainer(const trace::Program& program)
      : whole_(compile(program).script), places_(compile(program, Detail::places).script) {}

  [[nodiscard]] Explained on(const machine::Cluster& cluster, const std::string& text,
                             const ModelOptions& options = {}) const {
    Predictor predictor(whole_, cluster, options);
    return {explain_losses(places_, cluster, grid(text), options, HUGE_VAL),
            predictor.evaluate(grid(text)).front().lost_time};
  }
  [[nodiscard]] Losses explained(const machine::Cluster& cluster, const std::string& text) const {
    return explain_losses(places_, cluster, grid(text), {});
  }
  [[nodiscard]] const Script& places() const noexcept { return places_; }
  [[nodiscard]] const Script& whole() const noexcept { return whole_; }

private:
  Script whole_, places_;
};

std::vector<std::filesystem::path> files_ending(const std::filesystem::path& folder,
                                                const std::string& end) {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(end) || name.ends_with(end + ".gz")) {
      found.push_back(entry.path());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

void check_sums(const trace::Program& program, const std::vector<std::string>& grids) {
  const Explainer explainer(program);
  for (const std::string& on : grids) {
    for (const machine::Cluster& cluster :
         {flat("ethernet", 75.0, 0.2), flat("transputer", 9.0, 0.0125), two_level(), three_level(),
          heterogeneous(), port_nodes()}) {
      CAPTURE(on, cluster.text());
      const Explained each = explainer.on(cluster, on);
      CHECK(each.sum() == Approx(each.lost_time).epsilon(1e-9).margin(1e-14));
      for (const Loss& loss : each.losses.losses) {
        CHECK(loss.seconds > -1e-15 * (1.0 + each.lost_time));
      }
    }
  }
}

/// Array 0 and loop 0 over a template of so many elements.
Run line_of(std::int64_t elements) {
  Run run;
  run.target({elements});
  run.array(0, {elements}, 8, {1}, {1});
  run.loop(0, {elements});
  return run;
}

void add_reduction(Run& run, std::uint32_t line) {
  run(trace::CreateReductionGroup{0});
  run(trace::CreateReduction{0, 8, 1, 0});
  run(trace::InsertReduction{0, 0});
  run(trace::StartReduction{0}, 0.0, 0.0, line);
  run(trace::WaitReduction{0}, 0.0, 0.0, line);
}

}  // namespace

TEST_CASE("losses of every trace add up to the lost time") {
  const auto traces = files_ending(data(""), ".ptr");
  CHECK(traces.size() >= 25);
  for (const std::filesystem::path& path : traces) {
    CAPTURE(path);
    check_sums(trace::read_program(path), {"1", "3", "2x3", "2x2x2"});
  }
}

TEST_CASE("losses of every shipped program add up to the lost time") {
  const auto programs =
      files_ending(std::filesystem::path(GRIDCAST_SOURCE_DIR) / "configs/programs", ".toml");
  CHECK(programs.size() >= 13);
  for (const std::filesystem::path& path : programs) {
    CAPTURE(path);
    check_sums(shipped_program(path.stem().string(), {{"n", "40"}}), {"5", "2x4"});
  }
}

TEST_CASE("the sweep of a heat equation is named first, with its line") {
  const machine::Cluster cluster = machine::Cluster::read(data("channels/cluster128x64.par"));
  const Explainer heat(shipped_program("heat3d"));
  const Explained each = heat.on(cluster, "8x8x8");
  CHECK(each.sum() == Approx(each.lost_time).epsilon(1e-9));
  REQUIRE_FALSE(each.losses.losses.empty());
  const Loss& first = each.losses.losses.front();
  CHECK(first.file == "heat3d.toml");
  CHECK(first.line == 37);  // where the table of the loop with `across` begins
  CHECK(first.activity == Activity::sweep);
  CHECK(first.cause == Cause::fill);
  double sweep = 0.0;
  for (const Loss& loss : each.losses.losses) {
    sweep += loss.line == 37 ? loss.seconds : 0.0;
  }
  CHECK(sweep > 0.5 * each.lost_time);
}

TEST_CASE("work that everybody repeats") {
  Run run = line_of(12);
  run(trace::Ordinary{}, 1.0, 0.25, 7);
  const Explained each = Explainer(run.program()).on(free_of_charge(), "4");
  CHECK(each.of(Cause::parallelism, 7) == Approx(3.75));
  CHECK(each.sum() == Approx(3.75));
  CHECK(each.losses.losses.front().activity == Activity::computation);
  CHECK(each.losses.losses.front().seconds == Approx(3.0));
}

TEST_CASE("waiting is put down to the loop that is uneven") {
  Run run = line_of(10);  // blocks of 4, 4 and 2 on three processors
  run(trace::RunLoop{0, false, {}}, 10.0, 0.0, 20);
  SECTION("before a reduction") { add_reduction(run, 30); }
  SECTION("at the end") {}
  const Explained each = Explainer(run.program()).on(free_of_charge(), "3");
  CHECK(each.of(Cause::imbalance, 20) == Approx(2.0));
  CHECK(each.sum() == Approx(2.0));
}

TEST_CASE("waiting is put down to several loops in proportion to what the last has more of") {
  Run run = line_of(10);
  run(trace::RunLoop{0, false, {}}, 10.0, 0.0, 20);
  run.loop(1, {10});
  run(trace::RunLoop{1, false, {}}, 5.0, 0.0, 21);
  add_reduction(run, 30);
  const Explained each = Explainer(run.program()).on(free_of_charge(), "3");
  CHECK(each.of(Cause::imbalance, 20) == Approx(2.0));
  CHECK(each.of(Cause::imbalance, 21) == Approx(1.0));
  CHECK(each.sum() == Approx(3.0));
}

TEST_CASE("waiting for input is put down to it") {
  Run run = line_of(12);
  run(trace::InputOutput{true, 4}, 0.0, 1.0, 5);
  const Explained each = Explainer(run.program()).on(free_of_charge(), "4");
  CHECK(each.of(Cause::io, 5) == Approx(3.0));
  CHECK(each.sum() == Approx(3.0));
}

TEST_CASE("an exchange has latency, bandwidth and contention") {
  Run run = line_of(12);
  run(trace::CreateShadowGroup{0});
  run(trace::InsertShadow{0, 0, {-1}, {-1}, 1});
  run(trace::StartShadow{0}, 0.0, 0.0, 8);
  run(trace::WaitShadow{0}, 0.0, 0.0, 9);
  const Explainer explainer(run.program());
  const double us = 1e-6;
  SECTION("starts only, each its own channel") {
    const Explained each = explainer.on(flat("myrinet (64)", 5.0, 0.0), "4");
    CHECK(each.of(Cause::latency, 9) == Approx(4 * 5 * us));
    CHECK(each.sum() == Approx(4 * 5 * us));
    CHECK(each.losses.losses.front().network == "c");
  }
  SECTION("bytes only") {
    const Explained each = explainer.on(flat("myrinet (64)", 0.0, 5.0), "4");
    CHECK(each.of(Cause::bandwidth, 9) == Approx(4 * 8 * 5 * us));
    CHECK(each.sum() == Approx(4 * 8 * 5 * us));
  }
  SECTION("a bus: six messages one after the other end at 2, 4, 6 and 6 starts") {
    const Explained each = explainer.on(flat("ethernet", 5.0, 0.0), "4");
    CHECK(each.of(Cause::latency, 9) == Approx(4 * 5 * us));
    CHECK(each.of(Cause::contention, 9) == Approx(14 * 5 * us));
    CHECK(each.of(Cause::waiting, 9) == Approx(6 * 5 * us));  // at the end, for the last two
    CHECK(each.sum() == Approx(24 * 5 * us));
  }
  SECTION("half of every start time halves what is nothing but starts") {
    const Losses losses = explainer.explained(flat("myrinet (64)", 5.0, 0.0), "4");
    REQUIRE(losses.alternatives.size() == 2);  // there is no other grid in one dimension
    CHECK(losses.alternatives[0].change == "half of every start time");
    CHECK(losses.alternatives[0].lost_time == Approx(2 * 5 * us));
    CHECK(losses.losses.front().instead.at(0) == Approx(2 * 5 * us));
    CHECK(losses.losses.front().instead.at(1) == Approx(4 * 5 * us));
  }
}

TEST_CASE("a pipeline that fills and empties") {
  // Four rows on two processors, four columns, a portion each: the second begins after one of the
  // first, which is done as much earlier.
  Run run;
  run(trace::CreateTemplate{0, {4, 4}})(trace::Distribute{0, trace::no_object, {1}});
  run.array(0, {4, 4}, 8, {1, 0}, {1, 0});
  run(trace::CreateShadowGroup{0})(trace::InsertShadow{0, 0, {-1, 0}, {-1, 0}, 1});
  run(trace::Across{trace::no_object, 0, 0}, 0.0, 0.0, 40);
  run.loop(0, {4, 4});
  run(trace::RunLoop{0, false, {}}, 8.0, 0.0, 40)(trace::EndLoop{0}, 0.0, 0.0, 41);
  const Explained each = Explainer(run.program()).on(free_of_charge(), "2");
  CHECK(each.lost_time == Approx(2.0));
  CHECK(each.of(Cause::fill, 40) == Approx(2.0));
  CHECK(each.losses.losses.front().activity == Activity::sweep);
}

TEST_CASE("another grid of as many processors is the fastest that there is") {
  const machine::Cluster cluster = two_level();
  const Explainer explainer(trace::read_program(data("c_jac2d_1000x10.ptr.gz")));
  const Losses losses = explainer.explained(cluster, "16x1");
  REQUIRE(losses.alternatives.size() == 3);
  Predictor predictor(explainer.whole(), cluster);
  double least = 0.0;
  std::string best;
  for (const std::string on : {"1x16", "2x8", "4x4", "8x2"}) {
    const double time = predictor.evaluate(grid(on)).front().execution_time;
    if (best.empty() || time < least) {
      least = time;
      best = on;
    }
  }
  CHECK(losses.alternatives[0].change == "grid " + best);
  CHECK(losses.alternatives[0].execution_time == Approx(least));
}

TEST_CASE("what is too long to be walked says so") {
  const Explainer explainer(trace::read_program(data("c_jac2d_1000x10.ptr.gz")));
  const Losses losses = explain_losses(explainer.places(), two_level(), grid("4x4"), {}, 100.0);
  CHECK(losses.losses.empty());
  CHECK_THAT(losses.omitted, Catch::Matchers::Contains("16 processors"));
  ModelOptions extrapolated;
  extrapolated.extrapolate_iterations = true;
  CHECK_FALSE(
      explain_losses(explainer.places(), two_level(), grid("4x4"), extrapolated).omitted.empty());
}

TEST_CASE("losses are those of the placement") {
  // 4x4 processors, four to a node, edges of 64 bytes along the first dimension and 32 along the
  // other, both ways: 24 wide ones leave their nodes by row, 8 of either kind from blocks of 2x2.
  const machine::Cluster cluster = machine::Cluster::parse(
      "cluster = c; c = {4 x n}; c.CommType = myrinet (1); c.TStart = 5; c.TByte = 0.1;"
      "n = {4 x p}; n.CommType = myrinet (1); n.TStart = 0; n.TByte = 0; p = 1;",
      "four_nodes.par");
  Run run;
  run.target({16, 32}).array(0, {16, 32}, 8, {1, 1}, {1, 1});
  run(trace::CreateShadowGroup{0})(trace::InsertShadow{0, 0, {1, 1}, {1, 1}, 1});
  run(trace::StartShadow{0})(trace::WaitShadow{0});
  const Explainer explainer(run.program());
  const auto lost = [&](const std::string& placement) {
    ModelOptions options;
    options.placement = machine::Placement::parse(placement);
    const Explained explained = explainer.on(cluster, "4x4", options);
    CHECK(explained.sum() == Approx(explained.lost_time).epsilon(1e-9));
    return explained.sum();
  };
  constexpr double wide = 5e-6 + 64 * 0.1e-6;
  constexpr double narrow = 5e-6 + 32 * 0.1e-6;
  CHECK(lost("row") == Approx(16 * 24 * wide).epsilon(1e-9));
  CHECK(lost("blocked") == Approx(16 * (8 * wide + 8 * narrow)).epsilon(1e-9));
}

}  // namespace gridcast::model::test
