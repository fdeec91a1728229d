// Inputs that are far larger or longer than usual.

#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "run.h"

using namespace gridcast::cli::test;
using nlohmann::json;

namespace {

/// A trace of a loop in blocks that takes so many seconds.
std::string loop_trace(const std::string& seconds) {
  const auto quick = [](const std::string& name, const std::string& parameters,
                        const std::string& results) {
    return "call_" + name + " TIME=0 LINE=2 FILE=a.c\n" + parameters + "\nret_" + name +
           " TIME=0 LINE=2 FILE=a.c\n" + results + "\n";
  };
  const std::string rule = "AxisArray[0]=1; CoeffArray[0]=1; ConstArray[0]=0;";
  return trace_text(quick("crtamv_", "SizeArray[0]=100;", "AMViewRef=10;") +
                    quick("distr_", "AMViewRef=10; AxisArray[0]=1;", "") +
                    quick("crtpl_", "Rank=1;", "LoopRef=30;") +
                    quick("mappl_",
                          "LoopRef=30; PatternRef=10; " + rule +
                              " InInitIndexArray[0]=0; InLastIndexArray[0]=99; InStepArray[0]=1;",
                          "") +
                    quick("dopl_", "LoopRef=30;", "DoPL=1;") + "call_dopl_ TIME=" + seconds +
                    " LINE=3 FILE=a.c\nLoopRef=30;\nret_dopl_ TIME=0 LINE=3 FILE=a.c\nDoPL=0;\n" +
                    quick("endpl_", "LoopRef=30;", ""));
}

}  // namespace

TEST_CASE("every figure of a run of 1e12 seconds is a number") {
  const TemporaryDirectory directory;
  write_file(directory / "t.ptr", loop_trace("1e12"));
  for (const std::string grid : {"1", "4", "100"}) {
    const Run run = run_gridcast({"predict", directory / "t.ptr", "-m", config("mvs15k.par"),
                                  "--grid", grid, "--json", "-"});
    INFO(run.err);
    REQUIRE(run.exit_code == 0);
    const json program = json::parse(run.out)["intervals"][0];
    CHECK(program["execution_time"].get<double>() == Approx(1e12 / std::stod(grid)));
    CHECK(program["efficiency"].get<double>() == Approx(1.0));
    for (const auto& [name, value] : program.items()) {
      INFO(name);
      CHECK((value.is_number() || value.is_object() || value.is_string() || name == "parent" ||
             name == "expression"));
    }
  }
  REQUIRE(run_gridcast({"sweep", directory / "t.ptr", "-m", config("mvs15k.par"), "--store",
                        directory / "s.h5", "--max-processors", "5", "-q"})
              .exit_code == 0);
  const json best =
      json::parse(run_gridcast({"status", directory / "s.h5", "--json", "-"}).out)["best"];
  CHECK(best["efficiency"].get<double>() == Approx(1.0));
}

TEST_CASE("the cost of intervals does not grow with the square of their number") {
  // 400,000 different intervals: compared with each other they would take minutes of the processor,
  // entered into a table seconds. The limit is on time of the processor, far from both.
  const TemporaryDirectory directory;
  constexpr int intervals = 400'000;
  {
    std::ofstream out(directory / "t.ptr");
    out << "ret_dvm_Init TIME=0 LINE=1 FILE=a\n";
    for (int i = 1; i <= intervals; ++i) {
      out << "call_binter_ TIME=0 LINE=" << i << " FILE=a\nret_binter_ TIME=0 LINE=" << i
          << " FILE=a\ncall_einter_ TIME=0.5 LINE=" << i << " FILE=a\nret_einter_ TIME=0 LINE=" << i
          << " FILE=a\n";
    }
    out << "Event_dvm_exit TIME=0 LINE=1 FILE=a\n";
  }
  const Run run_limited =
      run({"/bin/sh", "-c", "ulimit -t 60; exec \"$0\" predict \"$1\" -m \"$2\" --grid 2",
           GRIDCAST_EXECUTABLE, directory / "t.ptr", config("mvs15k.par")});
  INFO(run_limited.err);
  REQUIRE(run_limited.exit_code == 0);
  // Outside of loops every processor does everything.
  CHECK(contains(run_limited.out, "200 000 s"));
}

TEST_CASE("commands take a store of 800,000 rows in bounded memory") {
  const TemporaryDirectory directory;
  write_file(directory / "p.toml",
             "overhead = 0\n[[array]]\nname = \"A\"\nextents = [20000, 20000, 20000]\n"
             "distribute = [\"block\", \"block\", \"block\"]\n[[do]]\n"
             "loop = [\"i = 0 : 19999\", \"j = 0 : 19999\", \"k = 0 : 19999\"]\n"
             "on = \"A[i, j, k]\"\ntime = 1e-9\n");
  write_file(directory / "m.par",
             "cluster = c; c = {20000 x p}; c.CommType = ethernet; c.TStart = 10; c.TByte = 0.01; "
             "p = 1;");
  const std::string store = directory / "s.h5";
  // The blocks and processes that are predicted fastest: the test is about what reads the rows.
  REQUIRE(run_gridcast({"sweep", directory / "p.toml", "-m", directory / "m.par", "--mode", "3",
                        "--max-processors", "15000", "--block-rule", "ceil", "--processes",
                        "together", "--durability", "none", "--store", store, "-q"})
              .exit_code == 0);
  const json status = json::parse(run_gridcast({"status", store, "--json", "-"}).out);
  CHECK(status["evaluated"] == 806'589);  // ordered triples with a product up to 15,000
  // The rows alone are 280 MB; what the libraries map is most of the smaller limit.
  const auto within = [&](long megabytes, const std::vector<std::string>& words) {
    Setting setting;
    setting.memory_limit = megabytes << 20;
    const Run done = run_gridcast(words, setting);
    INFO(words[0] << ": " << done.err);
    CHECK(done.exit_code == 0);
  };
  within(700, {"status", store});
  within(700, {"store", "check", store});
  within(700, {"analyse", "components", store, "--columns", "p1,p2,execution_time"});
  within(700, {"analyse", "factors", store, "--factors", "p1,p2", "--cases", "rank", "--response",
               "execution_time"});
  within(800, {"report", store, "--html", directory / "r.html"});
  within(1200, {"export", store, "--csv", "/dev/null"});
  within(1200, {"export", store, "--jsonl", "/dev/null"});
}
