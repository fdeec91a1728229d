#pragma once
/// How sure the choice of a grid is (docs/search.md, "How robust the best grid is"): between which
/// values of each number of the machine it stays the best, what comes second, and how much slower
/// messages may start. Everything is predicted and searched anew, nothing is extrapolated.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gridcast/evaluate/bounds.h"
#include "gridcast/machine/cluster.h"
#include "gridcast/rules/options.h"
#include "gridcast/rules/script.h"
#include "gridcast/search/best.h"
#include "gridcast/search/candidates.h"

namespace gridcast::sweep {

/// What is asked, beside program and machine.
struct RobustnessQuestion {
  /// The candidates, one space per number of threads; they stay the same when the machine changes.
  search::SearchSpaces spaces;
  search::Goal goal;  ///< without `within`
  model::ModelOptions options;
  double margin = usual_margin;  ///< of searches of free processes
  double reach = 64.0;      ///< numbers are followed to so many times, and the same part of, them
  double precision = 0.01;  ///< relative width between a value inside and the next one outside
};

/// A number of the machine and the values for which the grid stays the best.
struct NumberRange {
  std::string name;    ///< as --set takes it: "mvs.TStart", "node.Channels", "core"
  double value = 0.0;  ///< as the machine has it, in the units of the .par file
  double low = 0.0;    ///< the least value that was tried and at which the grid is the best
  double high = 0.0;   ///< the largest one
  std::optional<search::Outcome> below;  ///< what is best just below; nothing: `low` is the reach
  std::optional<search::Outcome> above;  ///< ... just above
};

/// By how many times TStart may grow.
struct LatencyTolerance {
  std::string network;          ///< name of the cluster; empty: of all networks together
  double share = 0.0;           ///< until the run takes so much longer, 0.01: 1 %
  std::optional<double> times;  ///< nothing: it never does
};

/// How sure the best grid of a search is.
struct Robustness {
  std::optional<search::Outcome> best;  ///< nothing: no grid can be predicted
  std::optional<search::Outcome> runner_up;
  double gap = 0.0;  ///< how much worse the runner-up is, in parts of the best one's cost
  std::vector<NumberRange> ranges;
  std::vector<LatencyTolerance> tolerances;
  std::uint64_t searches = 0;
  std::uint64_t predictions = 0;
};

/// Throws InputError if no grid meets the conditions.
[[nodiscard]] Robustness find_robustness(const model::Script& script,
                                         const machine::Cluster& cluster,
                                         const RobustnessQuestion& question);

}  // namespace gridcast::sweep
