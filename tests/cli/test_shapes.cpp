// --shape-traces: the time of a loop by the shape of its blocks (docs/model.md §3.8), and
// --portions=trace.

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "run.h"

namespace gridcast::cli::test {
namespace {

using nlohmann::json;

/// One loop of n x m iterations; with `across` it depends on the row before.
std::string loop_program(bool across) {
  return std::string(
             "overhead = 0.0\n[parameters]\nn = 100\nm = 100\npoint = 1e-6\n"
             "[[array]]\nname = \"A\"\nextents = [\"n\", \"m\"]\nelement = 8\nshadow = 1\n"
             "distribute = [\"block\", \"block\"]\n[[do]]\n"
             "loop = [\"i = 0 : n-1\", \"j = 0 : m-1\"]\non = \"A[i, j]\"\n"
             "time = \"point\"\n") +
         (across ? "across = [{ array = \"A\", new = [1, 0] }]\n" : "");
}

/// Messages cost nothing, portions of pipelines `portion` microseconds.
std::string free_machine(int portion) {
  return "cluster = c;\nc = {16 x p};\nc.CommType = ports;\nc.TStart = 0;\nc.TByte = 0;\n"
         "c.TPortion = " +
         std::to_string(portion) + ";\np = 1;\n";
}

class Shapes {
public:
  explicit Shapes(bool across, int portion = 0) {
    write_file(directory_ / "loop.toml", loop_program(across));
    write_file(machine(), free_machine(portion));
  }

  /// The trace of a run with these extents and seconds per iteration.
  std::string trace(const std::string& name, int n, int m, double point) {
    const std::string file = directory_ / (name + ".ptr");
    const Run made = run_gridcast({"trace", "generate", directory_ / "loop.toml", "--set",
                                   "n=" + std::to_string(n), "--set", "m=" + std::to_string(m),
                                   "--set", "point=" + fmt::format("{}", point), "-o", file, "-q"});
    REQUIRE(made.exit_code == 0);
    return file;
  }

  json predict(const std::string& grid, std::vector<std::string> more,
               const std::string& engine = "fast") {
    std::vector<std::string> words{"predict", main_, "-m", machine(),  "-g",  grid,
                                   "--json",  "-",   "-q", "--engine", engine};
    words.insert(words.end(), more.begin(), more.end());
    const Run run = run_gridcast(words);
    INFO(run.err);
    REQUIRE(run.exit_code == 0);
    return json::parse(run.out);
  }
  double seconds(const std::string& grid, const std::vector<std::string>& more) {
    const json fast = predict(grid, more);
    const json reference = predict(grid, more, "reference");
    const double time = fast["intervals"][0]["execution_time"];
    CHECK(reference["intervals"][0]["execution_time"].get<double>() == Approx(time).epsilon(1e-12));
    const json& whole = fast["intervals"][0];
    CHECK(whole["total_time"].get<double>() ==
          Approx(whole["productive_time"].get<double>() + whole["lost_time"].get<double>())
              .epsilon(1e-12));
    return time;
  }

  [[nodiscard]] std::string machine() const { return directory_ / "m.par"; }
  [[nodiscard]] std::string file(const std::string& name) const { return directory_ / name; }
  void take(const std::string& main) { main_ = main; }

private:
  TemporaryDirectory directory_;
  std::string main_;
};

}  // namespace

TEST_CASE("blocks of measured shapes take what was measured, others the mean of their neighbours") {
  Shapes shapes(false);
  shapes.take(shapes.trace("main", 100, 100, 1e-6));
  const std::string half = shapes.trace("half", 50, 100, 0.8e-6);
  const std::vector<std::string> given{"--shape-traces", half};
  CHECK(shapes.seconds("2x1", {}) == Approx(5000 * 1e-6));
  CHECK(shapes.seconds("1x1", given) == Approx(10000 * 1e-6));
  CHECK(shapes.seconds("2x1", given) == Approx(5000 * 0.8e-6));
  // 100 x 50 is ln 2 from 100 x 100 and √2·ln 2 from 50 x 100: weights 1 and 1/4.
  CHECK(shapes.seconds("1x2", given) == Approx(5000 * 1e-6 * std::pow(0.8, 0.25 / 1.25)));
  CHECK(shapes.predict("2x1", given)["warnings"].empty());
  const json beyond = shapes.predict("1x2", given)["warnings"];
  REQUIRE(beyond.size() == 1);
  CHECK(contains(beyond[0], "blocks of 100x50 iterations"));
  CHECK(contains(beyond[0], "(50x100 to 100x100)"));
  CHECK(contains(beyond[0], "extrapolated"));
}

TEST_CASE("portions of a pipeline have shapes, too") {
  // Q* = √(N·M·Tc / (2·TPortion)) = √(100 · 100 · 1 µs / (2 · 50 µs)) = 10: portions of 50 x 10.
  Shapes shapes(true, 50);
  shapes.take(shapes.trace("main", 100, 100, 1e-6));
  const std::string flat = shapes.trace("flat", 50, 10, 0.6e-6);
  CHECK(shapes.seconds("2x1", {}) == Approx(11 * (50e-6 + 500 * 1e-6)));
  CHECK(shapes.seconds("2x1", {"--shape-traces", flat}) == Approx(11 * (50e-6 + 500 * 0.6e-6)));
  CHECK(shapes.seconds("1x1", {"--shape-traces", flat}) == Approx(10000 * 1e-6));
}

TEST_CASE("a search knows shapes, and its bounds hold") {
  Shapes shapes(false);
  const std::string main = shapes.trace("main", 100, 100, 1e-6);
  shapes.take(main);
  const std::string row = shapes.trace("row", 100, 10, 3e-6);
  const std::string tall = shapes.trace("tall", 10, 100, 0.4e-6);
  for (const char* mode : {"3", "4"}) {
    const std::string store = shapes.file(std::string("s") + mode + ".h5");
    const Run run =
        run_gridcast({"sweep", main, "-m", shapes.machine(), "--store", store, "--mode", mode, "-q",
                      "--json", "-", "--max-processors", "10", "--shape-traces", row, tall});
    INFO(run.err);
    REQUIRE(run.exit_code == 0);
    const json best = json::parse(run.out)["best"];
    CHECK(best["grid"] == json::parse("[10,1]"));
    CHECK(best["execution_time"].get<double>() == Approx(1000 * 0.4e-6));
  }
  // Results with and without them, or with others, do not mix.
  const Run other =
      run_gridcast({"sweep", main, "-m", shapes.machine(), "--store", shapes.file("s3.h5"),
                    "--mode", "3", "--max-processors", "10", "--resume", "-q"});
  CHECK(other.exit_code == 2);
}

TEST_CASE("shape traces that tell nothing are refused") {
  Shapes shapes(false);
  const std::string main = shapes.trace("main", 100, 100, 1e-6);
  const auto predict = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"predict", main, "-m", shapes.machine(), "-q"};
    words.insert(words.end(), more.begin(), more.end());
    return run_gridcast(words);
  };
  CHECK(failed_with(predict({"--shape-traces", main}), 2, {"no loop", "another shape"}));
  CHECK(failed_with(predict({"--shape-traces", jacobi}), 2, {"no loop", "another shape"}));
  CHECK(failed_with(predict({"--shape-traces", shapes.file("none")}), 2, {"none"}));
}

