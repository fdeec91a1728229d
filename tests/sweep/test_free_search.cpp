// Mode 4 of free processes chooses what mode 3 chooses, on the programs of configs/programs.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>
#include <vector>

#include "described.h"
#include "gridcast/compile/compile.h"
#include "gridcast/evaluate/bounds.h"
#include "gridcast/evaluate/questions.h"
#include "gridcast/predict/predictor.h"
#include "gridcast/search/strategy.h"

namespace {

using namespace gridcast;

struct SearchedProgram {
  const char* name;
  trace::ParameterValues values;
  bool fine = true;  ///< blocks of a few points: what a process waits for is not that of together
};

/// Predicts what the search asks for, to its end; returns how many grids.
std::uint64_t search_all(search::Strategy& strategy, model::Predictor& predictor,
                         sweep::GridBounds& bounds, std::int64_t most) {
  while (!strategy.finished()) {
    for (const search::AskedBox& asked : strategy.next_boxes(SIZE_MAX)) {
      strategy.report(asked.box, bounds(asked, most));
    }
    for (const machine::Grid& grid : strategy.next(SIZE_MAX)) {
      const auto& sums = predictor.evaluate(grid).front();
      strategy.report({grid, false, sums.execution_time, sums.efficiency});
    }
  }
  return strategy.evaluated();
}

/// Returns the number of candidates that mode 4 left.
std::uint64_t compare_modes(const SearchedProgram& of, const std::string& machine,
                            std::int64_t most, const char* iterations) {
  CAPTURE(of.name, machine, most);
  const trace::Program program = model::test::shipped_program(of.name, of.values);
  const model::ResolvedOptions resolved = model::resolve(
      {{"processes", "free"}, {"reduction", "auto"}, {"iterations", iterations}}, program);
  const model::Compiled compiled = model::compile(program);
  const machine::Cluster cluster =
      machine::Cluster::read(std::string(GRIDCAST_SOURCE_DIR) + "/configs/" + machine);
  sweep::Questions questions;
  questions.max_processors = most;
  questions.min_block = resolved.min_block;
  const search::SearchSpaces spaces = sweep::search_spaces(
      compiled.script, {cluster, questions.threads}, questions, resolved.options);
  model::Predictor predictor(compiled.script, cluster, resolved.options);
  sweep::GridBounds bounds(compiled.script, cluster, resolved.options, sweep::usual_margin);
  const auto all = search::make_strategy(search::Mode::all, spaces, {});
  search::StrategyOptions options;
  options.close = model::has_close_bounds(resolved.options);
  const auto exact = search::make_strategy(search::Mode::exact, spaces, options);
  search_all(*exact, predictor, bounds, most);
  search_all(*all, predictor, bounds, most);
  REQUIRE(exact->best().best());
  const search::Outcome& chosen = *exact->best().best();
  const search::Outcome& best = *all->best().best();
  const auto left = exact->open_boxes();
  // What is better lies in a box that was left by the margin, and the search says so.
  const bool said = std::ranges::any_of(left, [&](const search::OpenBox& open) {
    return open.box.contains(best.grid) && !(open.bound > best.execution_time);
  });
  if (!of.fine || !said) {
    CHECK(chosen.grid.text() == best.grid.text());
    CHECK(chosen.execution_time == best.execution_time);
  }
  CHECK(exact->proof()->open == 0);
  if (std::getenv("GRIDCAST_CLOSENESS") != nullptr) {
    WARN(of.name << " on " << machine << ": " << exact->evaluated() << " of " << exact->candidates()
                 << " evaluated, " << exact->proof()->left << " left");
  }
  return exact->proof()->left;
}

const std::vector<SearchedProgram> searched_programs{
    {"adi", {{"n", "40"}, {"iterations", "4"}}},
    {"cg", {{"iterations", "6"}}},
    {"fft3d", {{"n", "16"}, {"log_n", "4"}, {"steps", "2"}}},
    {"gauss", {{"n", "24"}}},
    {"heat3d", {}},
    {"jacobi1d", {}},
    {"jacobi2d", {{"n", "200"}, {"iterations", "6"}}},
    {"jacobi3d", {{"n", "24"}, {"iterations", "6"}}},
    {"multigrid", {{"n", "32"}, {"cycles", "2"}}},
    {"panels", {{"n", "13"}}},
    {"redblack", {{"n", "100"}}},
    {"sor", {{"n", "60"}, {"iterations", "4"}}},
    {"taskjacobi", {{"n", "60"}}},
    {"torus", {}}};

/// Blocks of 10^4 points on 64 processors.
const std::vector<SearchedProgram> coarse_programs{
    {"cg", {{"n", "800"}, {"iterations", "6"}}, false},
    {"heat3d", {{"n", "86"}, {"steps", "4"}}, false},
    {"jacobi2d", {{"n", "800"}, {"iterations", "6"}}, false},
    {"jacobi3d", {{"n", "86"}, {"iterations", "6"}}, false}};

}  // namespace

TEST_CASE("mode 4 of free processes chooses what mode 3 chooses") {
  for (const char* name : {"jacobi2d", "cg", "sor"}) {
    const auto found = std::ranges::find(searched_programs, std::string(name),
                                         [](const auto& each) { return std::string(each.name); });
    compare_modes(*found, "omnipath256x48.par", 24, "4");
  }
}

TEST_CASE("mode 4 of free processes chooses what mode 3 chooses, blocks of 10^4 points", "[slow]") {
  for (const SearchedProgram& program : coarse_programs) {
    for (const char* machine : {"omnipath256x48.par", "hdr128x2x32.par", "mvs15k.par"}) {
      compare_modes(program, machine, 64, "4");
    }
  }
}

TEST_CASE("mode 4 of free processes says what it left, blocks of a few points", "[slow]") {
  for (const SearchedProgram& program : searched_programs) {
    compare_modes(program, "omnipath256x48.par", 64, "4");
  }
}

TEST_CASE("mode 4 over statements over blocks ends proven") {
  for (const char* name : {"../messages/halo", "../messages/cg_doubling"}) {
    CHECK(compare_modes({name, {}}, "hdr128x2x32.par", 96, "4") == 0);
  }
}
