// --min-block from the command line: what is excluded is said, and no mode finds it.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "run.h"

using namespace gridcast::cli::test;
using nlohmann::json;

namespace {

/// 12 x 12 points with edges two wide.
constexpr const char* block_program =
    "[[array]]\nname = \"A\"\nextents = [12, 12]\nshadow = 2\n"
    "distribute = [\"block\", \"block\"]\n"
    "[[do]]\nexchange = [\"A\"]\n"
    "[[do]]\nloop = [\"i = 0 : 11\", \"j = 0 : 11\"]\non = \"A[i, j]\"\ntime = 1e-3\n";
constexpr const char* block_machine =
    "cluster = c;\nc = {64 x p};\nc.CommType = ports;\nc.TStart = 0.01;\nc.TByte = 0;\np = 1;\n";

/// Grids of at most 64 processors none of whose extents cuts 12 elements into blocks of fewer
/// than two: with balanced blocks up to 6 of them.
long admitted(long most) {
  long count = 0;
  for (long p = 1; p <= most; ++p) {
    for (long q = 1; q <= most; ++q) {
      count += p * q <= 64 ? 1 : 0;
    }
  }
  return count;
}

}  // namespace

TEST_CASE("candidates with short blocks are excluded in every mode, and counted") {
  const TemporaryDirectory directory;
  write_file(directory / "p.toml", block_program);
  write_file(directory / "m.par", block_machine);
  int number = 0;
  const auto status = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"sweep",   directory / "p.toml",
                                   "-m",      directory / "m.par",
                                   "--store", directory / std::to_string(++number) + ".h5",
                                   "-q",      "--json",
                                   "-"};
    words.insert(words.end(), more.begin(), more.end());
    const Run run = run_gridcast(words);
    INFO(run.err);
    REQUIRE(run.exit_code == 0);
    return json::parse(run.out);
  };
  const long all = admitted(64);
  for (const std::string mode : {"1", "2", "3", "4", "5"}) {
    // The default of a description.
    const json edge = status({"--mode", mode});
    CAPTURE(mode, edge.dump());
    CHECK(edge["candidates"] == admitted(6));
    CHECK(edge["excluded"]["min-block"] == all - admitted(6));
    CHECK((mode == "1" || edge["best"]["grid"] == json({6, 6})));
    const json none = status({"--mode", mode, "--min-block", "0"});
    CHECK(none["candidates"] == all);
    CHECK(none["excluded"] == json::object());
    CHECK(status({"--mode", mode, "--min-block=4,1"})["candidates"] == [] {
      long count = 0;
      for (long p = 1; p <= 3; ++p) {
        count += 64 / p;
      }
      return count;
    }());
  }
  const Run text = run_gridcast({"status", directory / "1.h5"});
  CHECK(contains(text.out, std::to_string(all - admitted(6)) + " candidates by --min-block"));
}

TEST_CASE("a grid with short blocks is not predicted") {
  const TemporaryDirectory directory;
  write_file(directory / "p.toml", block_program);
  write_file(directory / "m.par", block_machine);
  const auto predict = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"predict", directory / "p.toml", "-m", directory / "m.par",
                                   "-q"};
    words.insert(words.end(), more.begin(), more.end());
    return run_gridcast(words);
  };
  CHECK(predict({"--grid", "6x6"}).exit_code == 0);
  const Run refused = predict({"--grid", "7x1"});
  CHECK(refused.exit_code == 2);
  CHECK(contains(refused.err, "grid 7x1 has a block shorter than --min-block edge allows"));
  CHECK(predict({"--grid", "7x1", "--min-block", "0"}).exit_code == 0);
  CHECK(predict({"--grid", "6x6", "--min-block", "3"}).exit_code == 2);
  CHECK(predict({"--grid", "6x6", "--min-block", "x"}).exit_code == 2);
}
