#include <zlib.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "run.h"

using namespace gridcast::cli::test;

TEST_CASE("trace check accepts the examples") {
  const Run checked = run_gridcast({"trace", "check", example("jacobi2d_10000x10.ptr.gz"),
                                    example("sor_1000x10.ptr.gz"), example("gauss_10.ptr.gz")});
  CHECK(checked.exit_code == 0);
  CHECK(checked.err.empty());
  CHECK(checked.out == example("jacobi2d_10000x10.ptr.gz") + ": OK\n" +
                           example("sor_1000x10.ptr.gz") + ": OK\n" + example("gauss_10.ptr.gz") +
                           ": OK\n");
}

TEST_CASE("trace check notes what is odd and goes on after a bad trace") {
  const TemporaryDirectory directory;
  const std::string odd = directory / "odd.ptr";
  const std::string bad = directory / "bad.ptr";
  const std::string early = directory / "early.ptr";
  write_file(odd, trace_text(call("foo_")));
  write_file(bad, "no trace\n");
  write_file(early, trace_text(call("waitsh_", "ShadowGroupRef=5a;")));
  const Run checked = run_gridcast({"trace", "check", bad, odd, early});
  CHECK(checked.exit_code == 2);
  CHECK(contains(checked.out, odd + ": OK, 1 to note\n"));
  CHECK(contains(checked.out, "unknown function foo_ (1 call"));
  CHECK(contains(checked.err, "gridcast: " + bad));
  CHECK(contains(checked.err, "gridcast: " + early + ":"));
  CHECK_FALSE(contains(checked.out, bad));
}

TEST_CASE("trace info shows what a trace holds") {
  const Run info = run_gridcast({"trace", "info", example("jacobi2d_10000x10.ptr.gz")});
  CHECK(info.exit_code == 0);
  CHECK(contains(info.out, "10000x10000 of 8 bytes"));
  CHECK(contains(info.out, "dopl_"));
}

TEST_CASE("trace merge makes the trace that predict makes of its members") {
  const TemporaryDirectory directory;
  const std::string first = data("processes/jac2d_1x2/jac2d0_0.ptr.gz");
  const std::string second = data("processes/jac2d_1x2/jac2d1_1.ptr.gz");
  const std::string merged = directory / "merged.ptr";
  CHECK(run_gridcast({"trace", "merge", first, second, "--output", merged}).exit_code == 0);
  const Run by_name =
      run_gridcast({"trace", "merge", data("processes/jac2d_1x2/jac2d"), "--output", "-"});
  CHECK(by_name.out == file_text(merged));
  const auto intervals = [&](std::vector<std::string> traces, const std::string& page) {
    std::vector<std::string> words{"predict"};
    words.insert(words.end(), traces.begin(), traces.end());
    words.insert(words.end(), {"-m", config("mvs.par"), "-g", "2x2", "--json", page});
    REQUIRE(run_gridcast(words).exit_code == 0);
    const std::string text = file_text(page);
    return text.substr(text.find("\"intervals\""));
  };
  CHECK(intervals({merged}, directory / "a.json") ==
        intervals({first, second}, directory / "b.json"));
  CHECK(failed_with(run_gridcast({"trace", "merge", first, "--output", directory / "x.ptr"}), 2,
                    {"jac2d"}));
}

TEST_CASE("trace average and interpolate make traces of traces") {
  const TemporaryDirectory directory;
  const std::string one = directory / "one.ptr";
  const std::string two = directory / "two.ptr";
  write_file(one, trace_text(call("getlen_")));
  std::string slower = trace_text(call("getlen_"));
  slower.replace(slower.find("TIME=1.0"), 8, "TIME=3.0");
  write_file(two, slower);
  const std::string mean = directory / "mean.ptr";
  const Run averaged = run_gridcast({"trace", "average", one, two, "--output", mean});
  CHECK(averaged.exit_code == 0);
  CHECK(contains(averaged.out, "getlen_"));
  // (1 + 3) / 2 + 0.25
  CHECK(contains(run_gridcast({"trace", "info", mean}).out, "2.250 s"));
  const std::string larger = directory / "larger.ptr";
  const Run interpolated = run_gridcast(
      {"trace", "interpolate", "100=" + one, "200=" + two, "--size", "300", "--output", larger});
  CHECK(interpolated.exit_code == 0);
  // 1, 3, so 5 at size 300, + 0.25
  CHECK(contains(run_gridcast({"trace", "info", larger}).out, "5.250 s"));
  CHECK(failed_with(
      run_gridcast({"trace", "interpolate", one, "200=" + two, "--size", "3", "--output", larger}),
      2, {"SIZE=TRACE"}));
}

