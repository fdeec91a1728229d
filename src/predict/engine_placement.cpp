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

void Predictor::Engine::expand(const machine::Grid& grid) {
  if (system_.processors() >= static_cast<std::size_t>(grid.processors())) {
    return;
  }
  // Twice as many as needed now, so that a search expands the machine a few times only.
  const std::int64_t most = cluster_->processors();
  const std::int64_t wanted = grid.processors();
  system_ = cluster_->expand(wanted > most ? wanted : std::min(2 * wanted, most));
  networks_.clear();
}

/// A permutation of processors makes another machine. Where it makes the same one, or none is
/// wanted, everything stays as it is: by classes, on a machine that is kept between grids.
void Predictor::Engine::set_placement(const machine::Grid& grid, const Placement& placement) {
  const bool was_displaced = displaced();
  placement_ = placement;
  order_.clear();
  if (placement.kind != Placement::Kind::row &&
      machine::placement_matters(system_, static_cast<std::size_t>(grid.processors()))) {
    order_ = machine::order_of(grid, placement);
    displaced_system_ = machine::placed(system_, order_);
  }
  if (was_displaced || displaced()) {
    networks_.clear();  // they look at the machine
  }
}

void Predictor::Engine::place(const machine::Grid& grid) {
  if (options_.placement == Placement{}) {
    return;  // fast, also where the machine need not be expanded
  }
  if (options_.placement.kind == Placement::Kind::search) {
    search_placement(grid);
    return;
  }
  expand(grid);
  set_placement(grid, machine::placement_on(system_, grid, options_.placement));
}

void Predictor::Engine::search_placement(const machine::Grid& grid) {
  expand(grid);
  std::optional<Placement> best;
  double least = 0.0;
  std::vector<Characteristics> results;
  std::string reason;
  for (const Placement& each : machine::placements(system_, grid)) {
    set_placement(grid, each);
    evaluate_here(grid);
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

void Predictor::ask(GiveUp give_up) noexcept { engine_->ask(give_up); }

void Predictor::Engine::ask(GiveUp give_up) noexcept {
  interruption_.ask(give_up);
  if (by_classes_) {
    by_classes_->ask(give_up);
  }
}

}  // namespace gridcast::model