TEST_CASE("measured times are compared and fitted with what shapes tell") {
  Shapes shapes(false);
  const std::string main = shapes.trace("main", 100, 100, 1e-6);
  const std::string half = shapes.trace("half", 50, 100, 0.8e-6);
  // Processors twice as fast: 10000 points of 1 µs, 5000 of 0.8 µs.
  const std::string measured = shapes.file("runs.csv");
  write_file(measured, "grid,seconds\n1x1,5e-3\n2x1,2e-3\n");
  const auto run = [](const std::vector<std::string>& words) {
    const Run done = run_gridcast(words);
    INFO(done.err);
    REQUIRE(done.exit_code == 0);
    return json::parse(done.out);
  };
  const json compared = run({"compare", main, measured, "-m", shapes.machine(), "--set", "p=2",
                             "--shape-traces", half, "--json", "-", "-q"});
  CHECK(compared["worst_error"].get<double>() < 1e-9);
  CHECK(run({"compare", main, measured, "-m", shapes.machine(), "--set", "p=2", "--json", "-",
             "-q"})["worst_error"]
            .get<double>() == Approx(0.25));
  const json fitted = run({"calibrate", main, "-m", shapes.machine(), "--measured", measured,
                           "--fit", "p", "--shape-traces", half, "--json", "-", "-q"});
  CHECK(fitted["numbers"][0]["value"].get<double>() == Approx(2.0).epsilon(1e-6));
  CHECK(fitted["errors_after"]["worst"].get<double>() < 1e-6);
}

TEST_CASE("shape traces of programs that were not measured are refused") {
  Shapes shapes(false);
  const std::string main = shapes.trace("main", 100, 100, 1e-6);
  const std::string measured = shapes.file("runs.csv");
  write_file(measured, "grid,seconds\n1x1,5e-3\n");
  for (const char* command : {"calibrate", "compare"}) {
    std::vector<std::string> words{command, main, "-m", shapes.machine(), "-q"};
    if (command == std::string("calibrate")) {
      words.emplace_back("--measured");
    }
    words.insert(words.end(), {measured, "--shape-traces", jacobi});
    CHECK(failed_with(run_gridcast(words), 2, {"none of its loops"}));
  }
  CHECK(failed_with(run_gridcast({"compare", measured, measured, "--shape-traces", main}), 2,
                    {"--shape-traces", "--machine"}));
}

TEST_CASE("a pipeline is cut as the run-time library of the traced run did with --portions=trace") {
  const TemporaryDirectory directory;
  write_file(directory / "m.par", free_machine(50));
  // Ten loops of 998 x 998 points, 57.075 ms of dopl_ in all. Q* = √(57.075 ms / 10 / (2 h)) with
  // h = Tirecv + Twrecv = 2 µs of the trace: 37 portions of 27 columns; with 50 µs: 8 of 125.
  // Each processor pays for each portion, and one waits for the first of the other.
  struct Expected {
    const char* choice;
    double portions, columns;
  };
  for (const Expected& expected : {Expected{"trace", 37, 27}, Expected{"machine", 8, 125}}) {
    for (const char* engine : {"fast", "reference"}) {
      const Run run = run_gridcast({"predict", data("c_sor_1000x10.ptr.gz"), "-m",
                                    directory / "m.par", "-g", "2x1", "--portions", expected.choice,
                                    "--engine", engine, "--json", "-", "-q"});
      INFO(run.err);
      REQUIRE(run.exit_code == 0);
      const json shadow = json::parse(run.out)["intervals"][0]["shadow"];
      CHECK(shadow["communication"].get<double>() - shadow["synch"].get<double>() ==
            Approx(10 * (2 * expected.portions + 1) * 50e-6 + 0.057075 / 2 * expected.columns / 998)
                .epsilon(1e-4));
    }
  }
  const Run same = run_gridcast(
      {"predict", jacobi, "-m", directory / "m.par", "-g", "2x1", "--portions", "trace", "-q"});
  CHECK(same.exit_code == 0);
}

}  // namespace gridcast::cli::test
