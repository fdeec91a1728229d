/// How often the heuristics of mode 1 find the true optimum, which mode 4 gives: all programs of
/// configs/programs, two problem sizes each, on machines of configs with varied networks, nodes and
/// numbers of processors (docs/search.md, "How good the heuristics are").
/// usage: gridcast_heuristics CONFIGS tune|report|both [PROGRAM...]
/// The choices of the heuristics were made on the settings of `tune`, a random half of them.

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "gridcast/bound/box_bound.h"
#include "gridcast/compile/compile.h"
#include "gridcast/machine/cluster.h"
#include "gridcast/predict/predictor.h"
#include "gridcast/retrace/merge.h"
#include "gridcast/search/strategy.h"
#include "gridcast/trace/program.h"

namespace {

using namespace gridcast;

/// A machine file, what is changed in it, and how many of its processors are used.
struct Setting {
  std::string machine;
  std::vector<std::string> assignments;
  std::int64_t processors = 1;
};

using Choices = std::vector<std::vector<std::string>>;  // per factor its values

/// All combinations of one value of each factor.
std::vector<std::vector<std::string>> combinations(const Choices& factors) {
  std::vector<std::vector<std::string>> result{{}};
  for (const auto& values : factors) {
    std::vector<std::vector<std::string>> longer;
    for (const auto& chosen : result) {
      for (const std::string& value : values) {
        longer.push_back(chosen);
        longer.back().push_back(value);
      }
    }
    result = std::move(longer);
  }
  return result;
}

void add(std::vector<Setting>& settings, const std::string& machine, const Choices& factors,
         const std::vector<std::int64_t>& processors) {
  for (const auto& assignments : combinations(factors)) {
    for (const std::int64_t count : processors) {
      settings.push_back({machine, assignments, count});
    }
  }
}

std::vector<Setting> all_settings() {
  std::vector<Setting> settings;
  add(settings, "mvs.par",
      {{"mvs.CommType=myrinet (1)", "mvs.CommType=myrinet (4)"},
       {"mvs.TStart=2", "mvs.TStart=7", "mvs.TStart=30"},
       {"mvs.TByte=0.0005", "mvs.TByte=0.004"}},
      {16, 64, 256, 1024});
  add(settings, "../tests/data/channels/cluster128x64.par",
      {{"cluster128x64.CommType=myrinet (4)", "cluster128x64.CommType=myrinet (64)"},
       {"cluster128x64.TStart=1.5", "cluster128x64.TStart=10"},
       {"node.Count=8", "node.Count=64"}},
      {32, 128, 512});
  add(settings, "../tests/data/channels/cluster3level.par",
      {{"cluster3level.TStart=2", "cluster3level.TStart=10"}, {"node.Count=8", "node.Count=64"}},
      {128, 512});
  add(settings, "../tests/data/channels/heterogeneous.par",
      {{"mixed.CommType=myrinet (1)", "mixed.CommType=myrinet (4)"},
       {"mixed.TStart=2", "mixed.TStart=20"},
       {"slow=0.4", "slow=1.2"}},
      {64, 256});
  add(settings, "workstations.par",
      {{"workstations.CommType=ethernet", "workstations.CommType=myrinet (8)"},
       {"workstations.TStart=10", "workstations.TStart=45"},
       {"workstations.Count=16", "workstations.Count=64"}},
      {64});
  return settings;
}

/// A program and its two sizes.
struct Subject {
  std::string name;
  std::vector<std::string> sizes;  // values of n
};

const std::vector<Subject> subjects{
    {"jacobi1d", {"100000", "1000000"}},
    {"jacobi2d", {"1000", "3000"}},
    {"jacobi3d", {"100", "160"}},
    {"redblack", {"1000", "3000"}},
    {"sor", {"500", "1000"}},
    {"adi", {"250", "500"}},
    {"gauss", {"100", "200"}},
    {"multigrid", {"512", "1200"}},
    {"taskjacobi", {"1000", "3000"}},
};

/// One grid is more than 2 % of fewer candidates than 50: shares say nothing there.
constexpr std::uint64_t enough = 250;

struct Sum {
  int searches = 0;
  int found = 0;
  int close = 0;  // within 0.5 %
  double regret = 0.0;
  double worst = 0.0;
  double evaluated = 0.0;
  double share = 0.0;          // of the candidates
  double largest_share = 0.0;  // of enough candidates
  std::uint64_t most = 0;

