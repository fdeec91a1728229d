// Predictions that are given up, between operations and within them: who asks is told soon, and the
// next prediction is as good as any other.

#include <sstream>

#include "fixture.h"
#include "gridcast/compile/compile.h"
#include "gridcast/retrace/generate.h"
#include "same_figures.h"

namespace gridcast::model::test {
namespace {

machine::Cluster interrupted_on(const std::string& machine) {
  return machine::Cluster::parse("cluster = c; p = 1; c.TStart = 7; c.TByte = 0.004; " + machine,
                                 "c.par");
}

/// Gives up when asked for the k-th time; 0: never.
struct Patience {
  int asked = 0;
  int most = 0;
  std::function<bool()> give_up = [this] { return ++asked == most; };
};

/// Asked nothing between the operations, on so few processors, but within them.
void give_up_within(const Compiled& program, const machine::Cluster& cluster, const std::string& on,
                    EngineKind engine) {
  CAPTURE(cluster.text(), on);
  ModelOptions options;
  options.engine = engine;
  options.pipeline = PipelineMode::full;
  Predictor predictor(program.script, cluster, options);
  Patience patience;
  predictor.ask(&patience.give_up);
  const std::span<const Characteristics> results = predictor.evaluate(grid(on));
  const std::vector<Characteristics> expected(results.begin(), results.end());
  REQUIRE(patience.asked > 2);
  for (const int most : {1, patience.asked / 3 + 1, patience.asked}) {
    patience.asked = 0;
    patience.most = most;
    CHECK_THROWS_AS(predictor.evaluate(grid(on)), Interrupted);
    CHECK(patience.asked == most);
    patience.most = 0;
    require_same(predictor.evaluate(grid(on)), expected, grid(on));
  }
}

Compiled made(const std::string& text) {
  std::ostringstream trace;
  trace::generate_trace(text, "made.toml", trace);
  return compile(trace::parse_program(trace.str(), "made.ptr"));
}

}  // namespace

TEST_CASE("a prediction on many processors can be given up, one on few is not asked") {
  const Compiled compiled = compile(trace::read_program(data("c_jac2d_1000x10.ptr.gz")));
  const machine::Cluster cluster = interrupted_on("c = {4096 x p}; c.CommType = myrinet (8);");
  for (const EngineKind engine : {EngineKind::fast, EngineKind::reference}) {
    ModelOptions options;
    options.engine = engine;
    Predictor predictor(compiled.script, cluster, options);
    int asked = 0;
    int most = 5;
    const std::function<bool()> give_up = [&] { return ++asked == most; };
    predictor.ask(&give_up);
    predictor.evaluate(grid("16x16"));
    CHECK(asked == 0);
    CHECK_THROWS_AS(predictor.evaluate(grid("64x64")), Interrupted);
    CHECK(asked == 5);
    most = 0;
    const double time = predictor.evaluate(grid("64x64")).front().execution_time;
    Predictor other(compiled.script, cluster, options);
    CHECK(time == other.evaluate(grid("64x64")).front().execution_time);
  }
}

TEST_CASE("long operations are given up where they are") {
  SECTION("a redistribution in which all send to all") {
    const Compiled program = made(
        "[parameters]\nn = 512\n[[array]]\nname = \"A\"\nextents = [\"n\", \"n\"]\n"
        "distribute = [\"block\", \"*\"]\n"
        "[[do]]\nredistribute = \"A\"\ndistribute = [\"*\", \"block\"]\n");
    for (const std::string machine :
         {"c = {512 x p}; c.CommType = myrinet (3);", "c = {512 x p}; c.CommType = transputer;",
          "c = {512 x p}; c.CommType = ports; c.TRecv = 1;",
          "c = {128 x n}; n = {4 x p}; c.CommType = ethernet; n.CommType = ports;"
          "n.TStart = 1; n.TByte = 0.001;"}) {
      if (machine.find("TRecv") == std::string::npos) {  // by classes it is worked out at once
        give_up_within(program, interrupted_on(machine), "512", EngineKind::fast);
      }
      give_up_within(program, interrupted_on(machine), "512", EngineKind::reference);
    }
  }
  SECTION("a pipeline of many portions") {
    const Compiled program = made(
        "[parameters]\nn = 300\n[[array]]\nname = \"A\"\nextents = [\"n\", \"n\", \"n\"]\n"
        "shadow = 1\ndistribute = [\"block\", \"block\", \"*\"]\n"
        "[[do]]\nloop = [\"i = 1 : n-2\", \"j = 1 : n-2\", \"k = 1 : n-2\"]\n"
        "on = \"A[i, j, k]\"\ntime = 1e-6\nacross = [{ array = \"A\", new = [1, 1, 0] }]\n");
    const machine::Cluster cluster = interrupted_on(
        "c = {1024 x n}; n = {4 x p}; c.CommType = myrinet (64); n.CommType = ethernet;"
        "n.TStart = 1; n.TByte = 0.001;");
    give_up_within(program, cluster, "40x60", EngineKind::fast);
    give_up_within(program, cluster, "40x60", EngineKind::reference);
  }
}

}  // namespace gridcast::model::test
