#include "gridcast/explain/losses.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string_view>

#include "gridcast/base/readable.h"
#include "gridcast/predict/predictor.h"
#include "loss_account.h"

namespace gridcast::model {
namespace {

/// Grids of as many processors that are tried: so many, fewer of long programs.
constexpr double most_grids = 64.0;
constexpr double least_grids = 4.0;

struct Case {
  const Script& script;
  const machine::Cluster& cluster;
  machine::Grid grid;
  ModelOptions options;
};

double steps_of(const Script& script, const machine::Grid& grid) {
  return static_cast<double>(script.tables().ops.size()) * static_cast<double>(grid.processors());
}

void attribute(const Case& run, LossAccount& account) {
  ModelOptions options = run.options;
  options.engine = EngineKind::reference;  // no tables of classes
  Predictor(run.script, run.cluster, options).observe(run.grid, account);
}

/// The machine with the costs of its networks halved whose names end so.
machine::Cluster halved(const machine::Cluster& cluster,
                        std::initializer_list<std::string_view> endings) {
  constexpr double microseconds = 1e6;
  machine::Cluster changed = cluster;
  for (const machine::ClusterNode& node : cluster.nodes()) {
    if (node.items.empty()) {
      continue;
    }
    for (const auto& [name, seconds] : machine::named_costs(node.network)) {
      const bool meant = std::ranges::any_of(
          endings, [&name = name](std::string_view ending) { return name.ends_with(ending); });
      if (meant && seconds > 0.0) {
        changed.set(node.name + "." + name + "=" + exact(0.5 * microseconds * seconds));
      }
    }
  }
  return changed;
}

bool same_shape(const machine::Grid& a, const machine::Grid& b) {
  for (int dim = 0; dim < machine::max_grid_rank; ++dim) {
    if (a.extent(dim) != b.extent(dim)) {
      return false;
    }
  }
  return true;
}

void add_shapes(std::vector<std::int64_t>& extents, std::size_t dim, std::int64_t left,
                std::vector<machine::Grid>& grids) {
  if (dim + 1 == extents.size()) {
    extents[dim] = left;
    grids.emplace_back(extents);
    return;
  }
  for (std::int64_t extent = 1; extent <= left; ++extent) {
    if (left % extent == 0) {
      extents[dim] = extent;
      add_shapes(extents, dim + 1, left / extent, grids);
    }
  }
}

/// Other grids of as many processors, the most even ones first.
std::vector<machine::Grid> other_shapes(const Case& run) {
  const int rank = std::clamp(static_cast<int>(run.script.header().grid_rank), run.grid.rank(),
                              machine::max_grid_rank);
  std::vector<std::int64_t> extents(static_cast<std::size_t>(rank), 1);
  std::vector<machine::Grid> grids;
  add_shapes(extents, 0, run.grid.processors(), grids);
  std::erase_if(grids, [&](const machine::Grid& grid) { return same_shape(grid, run.grid); });
  const auto largest = [](const machine::Grid& grid) {
    return *std::max_element(grid.extents().begin(), grid.extents().end());
  };
  std::stable_sort(grids.begin(), grids.end(), [&](const machine::Grid& a, const machine::Grid& b) {
    return largest(a) < largest(b);
  });
  return grids;
}

/// The fastest other grid of as many processors among those tried.
std::optional<machine::Grid> best_other_grid(const Case& run) {
  std::vector<machine::Grid> grids = other_shapes(run);
  const double affordable = 4.0 * most_loss_steps / steps_of(run.script, run.grid);
  const auto tried = static_cast<std::size_t>(std::clamp(affordable, least_grids, most_grids));
  if (grids.size() > tried) {
    grids.resize(tried);
  }
  Predictor predictor(run.script, run.cluster, run.options);
  std::optional<machine::Grid> best;
  double least = 0.0;
  for (const machine::Grid& grid : grids) {
    const double time = predictor.evaluate(grid).front().execution_time;
    if (!best || time < least) {
      best = grid;
      least = time;
    }
  }
  return best;
}

std::vector<NeighbourLoss> neighbours_of(const Case& run, const LossAccount& account,
                                         const LossKey& key) {
  std::vector<NeighbourLoss> found;
  const auto parts = account.neighbours().find(key);
  if (parts != account.neighbours().end()) {
    for (const auto& [direction, seconds] : parts->second) {
      found.push_back({{direction.begin(), direction.begin() + run.grid.rank()}, seconds});
    }
  }
  std::ranges::stable_sort(found, std::greater<>(), &NeighbourLoss::seconds);
  return found;
}

Loss loss_of(const Case& run, const LossAccount& account, const LossKey& key) {
  Loss loss;
  if (key.place != none) {
    const PlaceSpec& place = run.script.tables().places[key.place];
    loss.file = run.script.text(place.file);
    loss.line = place.line;
  } else {
    const IntervalSpec& program = run.script.tables().intervals.front();
    loss.file = run.script.text(program.file);
    loss.line = program.line;
  }
  loss.activity = key.activity;
  loss.cause = key.cause;
  if (key.network != none) {
    loss.network = run.cluster.nodes()[key.network].name;
  }
  loss.seconds = account.losses().at(key);
  loss.neighbours = neighbours_of(run, account, key);
  return loss;
}

class Explanation {
public:
  explicit Explanation(const Case& run)
      : run_(run), now_(run.options.processes == ProcessKind::free) {
    attribute(run, now_);
    result_.lost_time = now_.lost_time();
    for (const auto& [key, seconds] : now_.losses()) {
      keys_.push_back(key);
    }
    std::stable_sort(keys_.begin(), keys_.end(), [this](const LossKey& a, const LossKey& b) {
      return now_.losses().at(a) > now_.losses().at(b);
    });
    for (const LossKey& key : keys_) {
      result_.losses.push_back(loss_of(run, now_, key));
    }
  }

  void add(const std::string& change, const machine::Cluster& cluster, const machine::Grid& grid) {
    LossAccount then(false);
    attribute({run_.script, cluster, grid, run_.options}, then);
    result_.alternatives.push_back({change, then.execution_time(),
                                    then.execution_time() * then.processors(), then.lost_time()});
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      const auto found = then.losses().find(keys_[i]);
      result_.losses[i].instead.push_back(found == then.losses().end() ? 0.0 : found->second);
    }
  }

  [[nodiscard]] Losses take() { return std::move(result_); }

private:
  const Case& run_;
  LossAccount now_;
  std::vector<LossKey> keys_;  // the largest first
  Losses result_;
};

}  // namespace

Losses explain_losses(const Script& places, const machine::Cluster& cluster,
                      const machine::Grid& grid, const ModelOptions& options, double most_steps) {
  Losses omitted;
  if (options.extrapolate_iterations) {
    omitted.omitted = "iterations are extrapolated (--extrapolate-iterations)";
    return omitted;
  }
  if (steps_of(places, grid) > most_steps) {
    omitted.omitted = counted(static_cast<std::int64_t>(places.tables().ops.size()), "operation") +
                      " on " + counted(grid.processors(), "processor") +
                      " are more than is walked processor by processor (--losses=always does)";
    return omitted;
  }
  const Case run{places, cluster, grid, options};
  Explanation explanation(run);
  if (grid.processors() > 1) {
    if (const std::optional<machine::Grid> other = best_other_grid(run)) {
      explanation.add("grid " + other->text(), cluster, *other);
    }
    explanation.add("half of every start time", halved(cluster, {"TStart", "TSend", "TRecv"}),
                    grid);
    explanation.add("half of every time per byte", halved(cluster, {"TByte"}), grid);
  }
  return explanation.take();
}

}  // namespace gridcast::model
