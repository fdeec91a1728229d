/// gridcast record and gridcast recording show, with real runs under mpirun.

#include <unistd.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "run.h"

namespace gridcast::cli::test {
namespace {

/// `gridcast record -o FOLDER --grid GRID OPTIONS... -- mpirun -n RANKS APP...`.
std::vector<std::string> recorded(const std::string& folder, const std::string& grid, int ranks,
                                  const std::vector<std::string>& app,
                                  const std::vector<std::string>& options = {}) {
  std::vector<std::string> words{"record", "-o", folder, "--grid", grid};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), {"--", MPIEXEC_EXECUTABLE, "--oversubscribe"});
  if (::geteuid() == 0) {
    words.emplace_back("--allow-run-as-root");
  }
  words.insert(words.end(), {"-n", std::to_string(ranks), std::string(APPS) + "/" + app.front()});
  words.insert(words.end(), app.begin() + 1, app.end());
  return words;
}

const std::vector<std::string> small_jacobi{"jacobi2d", "20", "21", "2", "2", "5"};

}  // namespace

TEST_CASE("record leaves the output alone, recording show tells the calls", "[record]") {
  const TemporaryDirectory directory;
  const std::string folder = directory / "run";
  const Run run = run_gridcast(recorded(folder, "2x2", 4, small_jacobi, {"--extents", "20x21"}));
  CHECK(run.exit_code == 0);
  CHECK(run.out.starts_with("change "));
  CHECK(run.out.size() == run.out.find('\n') + 1);
  CHECK(contains(run.err, "recorded 120 calls of 4 ranks"));
  CHECK(contains(run.err, "the grid 2x2 is that of the program"));
  CHECK(names_in(folder) == std::vector<std::string>{"rank-0.gcr", "rank-1.gcr", "rank-2.gcr",
                                                     "rank-3.gcr", "recording.toml"});
  const Run shown = run_gridcast({"recording", "show", folder});
  CHECK(shown.exit_code == 0);
  CHECK(contains(shown.out, "grid 2x2 (the program's own), extents 20x21, exit code 0"));
  CHECK(contains(shown.out, "communicator 1: Cart_create, 2x2"));
  CHECK(contains(shown.out, "Sendrecv             jacobi2d.c:"));
  const Run as_json = run_gridcast({"recording", "show", folder, "--json", "-"});
  const nlohmann::json json = nlohmann::json::parse(as_json.out);
  CHECK(json["grid_verified"] == true);
  CHECK(json["extents"] == std::vector<int>{20, 21});
  REQUIRE(json["ranks"].size() == 4);
  for (const nlohmann::json& rank : json["ranks"]) {
    CHECK(rank["events"] == 30);
    CHECK(rank["calls"][6]["operation"] == "Allreduce");
    CHECK(rank["calls"][6]["calls"] == 5);
    CHECK(rank["calls"][6]["bytes"] == 40.0);
  }
  // Block of 10 x 11 on rank 0: rows of 11, columns of 10 doubles, both ways, five times.
  CHECK(json["ranks"][0]["calls"][2]["bytes"] == 11 * 8 * 5);
  CHECK(json["ranks"][0]["calls"][4]["bytes"] == 10 * 8 * 5);
}

TEST_CASE("record ends as the program does", "[record]") {
  const TemporaryDirectory directory;
  const Run left = run_gridcast(recorded(directory / "left", "1", 1, {"unusual", "exit", "42"}));
  CHECK(left.exit_code == 42);
  CHECK(contains(left.err, "ended with exit code 42"));
  CHECK(contains(run_gridcast({"recording", "show", directory / "left"}).out, "exit code 42"));
  const Run killed = run_gridcast(recorded(directory / "killed", "2", 2, {"unusual", "kill"}));
  CHECK(killed.exit_code != 0);
  const Run shown = run_gridcast({"recording", "show", directory / "killed"});
  CHECK(shown.exit_code == 0);
  CHECK(contains(shown.out, "warning: ended without MPI_Finalize"));
}

TEST_CASE("record refuses with one line", "[record]") {
  const TemporaryDirectory directory;
  const std::string folder = directory / "run";
  Run other = run_gridcast(recorded(folder, "4x1", 4, small_jacobi));
  other.out.clear();
  CHECK(failed_with(other, 2, {"the program made the grid 2x2, not 4x1", "--grid 2x2"}));
  CHECK(failed_with(run_gridcast(recorded(folder, "2x2", 4, small_jacobi)), 2, {"is not empty"}));
  CHECK(failed_with(run_gridcast({"record", "-o", directory / "a", "--", "true"}), 2,
                    {"needs a folder, a grid and a command"}));
  CHECK(failed_with(run_gridcast({"record", "-o", directory / "a", "--grid", "2x2", "--extents",
                                  "5", "--", "true"}),
                    2, {"as many as the grid 2x2 has dimensions"}));
  CHECK(failed_with(run_gridcast({"record", "-o", directory / "b", "--grid", "1", "--", "true"}), 2,
                    {"no file of rank 0"}));
  CHECK(failed_with(run_gridcast({"recording", "show", directory.path().string()}), 2,
                    {"no recording.toml"}));
  CHECK(failed_with(run_gridcast({"recording", "show", directory / "b"}), 2,
                    {"no file of rank 0 (the grid 1 has ranks 0 to 0"}));
}

TEST_CASE("words behind -- are those of the program", "[record]") {
  const TemporaryDirectory directory;
  const Run run = run_gridcast({"record", "-o", directory / "run", "--grid", "1", "--", "echo",
                                "--set", "A=1", "B=2", "--config", "x", "--grid", "9", "-v", "--"});
  CHECK(run.out == "--set A=1 B=2 --config x --grid 9 -v --\n");
}

TEST_CASE("record prints a line for jobs and the runs to make", "[record]") {
  const TemporaryDirectory directory;
  const Run line = run_gridcast({"record", "-o", directory / "run", "--grid", "2x2", "--print",
                                 "--", "srun", "-n", "4", "./app", "a b"});
  CHECK(line.exit_code == 0);
  CHECK(line.out.starts_with("srun --export=ALL,LD_PRELOAD=/"));
  CHECK(line.out.ends_with(" -n 4 ./app 'a b'\n"));
  CHECK(contains(line.out, ",GRIDCAST_RECORD_DIR=" + (directory / "run")));
  const Run plan = run_gridcast({"record", "--plan", "--extents", "100x60"});
  CHECK(plan.exit_code == 0);
  CHECK(contains(plan.out,
                 "# periodic or not in dimension 2, how 3 processes share 61\n"
                 "gridcast record -o runs/1x3-100x61 --grid 1x3 --extents 100x61 -- "
                 "mpirun -n 3 ./app\n"));
  CHECK(contains(run_gridcast({"record", "--plan", "--rank", "3"}).out, "--grid 2x1x3"));
  CHECK(run_gridcast({"record", "--plan", "--rank", "5"}).exit_code == 2);
}

}  // namespace gridcast::cli::test
