#include "boxes.h"

#include <algorithm>
#include <cmath>

namespace gridcast::model::test {

machine::Grid some_grid(const machine::GridBox& box, std::int64_t most, std::mt19937& random) {
  std::vector<std::int64_t> extents;
  std::int64_t left = most / box.least_processors();
  for (int dim = 0; dim < box.rank(); ++dim) {
    const std::int64_t last = std::min(box.last(dim), box.first(dim) * left);
    const auto choices = static_cast<std::uint64_t>(last - box.first(dim) + 1);
    extents.push_back(box.first(dim) + static_cast<std::int64_t>(random() % choices));
    left = left * box.first(dim) / extents.back();
  }
  return machine::Grid(std::span<const std::int64_t>(extents));
}

machine::GridBox some_box(int rank, std::int64_t most, std::mt19937& random) {
  machine::GridBox box(rank, most);
  box.fit(most);
  const auto depth = random() % (2 * std::bit_width(static_cast<std::uint64_t>(most)) + 1);
  for (std::uint64_t i = 0; i < depth && !box.single(); ++i) {
    auto [low, high] = box.split();
    machine::GridBox& chosen = random() % 2 == 0 && high.fit(most) ? high : low;
    chosen.fit(most);
    box = chosen;
  }
  return box;
}

BoundCheck::BoundCheck(const Script& script, const machine::Cluster& cluster,
                       const ModelOptions& options)
    : predictor_(script, cluster, options), bound_(script, cluster, options) {}

void BoundCheck::compare(const machine::GridBox& box, std::int64_t most, const machine::Grid& grid,
                         double& ratios) {
  const auto [known, fresh] = known_.try_emplace(grid.text());
  if (fresh) {
    known->second = predictor_.evaluate(grid).front();
  }
  const Characteristics& sums = known->second;
  BoxBounds bounds = bound_(box, most);
  if (box.single()) {
    CHECK(bounds.time <= sums.execution_time);
    CHECK(bounds.efficiency >= sums.efficiency);
    bounds = bound_(grid);  // as close as can be
  }
  CAPTURE(grid.text(), most, box.first_grid().text(), box.last(0), box.last(1), box.last(2),
          bounds.time, sums.execution_time);
  CHECK(bounds.time <= sums.execution_time);
  CHECK(bounds.efficiency >= sums.efficiency);
  ratios += sums.execution_time > 0.0 ? bounds.time / sums.execution_time : 1.0;
}

void BoundCheck::look(int rank, std::int64_t most, std::mt19937& random) {
  const machine::GridBox box = some_box(rank, most, random);
  const machine::Grid grid = some_grid(box, most, random);
  CHECK(box.count(most) >= 1);
  compare(box, most, grid, boxes_);
  compare(machine::GridBox(grid), grid.processors(), grid, singles_);
  ++count_;
}

std::vector<machine::Cluster> bounded_kinds(std::vector<machine::Cluster> more) {
  std::vector<machine::Cluster> machines{flat("ethernet", 75.0, 0.2),
                                         flat("transputer", 9.0, 0.0125),
                                         flat("myrinet (3)", 9.0, 0.0125),
                                         two_level(),
                                         three_level(),
                                         heterogeneous()};
  machines.insert(machines.end(), more.begin(), more.end());
  return machines;
}

double look_at_machines(const Compiled& compiled, const std::vector<machine::Cluster>& machines,
                        const ModelOptions& options, int rank, std::int64_t most, int boxes,
                        std::mt19937& random) {
  double closeness = 0.0;
  for (const machine::Cluster& cluster : machines) {
    CAPTURE(cluster.text());
    BoundCheck check(compiled.script, cluster, options);
    for (int i = 0; i < boxes; ++i) {
      check.look(rank, most, random);
    }
    closeness += check.closeness() / static_cast<double>(machines.size());
  }
  return closeness;
}

}  // namespace gridcast::model::test
