/// Which coordinates of a grid are on which processors of the machine (docs/model.md, "Rank
/// placement").

#include <algorithm>
#include <optional>

#include "engine.h"
#include "gridcast/base/comparable.h"
#include "gridcast/base/error.h"
#include "gridcast/machine/nodes.h"

namespace gridcast::model {
namespace {

/// The nodes that hold the first processors of a machine. A search that counts nodes refuses
/// prices that do not tell them; here there is nothing to be counted.
std::vector<machine::NodeRun> nodes_of(const machine::Cluster& cluster, std::int64_t processors) {
  try {
    return machine::NodeList(cluster, processors).first(processors);
  } catch (const InputError&) {
    return {};
  }
}

}  // namespace

using machine::Placement;

/// A permutation of processors makes another machine. Where it makes the same one, or none is
/// wanted, everything stays as it is: by classes, on a machine that is kept between grids.
void Predictor::Engine::set_placement(const machine::Grid& grid, const Placement& placement) {
  const machine::ProcessorSystem& system = details_.expand(grid);
  const bool matters =
      placement.kind != Placement::Kind::row &&
      machine::placement_matters(system, static_cast<std::size_t>(grid.processors()));
  placement_ = placement;
  details_.displace(matters ? machine::order_of(grid, placement) : std::vector<std::uint32_t>{});
}

void Predictor::Engine::place(const machine::Grid& grid) {
  if (options_.placement == Placement{}) {
    return;  // fast, also where the machine need not be expanded
  }
  if (options_.placement.kind == Placement::Kind::search) {
    search_placement(grid);
    return;
  }
  set_placement(grid, machine::placement_on(details_.expand(grid), grid, options_.placement));
}

void Predictor::Engine::search_placement(const machine::Grid& grid) {
  std::optional<Placement> best;
  double least = 0.0;
  std::vector<Characteristics> results;
  std::string reason;
  for (const Placement& each : machine::placements(details_.expand(grid), grid)) {
    set_placement(grid, each);
    evaluate_here(grid, false);
    const double time = comparable(results_.front().execution_time);
    if (!best || time < least) {
      best = each;
      least = time;
      results = results_;
    }
    reason = fallback_.empty() ? reason : fallback_;
  }
  set_placement(grid, *best);
  results_ = std::move(results);
  fallback_ = reason;  // of any of them
}

/// After the warnings of the run.
void Predictor::Engine::tell_placement(Prediction& prediction) const {
  prediction.nodes = nodes_of(*cluster_, prediction.grid.processors());
  if (options_.placement == Placement{}) {
    return;
  }
  prediction.placement = placement_;
  if (options_.placement.kind == Placement::Kind::blocked &&
      placement_.kind == Placement::Kind::row) {
    prediction.warnings.push_back("no such block fits grid " + prediction.grid.text() +
                                  " and the nodes: its coordinates fill them by row");
  }
}

}  // namespace gridcast::model
