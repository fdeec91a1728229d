#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "run.h"

using namespace gridcast::cli::test;

namespace {

/// Reads JSON of predict with Python and checks it against what docs/json.md says.
Run check_json(const std::string& file, const std::vector<std::string>& expectations) {
  std::vector<std::string> words{
      "/usr/bin/python3", std::string(GRIDCAST_SOURCE_DIR) + "/tests/cli/check_prediction.py",
      file};
  words.insert(words.end(), expectations.begin(), expectations.end());
  return run(words);
}

}  // namespace

TEST_CASE("predict writes the JSON that docs/json.md describes") {
  const TemporaryDirectory directory;
  const std::string file = directory / "p.json";
  SECTION("to a file") {
    const Run done = run_gridcast(
        {"predict", jacobi, "--machine", config("mvs.par"), "--grid", "4x2", "--json", file});
    CHECK(done.exit_code == 0);
    CHECK(done.out.empty());
    CHECK(done.err.empty());
    const Run checked = check_json(file, {"4x2", "mvs", jacobi});
    INFO(checked.err);
    CHECK(checked.exit_code == 0);
  }
  SECTION("alone on standard output, also with processors and intervals") {
    const std::string trace = data("c_redist_100_e4.ptr");
    const Run done = run_gridcast({"predict", trace, "-m", config("mvs.par"), "-g", "2,3", "--json",
                                   "-", "--processors", "-v"});
    CHECK(done.exit_code == 0);
    write_file(file, done.out);
    const Run checked = check_json(file, {"2x3", "mvs", trace, "processors"});
    INFO(checked.err);
    CHECK(checked.exit_code == 0);
  }
}

TEST_CASE("without a grid the topology counts, else one processor") {
  CHECK(run_gridcast({"predict", jacobi, "-m", config("example2000.par")}).out.find("grid 2x2") !=
        std::string::npos);
  const Run serial = run_gridcast({"predict", jacobi, "-m", config("mvs.par")});
  CHECK(serial.exit_code == 0);
  // [Predictor3.1]; the sum of all TIMEs of the trace after ret_dvm_Init, docs/model.md §2.10.
  CHECK(serial.out.find("grid 1 ") != std::string::npos);
  CHECK(serial.out.find("4.881 s") != std::string::npos);
  CHECK(serial.err.find("no grid given") != std::string::npos);
  CHECK(run_gridcast({"predict", jacobi, "-m", config("mvs.par"), "--quiet"}).err.empty());
}

TEST_CASE("the traces of a run are merged, warnings go to stderr") {
  const std::string members = data("processes/jac2d_1x2/jac2d");
  const Run done = run_gridcast({"predict", members + "0_0.ptr.gz", members + "1_1.ptr.gz", "-m",
                                 config("mvs.par"), "-g", "1x2", "--json", "-"});
  CHECK(done.exit_code == 0);
  CHECK(done.out.find("\"grid\": [1, 2]") != std::string::npos);
  CHECK(done.out.find(members + "1_1.ptr.gz\"") != std::string::npos);
  const Run part = run_gridcast(
      {"predict", members + "0_0.ptr.gz", "-m", config("mvs.par"), "-g", "1x2", "--json", "-"});
  CHECK(part.exit_code == 0);
  CHECK(part.err.starts_with("gridcast: warning: "));
}

TEST_CASE("a warning is said once") {
  const TemporaryDirectory directory;
  write_file(directory / "t.ptr", trace_text(call("foo_") + call("foo_")));
  const Run done = run_gridcast(
      {"predict", directory / "t.ptr", "-m", config("mvs.par"), "-g", "2", "--json", "-"});
  CHECK(done.err == "gridcast: warning: unknown function foo_ (2 calls)\n");
  CHECK(done.out.find("\"warnings\": [\"unknown function foo_ (2 calls)\"]") != std::string::npos);
}

TEST_CASE("option --set takes several values and leaves the trace alone") {
  const TemporaryDirectory directory;
  const std::vector<std::string> one{
      "predict",         "--set", "mvs.TStart=70", "mvs.TByte=0.04", jacobi, "-m",
      config("mvs.par"), "-g",    "4x4",           "--json",         "-"};
  const std::vector<std::string> two{
      "predict",       jacobi,   "-m", config("mvs.par"),     "-g",
      "4x4",           "--json", "-",  "--set=mvs.TStart=70", "--set",
      "mvs.TByte=0.04"};
  const Run together = run_gridcast(one);
  CHECK(together.exit_code == 0);
  CHECK(together.out == run_gridcast(two).out);
  CHECK(together.out !=
        run_gridcast({"predict", jacobi, "-m", config("mvs.par"), "-g", "4x4", "--json", "-"}).out);
  CHECK(failed_with(
      run_gridcast({"predict", jacobi, "-m", config("mvs.par"), "--set", "mvs.Speed=1"}), 2,
      {"mvs.Speed=1", "TStart"}));
}

