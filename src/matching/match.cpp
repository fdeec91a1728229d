#include "gridcast/matching/match.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "gridcast/compile/compile.h"
#include "gridcast/predict/assumed.h"
#include "gridcast/predict/predictor.h"
#include "match_rules.h"

namespace gridcast::matching {
namespace {

/// Ordered grids of so many processors.
void add_factorings(std::int64_t processors, std::int32_t rank, std::vector<std::int64_t>& extents,
                    std::vector<machine::Grid>& grids) {
  if (rank <= 1) {
    extents.push_back(processors);
    grids.emplace_back(extents);
    extents.pop_back();
    return;
  }
  for (std::int64_t extent = 1; extent <= processors; ++extent) {
    if (processors % extent == 0) {
      extents.push_back(extent);
      add_factorings(processors / extent, rank - 1, extents, grids);
      extents.pop_back();
    }
  }
}

/// The grid with the least predicted time, and that time.
std::pair<machine::Grid, double> best_grid(const model::Script& script,
                                           const machine::Cluster& cluster, std::int64_t processors,
                                           const model::ModelOptions& options) {
  std::vector<std::int64_t> extents;
  std::vector<machine::Grid> grids;
  add_factorings(processors, script.header().grid_rank, extents, grids);
  model::Predictor predictor(script, cluster, options);
  std::pair<machine::Grid, double> best{grids.front(), std::numeric_limits<double>::infinity()};
  for (const machine::Grid& grid : grids) {
    const double time = predictor.evaluate(grid).front().execution_time;
    if (time < best.second) {
      best = {grid, time};
    }
  }
  return best;
}

std::int64_t common_processors(const std::vector<NamedMachine>& machines,
                               const MatchSettings& settings) {
  constexpr std::int64_t enough = 64;
  std::int64_t count = settings.processors > 0 ? settings.processors : enough;
  if (settings.processors == 0) {
    for (const NamedMachine& machine : machines) {
      count = std::min(count, machine.cluster.processors());
    }
  }
  return count;
}

std::vector<Improvement> improvements(const model::Script& script, const Match& match,
                                      const machine::Cluster& cluster,
                                      const model::ModelOptions& options, double factor) {
  std::vector<Improvement> result;
  for (const std::string& change : changes_of(cluster, factor)) {
    machine::Cluster changed = cluster;
    changed.set(change);
    const double time =
        model::Predictor(script, changed, options).evaluate(match.grid).front().execution_time;
    result.push_back({change, time, match.predicted > 0.0 ? 1.0 - time / match.predicted : 0.0});
  }
  std::ranges::stable_sort(
      result, [](const Improvement& a, const Improvement& b) { return a.gain > b.gain; });
  return result;
}

/// Ranks from 1; equal values get the mean of theirs.
std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> result(values.size());
  for (std::size_t i = 0; i < order.size();) {
    std::size_t end = i;
    while (end < order.size() && values[order[end]] == values[order[i]]) {
      ++end;
    }
    for (std::size_t j = i; j < end; ++j) {
      result[order[j]] = 0.5 * static_cast<double>(i + 1 + end);
    }
    i = end;
  }
  return result;
}

std::vector<std::vector<double>> similarities(const std::vector<Measures>& all) {
  std::vector<std::vector<double>> matrix;
  for (const Measures& a : all) {
    matrix.emplace_back();
    for (const Measures& b : all) {
      matrix.back().push_back(similarity(a, b));
    }
  }
  return matrix;
}

}  // namespace

double similarity(const Measures& a, const Measures& b) {
  std::set<std::string> names;
  for (const Measures* one : {&a, &b}) {
    for (const auto& [name, value] : *one) {
      names.insert(name);
    }
  }
  if (names.empty()) {
    return 1.0;
  }
  double sum = 0.0;
  for (const std::string& name : names) {
    const auto first = a.find(name);
    const auto second = b.find(name);
    if (first == a.end() || second == b.end()) {
      continue;
    }
    const double one = std::abs(first->second);
    const double other = std::abs(second->second);
    const double larger = std::max(one, other);
    sum += larger > 0.0 ? std::min(one, other) / larger : 1.0;
  }
  return sum / static_cast<double>(names.size());
}

double rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() < 2) {
    return 1.0;
  }
  const std::vector<double> x = ranks(a);
  const std::vector<double> y = ranks(b);
  const double mean = 0.5 * static_cast<double>(a.size() + 1);
  double xy = 0.0;
  double xx = 0.0;
  double yy = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
  }
  return xx > 0.0 && yy > 0.0 ? xy / std::sqrt(xx * yy) : 1.0;
}

std::vector<std::size_t> Matching::machines_for(std::size_t program) const {
  std::vector<std::size_t> order(machines.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return match(program, a).estimate < match(program, b).estimate;
  });
  return order;
}

std::vector<std::size_t> Matching::programs_for(std::size_t machine) const {
  std::vector<std::size_t> order(programs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return match(a, machine).degree > match(b, machine).degree;
  });
  return order;
}

Matching match_all(const std::vector<NamedProgram>& programs,
                   const std::vector<NamedMachine>& machines, const MatchSettings& settings) {
  Matching result;
  result.processors = common_processors(machines, settings);
  for (const NamedMachine& machine : machines) {
    result.machines.push_back(machine.name);
    result.machine_measures.push_back(machine_measures(machine.cluster, result.processors));
  }
  std::vector<double> estimates;
  std::vector<double> predictions;
  for (std::size_t p = 0; p < programs.size(); ++p) {
    const trace::Program& program = programs[p].program;
    model::ResolvedOptions resolved = programs[p].resolved;
    settle(resolved, result.processors);
    const model::ModelOptions& options = resolved.options;
    result.programs.push_back(programs[p].name);
    result.assumed.push_back(model::without_conditions(std::move(resolved.assumed)));
    const model::Compiled compiled = model::compile(program);
    for (std::size_t m = 0; m < machines.size(); ++m) {
      const machine::Cluster& cluster = machines[m].cluster;
      Match match;
      match.program = p;
      match.machine = m;
      std::tie(match.grid, match.predicted) =
          best_grid(compiled.script, cluster, result.processors, options);
      match.resources = resource_times(compiled.script, cluster, match.grid, options);
      for (const ResourceTime& resource : match.resources) {
        match.estimate += resource.seconds;
      }
      match.degree = match.predicted > 0.0 && !match.resources.empty()
                         ? std::min(1.0, match.resources.front().seconds / match.predicted)
                         : 1.0;
      match.improvements = improvements(compiled.script, match, cluster, options, settings.factor);
      estimates.push_back(match.estimate);
      predictions.push_back(match.predicted);
      result.matches.push_back(std::move(match));
    }
    result.program_measures.push_back(program_measures(program, result.match(p, 0).grid, options));
  }
  result.program_similarity = similarities(result.program_measures);
  result.machine_similarity = similarities(result.machine_measures);
  result.rank_correlation = rank_correlation(estimates, predictions);
  return result;
}

}  // namespace gridcast::matching