  void add(const search::Strategy& strategy, double optimum) {
    const auto best = strategy.best().best();
    const double loss = best ? best->execution_time / optimum - 1.0 : 1.0;
    const auto count = static_cast<double>(strategy.evaluated());
    ++searches;
    found += loss <= 0.0 ? 1 : 0;
    close += loss <= 0.005 ? 1 : 0;
    regret += loss;
    worst = std::max(worst, loss);
    evaluated += count;
    share += count / static_cast<double>(strategy.candidates());
    if (strategy.candidates() >= enough) {
      largest_share = std::max(largest_share, count / static_cast<double>(strategy.candidates()));
    }
    most = std::max(most, strategy.evaluated());
  }
};

using Table = std::map<std::string, std::map<std::string, Sum>>;  // by search, by program

void run(search::Strategy& strategy,
         const std::function<search::Outcome(const machine::Grid&)>& predict,
         const std::function<search::BoxBounds(const machine::GridBox&)>& bound = {}) {
  while (!strategy.finished()) {
    for (const search::AskedBox& asked : strategy.next_boxes(SIZE_MAX)) {
      strategy.report(asked.box, bound(asked.box));
    }
    for (const machine::Grid& grid : strategy.next(SIZE_MAX)) {
      strategy.report(predict(grid));
    }
  }
}

void measure(const std::string& program, const model::Script& script, const Setting& setting,
             const std::string& configs, Table& table) {
  machine::Cluster cluster = machine::Cluster::read(configs + "/" + setting.machine);
  for (const std::string& assignment : setting.assignments) {
    cluster.set(assignment);
  }
  search::SearchSpace space;
  space.rank = script.header().grid_rank;
  const auto extents = script.reference_extents();
  space.reference_extents.assign(extents.begin(), extents.end());
  space.max_processors = std::min(setting.processors, cluster.processors());
  model::Predictor predictor(script, cluster);
  model::BoxBound bound(script, cluster);
  std::map<std::string, search::Outcome> known;
  const auto predict = [&](const machine::Grid& grid) {
    const auto [place, fresh] = known.try_emplace(grid.text());
    if (fresh) {
      const model::Characteristics result = predictor.evaluate(grid).front();
      place->second = {grid, false, result.execution_time, result.efficiency};
    }
    return place->second;
  };
  search::StrategyOptions options;
  const auto exact = search::make_strategy(search::Mode::exact, space, options);
  run(*exact, predict, [&](const machine::GridBox& box) {
    const model::BoxBounds bounds = bound(box, space.max_processors);
    return search::BoxBounds{bounds.time, bounds.efficiency};
  });
  const double optimum = exact->best().best()->execution_time;
  const auto record = [&](const std::string& name, const search::Strategy& strategy) {
    table[name][program].add(strategy, optimum);
    table[name]["all"].add(strategy, optimum);
  };
  record("mode 4", *exact);
  options.heuristic = search::Heuristic::classic;
  const auto classic = search::make_strategy(search::Mode::heuristic, space, options);
  run(*classic, predict);
  record("classic", *classic);
  options.heuristic = search::Heuristic::descent;
  const auto descent = search::make_strategy(search::Mode::heuristic, space, options);
  run(*descent, predict);
  record("descent", *descent);
}

void print(const Table& table) {
  fmt::print(
      "| search | program | searches | optimum found | within 0.5 % | mean regret | worst regret | "
      "mean evaluations | most | mean share | largest share |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (const auto& [search, programs] : table) {
    for (const auto& [program, sum] : programs) {
      const double count = sum.searches;
      fmt::print(
          "| {} | {} | {} | {:.1f} % | {:.1f} % | {:.3f} % | {:.1f} % | {:.1f} | {} | {:.2f} % | "
          "{:.2f} % |\n",
          search, program, sum.searches, 100.0 * sum.found / count, 100.0 * sum.close / count,
          100.0 * sum.regret / count, 100.0 * sum.worst, sum.evaluated / count, sum.most,
          100.0 * sum.share / count, 100.0 * sum.largest_share);
    }
  }
}

void measure_all(const std::string& configs, const std::string& half,
                 const std::vector<std::string>& programs) {
  const std::vector<Setting> settings = all_settings();
  std::mt19937 random(1);
  std::vector<bool> tuned;  // on which
  for (std::size_t i = 0; i < settings.size(); ++i) {
    tuned.push_back(random() % 2 == 0);
  }
  Table table;
  for (const Subject& subject : subjects) {
    if (!programs.empty() &&
        std::find(programs.begin(), programs.end(), subject.name) == programs.end()) {
      continue;
    }
    for (const std::string& size : subject.sizes) {
      const std::filesystem::path description = configs + "/programs/" + subject.name + ".toml";
      const model::Compiled compiled =
          model::compile(trace::read_run({&description, 1}, {}, {{"n", size}}));
      for (std::size_t i = 0; i < settings.size(); ++i) {
        if (half == "both" || tuned[i] == (half == "tune")) {
          measure(subject.name, compiled.script, settings[i], configs, table);
        }
      }
    }
  }
  print(table);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() < 2) {
    fmt::print(stderr, "usage: gridcast_heuristics CONFIGS tune|report|both [PROGRAM...]\n");
    return 2;
  }
  try {
    measure_all(arguments[0], arguments[1], {arguments.begin() + 2, arguments.end()});
  } catch (const std::exception& error) {
    fmt::print(stderr, "gridcast_heuristics: {}\n", error.what());
    return 1;
  }
  return 0;
}
