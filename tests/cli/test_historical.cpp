#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <sstream>

#include "run.h"

using namespace gridcast::cli::test;

namespace {

void copy(const std::string& from, const std::string& to) { std::filesystem::copy_file(from, to); }

}  // namespace

TEST_CASE("predictor M.par TRACE OUT.html P1 P2 writes the page of that grid") {
  const TemporaryDirectory directory;
  Setting setting;
  setting.directory = directory.path();
  const Run done = run_predictor({config("mvs.par"), jacobi, "out.html", "4", "2"}, setting);
  CHECK(done.exit_code == 0);
  CHECK(done.err.empty());
  CHECK(names_in(directory.path()) == std::vector<std::string>{"out.html"});
  CHECK(contains(file_text(directory / "out.html"), "4×2"));
  REQUIRE(run_gridcast({"predict", jacobi, "-m", config("mvs.par"), "-g", "4x2", "--html",
                        directory / "same.html"})
              .exit_code == 0);
  CHECK(file_text(directory / "out.html") == file_text(directory / "same.html"));
}

TEST_CASE("without a grid predictor takes the topology of the machine, else one processor") {
  const TemporaryDirectory directory;
  CHECK(run_predictor({config("example2000.par"), jacobi, directory / "a.html"}).exit_code == 0);
  CHECK(contains(file_text(directory / "a.html"), "2×2"));
  CHECK(run_predictor({config("mvs.par"), jacobi, directory / "b.html"}).exit_code == 0);
  CHECK_FALSE(contains(file_text(directory / "b.html"), "2×2"));
}

TEST_CASE("predictor under its name as a link to gridcast") {
  const TemporaryDirectory directory;
  std::filesystem::create_symlink(GRIDCAST_EXECUTABLE, directory / "predictor");
  const Run done =
      run({directory / "predictor", config("mvs.par"), jacobi, directory / "o.html", "2", "2"});
  CHECK(done.exit_code == 0);
  CHECK(contains(file_text(directory / "o.html"), "2×2"));
}

TEST_CASE("search= in the machine makes predictor search the best grid as well") {
  const TemporaryDirectory directory;
  std::string machine = file_text(config("workstations.par"));
  const std::size_t at = machine.find("search = 0");
  REQUIRE(at != std::string::npos);
  machine.replace(at, 10, "search = 3");
  write_file(directory / "m.par", machine);
  Setting setting;
  setting.directory = directory.path();
  const Run done = run_predictor({"m.par", jacobi, "out.html", "4", "2"}, setting);
  INFO(done.err);
  CHECK(done.exit_code == 0);
  CHECK(contains(done.out, "Best grid "));
  // Ordered pairs with product at most 16: Σ of the divisors' counts of 1...16 is 50.
  CHECK(contains(done.out, "Evaluated 50 of 50"));
  CHECK(names_in(directory.path()) ==
        std::vector<std::string>{"best.html", "m.par", "out.html", "out.log"});
  CHECK(contains(file_text(directory / "out.html"), "4×2"));
  // The log has a line per grid, the best of them at its end.
  std::istringstream log(file_text(directory / "out.log"));
  std::size_t grids = 0;
  std::string least;
  double least_time = HUGE_VAL;
  std::string end;
  for (std::string line; std::getline(log, line);) {
    const std::size_t dash = line.find(" - ");
    if (line.starts_with("proc_set: ")) {
      ++grids;
      if (const double time = std::stod(line.substr(dash + 3)); time < least_time) {
        least_time = time;
        least = line.substr(10);
      }
    } else {
      end += line + "\n";
    }
  }
  CHECK(grids == 50);
  CHECK(contains(end, "Best set of processors (for cluster with 16 processors) = " + least + "\n"));
  CHECK(contains(end, "Checked variants : 50 of 50 (not-bad "));
}

TEST_CASE("the log of mode 5 has the end of both searches") {
  const TemporaryDirectory directory;
  std::string machine = file_text(config("workstations.par"));
  machine.replace(machine.find("search = 0"), 10, "search = 5");
  write_file(directory / "m.par", machine);
  Setting setting;
  setting.directory = directory.path();
  REQUIRE(run_predictor({"m.par", jacobi, "out.html"}, setting).exit_code == 0);
  const std::string log = file_text(directory / "out.log");
  const std::string best = "Best set of processors (for cluster with ";
  CHECK(contains(log.substr(log.find(best) + best.size()), best));
}

