#pragma once
/// Compares what two engines say about the same grid.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <span>
#include <vector>

#include "gridcast/figures/figures.h"
#include "gridcast/machine/cluster.h"
#include "gridcast/machine/grid.h"
#include "gridcast/predict/predictor.h"
#include "gridcast/rules/options.h"
#include "gridcast/rules/script.h"

namespace gridcast::model::test {

inline std::vector<double> all_figures(const Characteristics& c) {
  std::vector<double> values;
  for (const Figure& figure : figures()) {
    if (figure.value != &Characteristics::efficiency) {
      values.push_back(c.*figure.value);
    }
  }
  for (const OperationTimes& times : c.operations) {
    values.insert(values.end(), {times.communication, times.synch, times.overlap});
  }
  return values;
}

inline void require_same(std::span<const Characteristics> results,
                         std::span<const Characteristics> expected, const machine::Grid& on) {
  REQUIRE(results.size() == expected.size());
  // Clocks are sums over the whole run, so a short interval late in it is known to their
  // rounding.
  const double tolerance = 1e-12 * (1.0 + std::log2(static_cast<double>(on.processors())));
  const double run = 0.01 * expected.front().execution_time;
  for (std::size_t k = 0; k < results.size(); ++k) {
    const std::vector<double> got = all_figures(results[k]);
    const std::vector<double> want = all_figures(expected[k]);
    const double longest = std::max(expected[k].execution_time, run);
    for (std::size_t f = 0; f < got.size(); ++f) {
      // Edges of a pipelined loop that queue up overlap for longer than the loop runs.
      const double scale =
          f == 0 ? longest
                 : std::max(longest * static_cast<double>(on.processors()), std::abs(want[f]));
      if (!(std::abs(got[f] - want[f]) <= tolerance * scale)) {
        CAPTURE(k, f, got[f], want[f], scale);
        FAIL("the engines differ");
      }
    }
  }
}

/// Both engines predict the same on a grid, by classes and not one by one.
inline void require_engines_agree(const Script& script, const machine::Cluster& cluster,
                                  const machine::Grid& on) {
  CAPTURE(cluster.text(), on.text());
  ModelOptions options;
  options.engine = EngineKind::reference;
  Predictor fast(script, cluster);
  Predictor reference(script, cluster, options);
  const std::span<const Characteristics> results = fast.evaluate(on);
  CHECK(fast.fallback().empty());
  require_same(results, reference.evaluate(on), on);
}

}  // namespace gridcast::model::test
