// Iterations that a prediction by classes leaves out count as if it had walked through them.

#include <string>

#include "described.h"
#include "fixture.h"
#include "same_figures.h"

namespace gridcast::model::test {
namespace {

const std::vector<std::string> cycle_machines{
    "c = {4096 x p}; c.CommType = ports; c.TSend = 1.2; c.TRecv = 1.1; c.TGap = 0.5;",
    "c = {64 x n}; n = {8 x p}; c.CommType = ports; n.CommType = ports; n.TStart = 1; "
    "n.TByte = 0.001; c.TSend = 0.25; n.TRecv = 0.5;",
    "c = {64 x n}; n = {6 x p}; c.CommType = myrinet (3); n.CommType = myrinet (2); "
    "n.TStart = 1; n.TByte = 0.001;",
    "c = {4096 x p}; c.CommType = ethernet;", "c = {4096 x p}; c.CommType = transputer;"};

/// Both engines on a program; more iterations than are left out at a time.
void compare_cycles(const Compiled& compiled, const std::string& on) {
  for (const std::string& machine : cycle_machines) {
    require_engines_agree(
        compiled.script,
        machine::Cluster::parse("cluster = c; p = 1; c.TStart = 7; c.TByte = 0.004; " + machine,
                                "cycles.par"),
        grid(on));
  }
}

}  // namespace

TEST_CASE("iterations that repeat are left out, a thousand at a time") {
  for (const std::string name : {"jacobi2d", "cg"}) {
    const Compiled compiled = compile(shipped_program(name, {{"n", "40"}, {"iterations", "2300"}}));
    compare_cycles(compiled, "3x5");
  }
  compare_cycles(compile(shipped_program("redblack", {{"n", "60"}, {"iterations", "40"}})), "7x4");
  compare_cycles(compile(shipped_program("jacobi3d", {{"n", "30"}, {"iterations", "40"}})),
                 "4x3x5");
}

TEST_CASE("iterations that follow shorter ones of the same loop count as they are") {
  const std::string sweep =
      "[[do.do]]\nloop = [\"i = 1 : 38\", \"j = 1 : 38\"]\non = \"A[i, j]\"\n"
      "reduce = [{ operation = \"max\" }]\n";
  const auto loop = [&](const std::string& time) {
    return "[[do]]\nrepeat = 9\n[[do.do]]\nexchange = [\"A\"]\n" + sweep + "time = " + time + "\n";
  };
  const Compiled compiled =
      compile(described("[[array]]\nname = \"A\"\nextents = [40, 40]\nshadow = 1\n"
                        "distribute = [\"block\", \"block\"]\n" +
                        loop("1e-8") + loop("3e-6") + loop("1e-8")));
  compare_cycles(compiled, "4x6");
}

}  // namespace gridcast::model::test
