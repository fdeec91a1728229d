// Grids with fewer dimensions than a program, and data sets over parameters of descriptions.

#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "run.h"

using namespace gridcast::cli::test;
using nlohmann::json;

namespace {

std::vector<json> rows_of(const std::string& store) {
  const Run exported = run_gridcast({"export", store, "--jsonl", "-"});
  std::vector<json> rows;
  std::istringstream lines(exported.out);
  for (std::string line; std::getline(lines, line);) {
    rows.push_back(json::parse(line));
  }
  return rows;
}

}  // namespace

TEST_CASE("a grid with fewer dimensions than the program is completed with a warning") {
  const TemporaryDirectory directory;
  const auto warned = [&](const std::string& grid) {
    const Run predicted = run_gridcast({"predict", config("programs/jacobi3d.toml"), "--param",
                                        "n=40", "-m", config("mvs.par"), "--grid", grid});
    REQUIRE(predicted.exit_code == 0);
    return predicted.err;
  };
  CHECK(contains(warned("4x2"), "grid 4x2 taken as 4x2x1"));
  CHECK(contains(warned("4"), "grid 4 taken as 4x1x1"));
  CHECK_FALSE(contains(warned("4x2x1"), "taken as"));
  CHECK_FALSE(contains(warned("1"), "taken as"));
  const Run swept = run_gridcast({"sweep", config("programs/jacobi3d.toml"), "--param", "n=40",
                                  "-m", config("mvs.par"), "--mode", "0", "--grid", "4x2",
                                  "--store", directory / "s.h5"});
  CHECK(swept.exit_code == 0);
  CHECK(contains(swept.err, "grid 4x2 taken as 4x2x1"));
}

TEST_CASE("a data set varies parameters of descriptions beside numbers of the machine") {
  const TemporaryDirectory directory;
  write_file(directory / "d.toml",
             "traces = [\"" + config("programs/jacobi2d.toml") + "\", \"" +
                 config("programs/sor.toml") + "\"]\nmachines = [\"" + config("mvs.par") +
                 "\"]\ngrids = [\"2x2\", \"4x1\"]\n[parameters]\nprogram.n = [40, 60]\n"
                 "mvs.TStart = [7, 70]\n[design]\nkind = \"full-factorial\"\n");
  const std::string store = directory / "d.h5";
  const Run made = run_gridcast({"dataset", directory / "d.toml", "--store", store, "-q"});
  INFO(made.err);
  REQUIRE(made.exit_code == 0);
  const std::vector<json> rows = rows_of(store);
  REQUIRE(rows.size() == 2 * 2 * 2 * 2);
  for (const json& row : rows) {
    const std::string name = row["trace"] == 0 ? "jacobi2d" : "sor";
    std::ostringstream grid;
    grid << row["p1"] << "x" << row["p2"];
    const Run predicted =
        run_gridcast({"predict", config("programs/" + name + ".toml"), "--param",
                      "n=" + std::to_string(row["program.n"].get<int>()), "-m", config("mvs.par"),
                      "--set", "mvs.TStart=" + std::to_string(row["mvs.TStart"].get<int>()),
                      "--grid", grid.str(), "--losses=never", "--json", "-"});
    REQUIRE(predicted.exit_code == 0);
    CHECK(json::parse(predicted.out)["intervals"][0]["execution_time"] == row["execution_time"]);
  }
  const json status = json::parse(run_gridcast({"status", store, "--json", "-"}).out);
  CHECK(status["trace"].size() == 2);
  CHECK(status["candidates"] == 16);
  // The same command goes on with what there is.
  CHECK(run_gridcast({"dataset", directory / "d.toml", "--store", store, "--resume", "-q"})
            .exit_code == 0);
}

TEST_CASE("parameters that a program does not have are errors of the design") {
  const TemporaryDirectory directory;
  const auto refused = [&](const std::string& trace, const std::string& parameter,
                           const std::vector<std::string>& texts) {
    write_file(directory / "d.toml", "traces = [\"" + trace + "\"]\nmachines = [\"" +
                                         config("mvs.par") + "\"]\ngrids = [\"2x2\"]\n" +
                                         "[parameters]\n" + parameter +
                                         "\n[design]\nkind = \"full-factorial\"\n");
    return failed_with(
        run_gridcast({"dataset", directory / "d.toml", "--store", directory / "d.h5"}), 2, texts);
  };
  const std::string sor = config("programs/sor.toml");
  CHECK(refused(sor, "program.m = [40]", {"no parameter 'm'"}));
  CHECK(refused(jacobi, "program.n = [40]", {"d.toml:5", "is a trace"}));
  CHECK(refused(sor, "program.n = [\"x\"]", {"d.toml:5"}));
}
