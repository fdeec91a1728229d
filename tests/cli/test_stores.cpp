#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "gridcast/store/lock.h"
#include "run.h"

using namespace gridcast::cli::test;
using nlohmann::json;

namespace {

/// A search of all grids of at most 16 processors.
std::vector<std::string> sweep_words(const std::string& store) {
  return {"sweep", jacobi,   "--machine", config("mvs.par"),  "--store",
          store,   "--mode", "3",         "--max-processors", "16"};
}

/// The tables of times of the intervals on a page.
std::vector<std::string> times_tables(const std::string& page) {
  std::vector<std::string> tables;
  const std::string mark = "<h3>Times</h3>";
  for (std::size_t at = page.find(mark); at != std::string::npos; at = page.find(mark, at + 1)) {
    tables.push_back(page.substr(at, page.find("</table>", at) - at));
  }
  return tables;
}

/// Text for people with lines that went on put together again.
std::string unwrapped(std::string text) {
  const std::string wrap = "\n" + std::string(15, ' ');
  for (std::size_t at = text.find(wrap); at != std::string::npos; at = text.find(wrap, at)) {
    text.replace(at, wrap.size(), " ");
  }
  return text;
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

TEST_CASE("the page of a store with intervals says where the time of the best grid goes") {
  const TemporaryDirectory directory;
  const std::string trace = data("c_redist_100_e4.ptr");
  const std::string store = directory / "s.h5";
  std::vector<std::string> words{"sweep",   trace, "-m", config("mvs.par"), "--processors", "6",
                                 "--store", store, "-q"};
  REQUIRE(run_gridcast(words).exit_code == 0);
  REQUIRE(run_gridcast({"report", store, "--html", directory / "plain.html"}).exit_code == 0);
  CHECK(times_tables(file_text(directory / "plain.html")).empty());
  words[7] = directory / "i.h5";
  words.emplace_back("--intervals");
  REQUIRE(run_gridcast(words).exit_code == 0);
  REQUIRE(run_gridcast({"report", words[7], "--html", directory / "r.html"}).exit_code == 0);
  const Run status = run_gridcast({"status", words[7], "--json", "-"});
  const nlohmann::json best = json::parse(status.out)["best"];
  std::string grid;
  for (const nlohmann::json& extent : best["grid"]) {
    grid += (grid.empty() ? "" : "x") + std::to_string(extent.get<int>());
  }
  REQUIRE(run_gridcast({"predict", trace, "-m", config("mvs.par"), "--grid", grid, "--html",
                        directory / "p.html"})
              .exit_code == 0);
  const std::vector<std::string> tables = times_tables(file_text(directory / "p.html"));
  CHECK(tables.size() > 3);
  CHECK(times_tables(file_text(directory / "r.html")) == tables);
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

TEST_CASE("sweep and status say how many processors, nodes and what money the best grid takes") {
  const TemporaryDirectory directory;
  const std::string machine = directory / "c.par";
  const std::string text =
      "cluster = c; c = {3 x n}; c.CommType = myrinet (1); c.TStart = 10; c.TByte = 0.001;\n"
      "n = {4 x p}; n.CommType = myrinet (2); n.TStart = 1; n.TByte = 0.0005; p = 1;\n";
  for (const bool priced : {true, false}) {
    CAPTURE(priced);
    write_file(machine, text + (priced ? "n.Price = 2.5;\n" : ""));
    const std::string store = directory / (priced ? "priced.h5" : "free.h5");
    const Run swept =
        run_gridcast({"sweep", config("programs/jacobi2d.toml"), "-m", machine, "--processors", "9",
                      "--objective", "node-hours", "--store", store, "-q"});
    REQUIRE(swept.exit_code == 0);
    const json best = json::parse(run_gridcast({"status", store, "--json", "-"}).out)["best"];
    REQUIRE(best["processors"] == 9);
    // Three nodes of four hold nine processors; prices are per hour.
    const double cost = 3.0 * (priced ? 2.5 : 1.0) * best["execution_time"].get<double>() / 3600.0;
    const Run status = run_gridcast({"status", store});
    for (const std::string& said : {unwrapped(swept.out), unwrapped(status.out)}) {
      CAPTURE(said);
      const std::size_t best_line = said.find("Best grid ");
      REQUIRE(best_line != std::string::npos);
      const std::string line = said.substr(best_line, said.find('\n', best_line) - best_line);
      CHECK(contains(line, " (9 processors on 3 nodes of 4): "));
      const std::string before = priced ? ", price " : ", ";
      const std::size_t at = line.rfind(before);
      REQUIRE(at != std::string::npos);
      CHECK(std::stod(line.substr(at + before.size())) == Approx(cost).epsilon(1e-3));
      CHECK(line.ends_with(" node-hours") != priced);
    }
  }
  // Another objective has no costs to tell, but nodes all the same.
  const std::string store = directory / "time.h5";
  const Run swept = run_gridcast({"sweep", config("programs/jacobi2d.toml"), "-m", machine,
                                  "--processors", "9", "--store", store, "-q"});
  CHECK_FALSE(contains(swept.out, "node-hours"));
  CHECK_FALSE(contains(swept.out, "price"));
  CHECK(contains(swept.out, " on 3 nodes of 4)"));
}
