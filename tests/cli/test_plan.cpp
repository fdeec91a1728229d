#include <catch2/catch.hpp>
#include <string>

#include "run.h"

using namespace gridcast::cli::test;

TEST_CASE("plan counts the grids of table 5 of the forecasting paper, rank 2") {
  struct Line {
    std::string processors, candidates, not_bad;
  };
  for (const Line& line :
       {Line{"8", "20", "20"}, Line{"64", "280", "280"}, Line{"256", "1466", "1260"}}) {
    const Run plan =
        run_gridcast({"plan", example("jacobi2d_10000x10.ptr.gz"), "--machine", config("mvs.par"),
                      "--max-processors", line.processors, "--json", "-"});
    CHECK(plan.exit_code == 0);
    CHECK(plan.out.starts_with(R"({"rank":2,"reference_extents":[10000,10000],"processors":)" +
                               line.processors + R"(,"candidates":)" + line.candidates +
                               R"(,"not_bad":)" + line.not_bad + R"(,"assumed":{"startup":)"));
  }
}

TEST_CASE("plan lists the modes and takes all processors of the machine by default") {
  const Run plan =
      run_gridcast({"plan", example("jacobi2d_10000x10.ptr.gz"), "-m", config("mvs.par")});
  CHECK(plan.exit_code == 0);
  CHECK(plan.out.find("1 to 1024\n") != std::string::npos);
  for (const char* mode : {"1 heuristic", "2 none empty", "3 all", "4 exact", "5 compare"}) {
    CHECK(plan.out.find(mode) != std::string::npos);
  }
}

TEST_CASE("a dimension that splits the iterations is counted with its own extent") {
  // sor: 1000 x 1000; 2 x 2 processors at most.
  const Run plan = run_gridcast({"plan", example("sor_1000x10.ptr.gz"), "-m", config("mvs.par"),
                                 "--max-processors", "4", "--json", "-"});
  // Σ of the divisors' counts of 1...4: 1 + 2 + 2 + 3.
  CHECK(plan.out.starts_with(
      "{\"rank\":2,\"reference_extents\":[1000,1000],\"processors\":4,\"candidates\":8,"
      "\"not_bad\":8,"));
}

TEST_CASE("plan refuses a limit below one") {
  CHECK(failed_with(run_gridcast({"plan", example("sor_1000x10.ptr.gz"), "-m", config("mvs.par"),
                                  "--max-processors", "0"}),
                    2, {"--max-processors 0"}));
}
