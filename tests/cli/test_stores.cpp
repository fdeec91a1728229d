#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>

#include "gridcast/store/lock.h"
#include "run.h"

using namespace gridcast::cli::test;

namespace {

/// A search of all grids of at most 16 processors.
std::vector<std::string> sweep_words(const std::string& store) {
  return {"sweep", jacobi,   "--machine", config("mvs.par"),  "--store",
          store,   "--mode", "3",         "--max-processors", "16"};
}

}  // namespace

TEST_CASE("a search with everything that is made of it") {
  const TemporaryDirectory directory;
  const std::string store = directory / "s.h5";
  std::vector<std::string> words = sweep_words(store);
  words.insert(words.end(), {"--best-html", directory / "best.html", "--quiet"});
  const Run sweep = run_gridcast(words);
  INFO(sweep.err);
  REQUIRE(sweep.exit_code == 0);
  // Ordered pairs with product at most 16: Σ of the divisors' counts of 1...16 is 50.
  CHECK(contains(sweep.out, "Evaluated 50 of 50 candidates"));
  CHECK(contains(file_text(directory / "best.html"), "jacobi2d_10000x10.ptr.gz on "));

  const Run csv = run_gridcast({"export", store, "--csv", "-"});
  CHECK(csv.exit_code == 0);
  CHECK(csv.out.starts_with("p1,p2,p3,p4,processors,"));
  CHECK(std::count(csv.out.begin(), csv.out.end(), '\n') == 51);
  CHECK(run_gridcast({"export", store, "--csv", directory / "s.csv"}).exit_code == 0);
  CHECK(file_text(directory / "s.csv") == csv.out);

  const Run status = run_gridcast({"status", store});
  CHECK(status.exit_code == 0);
  CHECK(contains(status.out, "State          complete\n"));
  CHECK(contains(status.out, "Evaluated      50, failed 0\n"));
  const Run json = run_gridcast({"status", store, "--json", "-"});
  CHECK(contains(json.out, "{\"schema\":\"gridcast.status/1\",\"state\":\"complete\""));
  CHECK(contains(json.out, "\"candidates\":50,\"not_bad\":50,\"evaluated\":50,\"failed\":0"));

  CHECK(run_gridcast({"report", store, "--html", directory / "r.html"}).exit_code == 0);
  CHECK(contains(file_text(directory / "r.html"), "Search for the best processor grid"));

  CHECK(run_gridcast({"merge", store, store, "--store", directory / "all.h5"}).exit_code == 0);
  CHECK(run_gridcast({"export", directory / "all.h5", "--csv", "-"}).out == csv.out);

  SECTION("an existing store is not overwritten") {
    CHECK(failed_with(run_gridcast(sweep_words(store)), 2, {"s.h5"}));
    CHECK(run_gridcast({"export", store, "--csv", "-"}).out == csv.out);
  }
}

TEST_CASE("each line of the table is what predict gives for its grid") {
  const TemporaryDirectory directory;
  const std::string store = directory / "s.h5";
  REQUIRE(run_gridcast(sweep_words(store)).exit_code == 0);
  const Run checked =
      run({"/usr/bin/python3", std::string(GRIDCAST_SOURCE_DIR) + "/tests/cli/check_rows.py", store,
           GRIDCAST_EXECUTABLE, jacobi, config("mvs.par")});
  INFO(checked.err);
  CHECK(checked.exit_code == 0);
}

TEST_CASE(
    "a job that was requeued too early waits for its earlier start, then ends to come again") {
  const TemporaryDirectory directory;
  const std::string store = directory / "s.h5";
  std::vector<std::string> words = sweep_words(store);
  setenv("SLURM_JOB_ID", "4711", 1);
  setenv("SLURM_RESTART_COUNT", "0", 1);
  {
    // This process stands for the earlier start.
    const gridcast::store::StoreLock earlier(store);
    setenv("SLURM_RESTART_COUNT", "1", 1);
    words.insert(words.end(), {"--lock-wait", "0"});
    const Run refused = run_gridcast(words);
    CHECK(failed_with(refused, 3, {"s.h5.lock", "an earlier start of this job"}));
    CHECK(names_in(directory.path()) == std::vector<std::string>{"s.h5.lock"});
  }
  CHECK(run_gridcast(words).exit_code == 0);
  unsetenv("SLURM_JOB_ID");
  unsetenv("SLURM_RESTART_COUNT");
}