TEST_CASE("a search from a trace of several runs tells what is a tie with the best") {
  const TemporaryDirectory directory;
  const auto generate = [&](const std::string& name, const std::string& point) {
    const std::string file = directory / name;
    REQUIRE(run_gridcast({"trace", "generate", config("programs/jacobi2d.toml"), "--set", "n=120",
                          "--set", "point=" + point, "-o", file, "-q"})
                .exit_code == 0);
    return file;
  };
  const std::string one = generate("one.ptr", "0.95e-5");
  const std::string two = generate("two.ptr", "1.05e-5");
  const std::string mean = directory / "mean.ptr";
  REQUIRE(run_gridcast({"trace", "average", one, two, "--output", mean}).exit_code == 0);
  const auto search = [&](const std::string& trace, const std::string& store) {
    const Run run =
        run_gridcast({"sweep", trace, "-m", config("mvs.par"), "--store", directory / store,
                      "--mode", "3", "--max-processors", "16", "-q", "--json", "-"});
    INFO(run.err);
    REQUIRE(run.exit_code == 0);
    return nlohmann::json::parse(run.out);
  };
  CHECK(search(one, "one.h5")["spread"].is_null());
  CHECK(search(one, "again.h5")["ties"].empty());
  const nlohmann::json status = search(mean, "mean.h5");
  // Nearly all time is that of the points, whose deviation is √2 · 0.05 of the mean.
  const double spread = status["spread"];
  CHECK(spread == Approx(std::sqrt(2.0) * 0.05).epsilon(0.02));
  const double best = status["best"]["execution_time"];
  // The same from the table of all grids.
  REQUIRE(
      run_gridcast({"export", directory / "mean.h5", "--csv", directory / "all.csv"}).exit_code ==
      0);
  std::istringstream rows(file_text(directory / "all.csv"));
  std::string line;
  std::getline(rows, line);
  std::vector<std::string> names;
  std::istringstream head(line);
  for (std::string name; std::getline(head, name, ',');) {
    names.push_back(name);
  }
  const auto column = std::find(names.begin(), names.end(), "execution_time") - names.begin();
  int tied = -1;  // the best itself
  while (std::getline(rows, line)) {
    std::istringstream cells(line);
    std::string cell;
    for (std::ptrdiff_t i = 0; i <= column; ++i) {
      std::getline(cells, cell, ',');
    }
    tied += std::stod(cell) * (1.0 - spread) <= best * (1.0 + spread) ? 1 : 0;
  }
  REQUIRE(tied > 0);
  CHECK(status["tied"] == tied);
  CHECK(static_cast<int>(status["ties"].size()) == std::min(tied, 10));
  CHECK(contains(run_gridcast({"status", directory / "mean.h5"}).out, "within the spread"));
}

TEST_CASE("trace generate makes a trace that can be checked and predicted") {
  const TemporaryDirectory directory;
  const std::string small = directory / "small.ptr";
  const Run made = run_gridcast(
      {"trace", "generate", config("programs/jacobi2d.toml"), "--set", "n=64", "--output", small});
  INFO(made.err);
  REQUIRE(made.exit_code == 0);
  CHECK(run_gridcast({"trace", "check", small}).out == small + ": OK\n");
  CHECK(contains(run_gridcast({"trace", "info", small}).out, "64x64"));
  CHECK(failed_with(run_gridcast({"trace", "generate", config("programs/jacobi2d.toml"), "--set",
                                  "unknown=64", "--output", small}),
                    2, {"unknown"}));
  CHECK(failed_with(run_gridcast({"trace", "generate", "no.toml", "--output", small}), 2,
                    {"no.toml"}));
}

TEST_CASE("a search goes on with a packed copy of its trace") {
  const TemporaryDirectory directory;
  const std::string description = directory / "p.toml";
  const std::string trace = directory / "p.ptr";
  write_file(description,
             "[[array]]\nname = \"A\"\nextents = [100]\ndistribute = [\"block\"]\n"
             "[[do]]\nloop = [\"i = 0 : 99\"]\non = \"A[i]\"\ntime = 1e-3\n");
  REQUIRE(run_gridcast({"trace", "generate", description, "-o", trace}).exit_code == 0);
  const auto sweep = [&](const std::string& from, const std::vector<std::string>& more) {
    std::vector<std::string> words = {"sweep",  from, "--machine", config("workstations.par"),
                                      "--mode", "3",  "--store",   directory / "s.h5"};
    words.insert(words.end(), more.begin(), more.end());
    return run_gridcast(words);
  };
  REQUIRE(sweep(trace, {}).exit_code == 0);
  const auto rows = [&] { return run_gridcast({"export", directory / "s.h5", "--csv", "-"}).out; };
  const std::string before = rows();
  REQUIRE_FALSE(before.empty());
  const std::string packed = directory / "packed.ptr.gz";
  const std::string text = file_text(trace);
  gzFile file = gzopen(packed.c_str(), "wb");
  REQUIRE(file != nullptr);
  REQUIRE(gzwrite(file, text.data(), static_cast<unsigned>(text.size())) ==
          static_cast<int>(text.size()));
  REQUIRE(gzclose(file) == Z_OK);
  const Run again = sweep(packed, {"--resume"});
  INFO(again.err);
  CHECK(again.exit_code == 0);
  CHECK(rows() == before);
  write_file(trace, text + " \n");
  CHECK(failed_with(sweep(trace, {"--resume"}), 2, {"trace_sha256 differs"}));
}

TEST_CASE("a result never replaces what it is made of") {
  const TemporaryDirectory directory;
  const std::string description = directory / "p.toml";
  const std::string text = "[[do]]\ncompute = 1\n";
  write_file(description, text);
  const auto refused = [&](const std::vector<std::string>& words) {
    return failed_with(run_gridcast(words), 2, {"would be written by -o over the input"});
  };
  CHECK(refused({"trace", "generate", description, "-o", description}));
  std::filesystem::create_symlink(description, directory / "link.ptr");
  CHECK(refused({"trace", "generate", description, "-o", directory / "link.ptr"}));
  CHECK(refused({"trace", "generate", description, "-o", directory / "./p.toml"}));
  CHECK(file_text(description) == text);

  const std::string one = directory / "one.ptr";
  CHECK(run_gridcast({"trace", "generate", description, "-o", one}).exit_code == 0);
  const std::string before = file_text(one);
  CHECK(refused({"trace", "average", one, one, "-o", one}));
  CHECK(refused({"trace", "merge", one, "-o", one}));
  CHECK(refused({"trace", "interpolate", "1=" + one, "2=" + one, "--size", "3", "-o", one}));
  CHECK(file_text(one) == before);
  CHECK(run_gridcast({"trace", "average", one, one, "-o", directory / "mean.ptr"}).exit_code == 0);
}
