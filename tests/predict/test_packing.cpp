// What is moved or copied is packed by its sender and unpacked by its receiver, contiguous or not:
// closed forms (docs/model.md §2.16).

#include "elements.h"
#include "gridcast/compile/compile.h"

namespace gridcast::model::test {
namespace {

constexpr std::int64_t side = 64;
constexpr double copy = 0.002e-6;
constexpr double start = 10e-6;
constexpr double byte = 0.01e-6;
constexpr double bytes = 8.0 * side * side / 4.0;  // what each of two processors sends the other

machine::Cluster connected_by(const std::string& network) {
  return machine::Cluster::parse("cluster = c; c = {2 x p}; c.CommType = " + network +
                                     "; c.TStart = 10; c.TByte = 0.01; c.TCopy = 0.002; p = 1;",
                                 "c.par");
}

/// Rows become columns.
Run turned() {
  Run run;
  run(trace::CreateTemplate{0, {side, side}, {}})(trace::Distribute{0, trace::no_object, {1}});
  run.array(0, {side, side}, 8);
  run(trace::Redistribute{0, trace::no_object, trace::no_object, {2}, false});
  return run;
}

double time_on(const std::string& network, EngineKind engine) {
  const Run run = turned();
  const Compiled compiled = compile(run.program());
  ModelOptions options;
  options.engine = engine;
  const machine::Cluster cluster = connected_by(network);
  Predictor predictor(compiled.script, cluster, options);
  return predictor.evaluate(grid("2")).front().execution_time;
}

}  // namespace

TEST_CASE("a redistribution packs and unpacks what it sends") {
  const double message = start + bytes * byte;
  for (const EngineKind engine : {EngineKind::fast, EngineKind::reference}) {
    // Both at the same time.
    CHECK(time_on("ports; c.TSend = 1; c.TRecv = 2", engine) ==
          Approx(2.0 * copy * bytes + message + 3e-6).epsilon(1e-12));
    CHECK(time_on("transputer", engine) == Approx(2.0 * copy * bytes + message).epsilon(1e-12));
    // One after the other, both packed before the first.
    CHECK(time_on("ethernet", engine) == Approx(2.0 * (copy * bytes + message)).epsilon(1e-12));
  }
}

}  // namespace gridcast::model::test
