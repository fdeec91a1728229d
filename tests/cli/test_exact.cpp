// Mode 4 against mode 3, as a user compares them: what is printed is the same but for the number of
// evaluated grids, which mode 4 makes smaller, and for its proof.

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "run.h"

using namespace gridcast::cli::test;

namespace {

struct Search {
  long evaluated = 0;
  std::string result;  ///< the lines after the one with the number of evaluations
};

Search search(const std::string& mode, const std::string& trace, const std::string& machine,
              const std::vector<std::string>& more) {
  const TemporaryDirectory directory;
  std::vector<std::string> words{"sweep",         trace,     "--machine",
                                 config(machine), "--store", directory / "s.h5",
                                 "--mode",        mode,      "--quiet"};
  words.insert(words.end(), more.begin(), more.end());
  const Run run = run_gridcast(words);
  INFO(run.err);
  REQUIRE(run.exit_code == 0);
  REQUIRE(run.out.starts_with("Evaluated "));
  std::string result = run.out.substr(run.out.find('\n'));
  // What is said about the proof alone, and about evaluated grids.
  for (const char* const begin : {"\nBounds of ", "\nWithin 1 %"}) {
    if (const std::size_t line = result.find(begin); line != std::string::npos) {
      result.erase(line, result.find('\n', line + 1) - line);
    }
  }
  return {std::stol(run.out.substr(10)), result};
}

}  // namespace

TEST_CASE("mode 4 prints what mode 3 prints, whatever is asked for") {
  const std::vector<std::vector<std::string>> goals{
      {},
      {"--best", "5"},
      {"--objective", "efficiency"},
      {"--objective", "efficiency", "--best", "4"},
      {"--min-efficiency", "0.6"},
      {"--min-efficiency", "0.9", "--best", "3"},
      {"--objective", "efficiency", "--min-efficiency", "0.995", "--best", "2"}};
  for (const std::string machine : {"mvs.par", "heterogeneous.par", "hdr128x2x32.par"}) {
    for (std::vector<std::string> goal : goals) {
      goal.insert(goal.end(), {"--max-processors", "64"});
      const std::string trace = example("jacobi2d_10000x10.ptr.gz");
      const Search all = search("3", trace, machine, goal);
      const Search exact = search("4", trace, machine, goal);
      CAPTURE(machine, goal, exact.evaluated);
      CHECK(exact.result == all.result);
      CHECK(all.evaluated == 280);  // ordered pairs with product at most 64
      CHECK(exact.evaluated < all.evaluated);
    }
  }
}

TEST_CASE("mode 4 finds the optimum of a program with tasks that share a network") {
  const TemporaryDirectory directory;
  const std::string trace = directory / "tasks.ptr";
  REQUIRE(run_gridcast({"trace", "generate", config("programs/taskjacobi.toml"), "-o", trace})
              .exit_code == 0);
  const std::vector<std::string> most{"--max-processors", "300"};
  const Search all = search("3", trace, "cluster128x64.par", most);
  const Search exact = search("4", trace, "cluster128x64.par", most);
  CHECK(exact.result == all.result);
  CHECK(all.evaluated == 300);
  CHECK(exact.evaluated < all.evaluated);
}