TEST_CASE("one program has all names") {
  for (const char* name : {PREDICTOR_EXECUTABLE, MEASURE_EXECUTABLE}) {
    CHECK(std::filesystem::is_symlink(name));
    CHECK(std::filesystem::equivalent(name, GRIDCAST_EXECUTABLE));
  }
}

TEST_CASE("predictor says what is missing") {
  CHECK(failed_with(run_predictor({"a", "b"}), 2, {"M.par TRACE OUT.html"}));
  CHECK(failed_with(run_predictor({config("mvs.par"), jacobi, "o.html", "2", "b"}), 2, {"'b'"}));
  CHECK(failed_with(run_predictor({config("mvs.par"), jacobi, "o.html", "0"}), 2, {"'0'"}));
  CHECK(failed_with(run_predictor({config("mvs.par"), "no.ptr", "o.html"}), 2, {"no"}));
  CHECK(contains(run_predictor({"--help"}).out, "predictor [OPTIONS] M.par TRACE OUT.html [P...]"));
}

TEST_CASE("pred finds the traces of a program by its name") {
  const TemporaryDirectory directory;
  Setting setting;
  setting.directory = directory.path();
  copy(config("mvs.par"), directory / "Predictor.par");
  copy(data("processes/jac2d_1x2/jac2d0_0.ptr.gz"), directory / "jac2d0_0.ptr.gz");
  SECTION("PROGRAM.ptr comes first") {
    copy(data("c_jac2d_8_e1.ptr"), directory / "jac2d.ptr");
    CHECK(run_gridcast({"pred", "2", "1", "jac2d"}, setting).exit_code == 0);
    CHECK(contains(file_text(directory / "jac2d_2_1.html"), "jac2d.ptr on 2x1 of mvs"));
  }
  SECTION("then PROGRAM0_0.ptr and so on, merged") {
    copy(data("processes/jac2d_1x2/jac2d1_1.ptr.gz"), directory / "jac2d1_1.ptr.gz");
    CHECK(run_gridcast({"pred", "1", "2", "jac2d"}, setting).exit_code == 0);
    CHECK(contains(file_text(directory / "jac2d_1_2.html"), "jac2d1_1.ptr.gz on 1x2 of mvs"));
  }
  SECTION("a missing member is named") {
    CHECK(failed_with(run_gridcast({"pred", "1", "2", "jac2d"}, setting), 2, {"jac2d1_1.ptr"}));
  }
  SECTION("then everything that matches, with @ for any characters") {
    copy(data("processes/jac2d_1x2/jac2d1_1.ptr.gz"), directory / "jac2d1_1.ptr.gz");
    CHECK(run_gridcast({"pred", "2", "j@_@"}, setting).exit_code == 0);
    CHECK(contains(file_text(directory / "j@_@_2.html"), "jac2d1_1.ptr.gz on 2 of mvs"));
  }
  SECTION("predictor.par is a name of the machine, too") {
    std::filesystem::rename(directory / "Predictor.par", directory / "predictor.par");
    copy(data("c_jac2d_8_e1.ptr"), directory / "jac2d.ptr");
    CHECK(run_gridcast({"pred", "2", "1", "jac2d"}, setting).exit_code == 0);
    CHECK(contains(file_text(directory / "jac2d_2_1.html"), "jac2d.ptr on 2x1 of mvs"));
  }
  SECTION("of runs on one process that match the average is predicted") {
    // The second run computed for 2 s more: the mean of the two for 1 s more.
    write_file(directory / "run1.ptr", trace_text(call("dvm_a", "", "")));
    std::string slower = trace_text(call("dvm_a", "", ""));
    const std::size_t at = slower.find("TIME=1");
    REQUIRE(at != std::string::npos);
    slower.replace(at, 6, "TIME=3");
    write_file(directory / "run2.ptr", slower);
    const Run done = run_gridcast({"pred", "1", "run@"}, setting);
    INFO(done.err);
    REQUIRE(done.exit_code == 0);
    CHECK(contains(file_text(directory / "run@_1.html"), "run2.ptr on 1 of mvs"));
    const Run once = run_gridcast({"predict", "run1.ptr", "-m", "Predictor.par"}, setting);
    const Run mean =
        run_gridcast({"predict", "run1.ptr", "run2.ptr", "-m", "Predictor.par"}, setting);
    CHECK(contains(once.out, "1.250 s"));
    CHECK(contains(mean.out, "2.250 s"));
  }
  SECTION("nothing found") {
    CHECK(failed_with(run_gridcast({"pred", "nothing"}, setting), 2, {"nothing"}));
  }
}
