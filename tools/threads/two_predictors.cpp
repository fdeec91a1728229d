/// two_predictors M.par TRACE...: two predictors of one script in two threads at once, on the same
/// grids. Both must give what one predictor gives alone, bit for bit; the thread sanitizer sees
/// whether they share what they must not.

#include <array>
#include <cstdio>
#include <cstring>
#include <exception>
#include <thread>
#include <vector>

#include "gridcast/compile/compile.h"
#include "gridcast/machine/cluster.h"
#include "gridcast/predict/predictor.h"
#include "gridcast/trace/program.h"

namespace {

using namespace gridcast;

constexpr std::array grids{"1", "2", "4", "2x2", "4x1", "1x3", "2x3", "4x4", "64"};

/// Characteristics of the whole program on all grids; empty for a grid that is refused.
std::vector<std::vector<model::Characteristics>> results_of(const model::Script& script,
                                                            const machine::Cluster& cluster) {
  model::Predictor predictor(script, cluster);
  std::vector<std::vector<model::Characteristics>> results;
  for (const char* grid : grids) {
    const auto found = predictor.evaluate(machine::Grid::parse(grid));
    results.emplace_back(found.begin(), found.end());
  }
  return results;
}

bool same(const std::vector<std::vector<model::Characteristics>>& a,
          const std::vector<std::vector<model::Characteristics>>& b) {
  if (a.size() != b.size()) {
    return false;
  }
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].size() != b[i].size() ||
        std::memcmp(a[i].data(), b[i].data(), a[i].size() * sizeof a[i][0]) != 0) {
      return false;
    }
  }
  return true;
}

int compare(const machine::Cluster& cluster, const char* path) {
  const trace::Program program = trace::read_program({path});
  const model::Compiled compiled = model::compile(program);
  const auto alone = results_of(compiled.script, cluster);
  std::vector<std::vector<model::Characteristics>> first;
  std::vector<std::vector<model::Characteristics>> second;
  {
    std::thread other([&] { first = results_of(compiled.script, cluster); });
    second = results_of(compiled.script, cluster);
    other.join();
  }
  if (!same(alone, first) || !same(alone, second)) {
    std::fprintf(stderr, "%s: two predictors disagree with one\n", path);
    return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: two_predictors M.par TRACE...\n");
    return 2;
  }
  try {
    const machine::Cluster cluster = machine::Cluster::read(argv[1]);
    int worst = 0;
    for (int i = 2; i < argc; ++i) {
      worst |= compare(cluster, argv[i]);
    }
    return worst;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
