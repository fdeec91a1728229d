// Free processes in the commands that search and predict: what is found, told and stored.

#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "run.h"

using namespace gridcast::cli::test;
using nlohmann::json;

namespace {

const std::vector<std::string> free_program{
    config("programs/jacobi2d.toml"), "--param",     "n=200", "--param",     "iterations=6", "-m",
    config("omnipath256x48.par"),     "--processes", "free",  "--reduction", "auto"};

std::vector<std::string> free_words(std::vector<std::string> command,
                                    const std::vector<std::string>& more) {
  command.insert(command.end(), free_program.begin(), free_program.end());
  command.insert(command.end(), more.begin(), more.end());
  return command;
}

json free_json(const std::string& command, const std::vector<std::string>& more) {
  const Run run = run_gridcast(free_words({command, "--json", "-", "-q"}, more));
  INFO(run.err);
  REQUIRE(run.exit_code == 0);
  return json::parse(run.out);
}

}  // namespace

TEST_CASE("sweeps of free processes store what they assumed and what they left") {
  const TemporaryDirectory directory;
  const std::string store = directory / "four.h5";
  const json four = free_json("sweep", {"--max-processors", "24", "--mode", "4", "--store", store});
  const json three = free_json(
      "sweep", {"--max-processors", "24", "--mode", "3", "--store", directory / "three.h5"});
  CHECK(four["best"]["grid"] == three["best"]["grid"]);
  CHECK(four["best"]["execution_time"] == three["best"]["execution_time"]);
  CHECK(four["proof"]["margin"] == 0.3);
  CHECK(four["proof"]["open"] == 0);
  CHECK(four["evaluated"].get<int>() + four["proof"]["excluded"].get<int>() +
            four["proof"]["left"].get<int>() ==
        four["candidates"].get<int>());
  CHECK(four["assumed"]["iterations"] == "64");
  CHECK_FALSE(four["assumed"].contains("processes"));  // somebody gave it
  // A prediction of the best grid is the row of the sweep.
  std::string grid;
  for (const auto& extent : four["best"]["grid"]) {
    grid += (grid.empty() ? "" : "x") + std::to_string(extent.get<int>());
  }
  const json predicted = free_json("predict", {"--grid", grid});
  CHECK(predicted["intervals"][0]["execution_time"] == four["best"]["execution_time"]);
  // The same search may go on, another one may not.
  const auto again = free_words(
      {"sweep"}, {"--max-processors", "24", "--mode", "4", "--store", store, "--resume", "-q"});
  CHECK(run_gridcast(again).exit_code == 0);
  for (const auto& [option, word] :
       {std::pair{"--margin", "5%"}, {"--iterations", "4"}, {"--processes", "together"}}) {
    auto other = again;
    if (std::string(option) == "--processes") {
      std::ranges::replace(other, std::string("free"), std::string(word));
      std::ranges::replace(other, std::string("auto"), std::string("tree"));
    } else {
      other.insert(other.end(), {option, word});
    }
    CAPTURE(option);
    CHECK(failed_with(run_gridcast(other), 2, {"options differs"}));
  }
  const Run report = run_gridcast({"report", store, "--html", directory / "r.html"});
  CHECK(report.exit_code == 0);
  const bool left = four["proof"]["left"] > 0;
  CHECK(contains(run_gridcast({"status", store}).out, "left by a margin of 30 %") == left);
  CHECK(contains(file_text(directory / "r.html"), "not proved to be the best") == left);
}

TEST_CASE("a margin that leaves nothing unlikely evaluates or excludes all") {
  const TemporaryDirectory directory;
  const json wide = free_json(
      "sweep", {"--max-processors", "12", "--margin", "100000%", "--store", directory / "wide.h5"});
  CHECK(wide["proof"]["left"] == 0);
  CHECK(wide["proof"]["gap"] == 0.0);
  const json narrow = free_json("sweep", {"--max-processors", "12", "--margin", "0%", "--front",
                                          "none", "--store", directory / "narrow.h5"});
  CHECK(narrow["evaluated"] <= wide["evaluated"]);
}

TEST_CASE("plans, robustness and data sets of free processes") {
  const json plan = free_json("plan", {"--max-processors", "1000"});
  CHECK(plan["seconds_of_largest"].get<double>() > 0.0);
  const Run together = run_gridcast({"plan", config("programs/jacobi2d.toml"), "-m",
                                     config("omnipath256x48.par"), "--json", "-"});
  CHECK(json::parse(together.out)["seconds_of_largest"].is_null());
  const TemporaryDirectory directory;
  write_file(directory / "d.toml",
             "traces = [\"" + config("programs/jacobi2d.toml") + "\"]\nmachines = [\"" +
                 config("omnipath256x48.par") +
                 "\"]\n[grids]\nmax_processors = 4\n[model]\nprocesses = \"free\"\n");
  const Run dataset =
      run_gridcast({"dataset", directory / "d.toml", "--store", directory / "d.h5", "-q"});
  INFO(dataset.err);
  CHECK(dataset.exit_code == 0);
  write_file(directory / "f.toml", "traces = [\"" + config("programs/jacobi2d.toml") +
                                       "\"]\nmachines = [\"" + config("omnipath256x48.par") +
                                       "\"]\n[parameters]\nprocesses = [1, 2]\n");
  CHECK(run_gridcast({"dataset", directory / "f.toml", "--store", directory / "f.h5", "-q"})
            .exit_code == 2);
}
