// Rank placement: which messages leave a node, counted by hand, and the searched placement against
// one prediction of each (docs/model.md, "Rank placement").

#include "fixture.h"

namespace gridcast::model::test {
namespace {

/// Four nodes of four processors. Messages inside a node take no time, those between nodes follow
/// each other on one channel: 5 µs and 0.1 µs per byte each.
machine::Cluster four_nodes() {
  return machine::Cluster::parse(
      "cluster = c; c = {4 x n}; c.CommType = myrinet (1); c.TStart = 5; c.TByte = 0.1;"
      "n = {4 x p}; n.CommType = myrinet (1); n.TStart = 0; n.TByte = 0; p = 1;",
      "four_nodes.par");
}

/// One exchange of edges of 16 x 32 elements of 8 bytes. On 4x4 an edge towards the neighbour along
/// the first dimension has 8 elements, one along the second dimension 4.
Run one_exchange() {
  Run run;
  run.target({16, 32}).array(0, {16, 32}, 8, {1, 1}, {1, 1});
  run(trace::CreateShadowGroup{0})(trace::InsertShadow{0, 0, {1, 1}, {1, 1}, 1});
  run(trace::StartShadow{0})(trace::WaitShadow{0});
  return run;
}

double time_with(const std::string& placement, const std::string& on = "4x4",
                 EngineKind engine = EngineKind::fast) {
  ModelOptions options;
  options.placement = machine::Placement::parse(placement);
  options.engine = engine;
  return one_exchange().predict(four_nodes(), on, options).intervals.front().sums.execution_time;
}

}  // namespace

TEST_CASE("edges that leave a node, by row, by column and by blocks") {
  constexpr double wide = 5e-6 + 64 * 0.1e-6;
  constexpr double narrow = 5e-6 + 32 * 0.1e-6;
  for (const auto engine : {EngineKind::fast, EngineKind::reference}) {
    // A node is a row: 3 x 4 pairs of neighbours along the first dimension are apart, both ways.
    CHECK(time_with("row", "4x4", engine) == Approx(24 * wide).epsilon(1e-12));
    // A node is a column.
    CHECK(time_with("column", "4x4", engine) == Approx(24 * narrow).epsilon(1e-12));
    // 2x2 per node: of either kind 4 pairs.
    CHECK(time_with("blocked", "4x4", engine) == Approx(8 * wide + 8 * narrow).epsilon(1e-12));
    CHECK(time_with("blocked:2x2", "4x4", engine) == Approx(8 * wide + 8 * narrow).epsilon(1e-12));
    CHECK(time_with("blocked:4x1", "4x4", engine) == Approx(24 * narrow).epsilon(1e-12));
    CHECK(time_with("search", "4x4", engine) == Approx(8 * wide + 8 * narrow).epsilon(1e-12));
  }
}

TEST_CASE("a block that does not fit leaves the coordinates by row") {
  CHECK(time_with("blocked:3x1") == time_with("row"));
  CHECK(time_with("blocked", "3x5") == time_with("row", "3x5"));
}

TEST_CASE("a prediction says where coordinates are, if somebody asked") {
  const Run run = one_exchange();
  ModelOptions options;
  CHECK_FALSE(run.predict(four_nodes(), "4x4", options).placement);
  options.placement = machine::Placement::parse("search");
  CHECK(run.predict(four_nodes(), "4x4", options).placement->text(2) == "blocked:2x2");
  // A node holds everything: any order will do, the first is taken.
  CHECK(run.predict(four_nodes(), "2x2", options).placement->text(2) == "row");
  options.placement = machine::Placement::parse("column");
  CHECK(run.predict(four_nodes(), "2x8", options).placement->text(2) == "column");
}

TEST_CASE("one predictor for grids and placements in turn") {
  const Run run = one_exchange();
  const Compiled compiled = compile(run.program());
  const machine::Cluster cluster = four_nodes();
  ModelOptions options;
  options.placement = machine::Placement::parse("search");
  Predictor searching(compiled.script, cluster, options);
  for (const char* on : {"4x4", "2x2", "2x8", "8x2", "1x1", "3x4", "4x4", "16x1"}) {
    CAPTURE(on);
    double least = 0.0;
    std::string best;
    for (const auto& each : machine::placements(cluster.expand(16), grid(on))) {
      options.placement = each;
      const double time =
          Predictor(compiled.script, cluster, options).evaluate(grid(on)).front().execution_time;
      if (best.empty() || time < least * (1.0 - 1e-12)) {
        least = time;
        best = each.text(2);
      }
    }
    CHECK(searching.evaluate(grid(on)).front().execution_time == Approx(least).epsilon(1e-12));
    CHECK(searching.placement().text(2) == best);
  }
}

TEST_CASE("options with a placement make another version of the model") {
  ModelOptions options;
  const std::string by_row = model_version(options);
  options.placement = machine::Placement::parse("search");
  CHECK(model_version(options) != by_row);
  CHECK(ModelOptions().text().find("placement") == std::string::npos);
  CHECK(options.text().find(" placement=search") != std::string::npos);
}

}  // namespace gridcast::model::test
