// Programs with hundreds of communications, each of which ends at another time on each of thousands
// of processors: their lists do not add up, and figures that need them all are right.

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "described.h"
#include "fixture.h"
#include "gridcast/compile/compile.h"
#include "same_figures.h"

namespace gridcast::model::test {
namespace {

machine::Cluster pairs() {
  return machine::Cluster::parse(
      "cluster = c; c = {50000 x n}; c.CommType = myrinet (3); c.TStart = 7; c.TByte = 0.004;"
      "n = {2 x p}; n.CommType = ethernet; n.TStart = 1; n.TByte = 0.001; p = 1;",
      "pairs.par");
}

/// Elimination with an interval for each step: clocks of one step are subtracted from those of
/// another.
const char* const steps = R"toml(
[parameters]
n = 90
[[array]]
name = "A"
extents = ["n", "n + 1"]
element = 8
distribute = ["block", "*"]
[[do]]
repeat = "k = 0 : n-2"
  [[do.do]]
  interval = "parallel"
    [[do.do.do]]
    loop = ["i = k+1 : n-1"]
    on = "A[i, *]"
    time = "1e-7 * (n - k)"
    remote = ["A[k, *]"]
)toml";

/// Most memory that this process ever had, kB.
long most_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

}  // namespace

TEST_CASE("hundreds of lists of ends do not stay in memory") {
  const Compiled compiled = compile(shipped_program("gauss"));
  const machine::Cluster cluster = pairs();
  const pid_t child = fork();  // whose memory no other test has used
  REQUIRE(child >= 0);
  if (child == 0) {
    const long before = most_memory();
    Predictor predictor(compiled.script, cluster, {});
    predictor.evaluate(grid("200x200"));
    // A list of each of the 398 communications and its networks take 40 bytes per processor.
    _exit(!predictor.fallback().empty() ? 2 : most_memory() - before > 450'000 ? 1 : 0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

TEST_CASE("figures of many steps, more of them than lists that are kept") {
  const Compiled compiled = compile(described(steps));
  const machine::Cluster cluster = pairs();
  const machine::Grid on = grid("95x220");
  Predictor fast(compiled.script, cluster, {});
  ModelOptions options;
  options.engine = EngineKind::reference;
  Predictor reference(compiled.script, cluster, options);
  const std::span<const Characteristics> results = fast.evaluate(on);
  REQUIRE(fast.fallback().empty());
  require_same(results, reference.evaluate(on), on);
}

}  // namespace gridcast::model::test