TEST_CASE("a page appears in one step, with the rights of the one that it replaces") {
  const TemporaryDirectory directory;
  const std::string page = directory / "page.html";
  write_file(page, "old");
  REQUIRE(chmod(page.c_str(), 0640) == 0);
  std::filesystem::create_symlink("page.html", directory / "link.html");
  const Run done = run_gridcast(
      {"predict", jacobi, "-m", config("mvs.par"), "-g", "4x2", "--html", directory / "link.html"});
  CHECK(done.exit_code == 0);
  CHECK(done.out.empty());
  CHECK(file_text(page).starts_with("<!DOCTYPE html>"));
  CHECK(std::filesystem::is_symlink(directory / "link.html"));
  struct stat state {};
  REQUIRE(stat(page.c_str(), &state) == 0);
  CHECK((state.st_mode & 0777U) == 0640U);
  CHECK(names_in(directory.path()) == std::vector<std::string>{"link.html", "page.html"});

  const Run failed =
      run_gridcast({"predict", jacobi, "-m", config("mvs.par"), "-g", "4000x2", "--html", page});
  CHECK(failed.exit_code == 2);
  CHECK(file_text(page).starts_with("<!DOCTYPE html>"));
  CHECK(names_in(directory.path()) == std::vector<std::string>{"link.html", "page.html"});
}

TEST_CASE("a reader that stops early ends the command quietly") {
  const Run done = run({"/bin/sh", "-c", "{ \"$0\" \"$@\"; echo $? >&2; } | head -c 1",
                        GRIDCAST_EXECUTABLE, "predict", data("c_redist_100_e4.ptr"), "-m",
                        config("mvs.par"), "-g", "4x4", "--processors", "--json", "-"});
  CHECK(done.out == "{");
  CHECK(done.err == "0\n");
}

TEST_CASE("the page of the best grid is that of its prediction") {
  const TemporaryDirectory directory;
  const std::string best = directory / "best.html";
  const Run search =
      run_gridcast({"sweep", config("programs/sor.toml"), "-m", config("mvs.par"), "--mode", "3",
                    "--processors", "8", "--store", directory / "s.h5", "--best-html", best});
  INFO(search.err);
  REQUIRE(search.exit_code == 0);
  const std::string marker = "Best grid ";
  const std::size_t at = search.out.find_first_not_of(' ', search.out.find(marker) + marker.size());
  const std::string grid = search.out.substr(at, search.out.find(' ', at) - at);
  REQUIRE(run_gridcast({"predict", config("programs/sor.toml"), "-m", config("mvs.par"), "--grid",
                        grid, "--html", directory / "same.html"})
              .exit_code == 0);
  CHECK(contains(file_text(best), "sor.toml:"));
  CHECK(file_text(best) == file_text(directory / "same.html"));
}

TEST_CASE("threads predict as on a machine of so many faster processors") {
  const TemporaryDirectory directory;
  const std::string networks =
      "c.CommType = ports; c.TStart = 2; c.TByte = 0.0001; n.CommType = ports; n.TStart = 0.5;\n"
      "n.TByte = 0.0002;\n";
  write_file(directory / "cores.par",
             "cluster = c; c = {4 x n}; n = {7 x p}; p = 1.5; p.Threads = {3 (0.8)};\n" + networks);
  // 7 cores hold two processes of three threads.
  write_file(directory / "processes.par",
             "cluster = c; c = {4 x n}; n = {2 x p}; p = 3.6;\n" + networks);
  const auto time_on = [&](const std::string& machine, std::vector<std::string> more) {
    std::vector<std::string> words{"predict", jacobi, "-m", directory / machine, "-g", "4x2",
                                   "--json",  "-",    "-q"};
    words.insert(words.end(), more.begin(), more.end());
    const Run done = run_gridcast(words);
    INFO(done.err);
    REQUIRE(done.exit_code == 0);
    const nlohmann::json json = nlohmann::json::parse(done.out);
    CHECK(json["threads"] == (more.empty() ? 1 : 3));
    return json["intervals"][0]["execution_time"].get<double>();
  };
  CHECK(time_on("cores.par", {"--threads", "3"}) ==
        Approx(time_on("processes.par", {})).epsilon(1e-12));
  CHECK(time_on("cores.par", {"--threads", "3"}) < time_on("cores.par", {}));
  const Run text = run_gridcast(
      {"predict", jacobi, "-m", directory / "cores.par", "-g", "4x2", "--threads", "3"});
  // Lines end where they are full.
  std::string line;
  std::istringstream words(text.out);
  for (std::string word; words >> word;) {
    line += word + " ";
  }
  CHECK(contains(line, "grid 4x2 (8 processes of 3 threads, 24 cores on 4 nodes of 2)"));
  CHECK(failed_with(run_gridcast({"predict", jacobi, "-m", directory / "cores.par", "-g", "3x3",
                                  "--threads", "3"}),
                    2, {"9", "8"}));
  CHECK(failed_with(
      run_gridcast({"predict", jacobi, "-m", directory / "cores.par", "--threads", "2"}), 2,
      {"cores.par:1", "'p' has no efficiency of 2 threads", "p.Threads = {3 (0.8)}"}));
}
