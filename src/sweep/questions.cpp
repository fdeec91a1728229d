#include "gridcast/sweep/questions.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "evaluator.h"
#include "gridcast/base/error.h"
#include "gridcast/base/readable.h"
#include "gridcast/rules/memory.h"
#include "gridcast/rules/min_block.h"

namespace gridcast::sweep {
namespace {

/// A model of memory with what it looks at.
struct Memory {
  Memory(const model::Script& script, const machine::Cluster& given,
         const model::ModelOptions& options)
      : cluster(given), model(script, cluster, options) {}
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() = default;

  machine::Cluster cluster;
  model::MemoryModel model;
};

/// How long blocks must be, with what that looks at.
struct Blocks {
  Blocks(const model::Script& script, const machine::Cluster& given,
         const model::ModelOptions& options, const model::MinBlock& min)
      : cluster(given), limit(script, cluster, options, min) {}
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;
  ~Blocks() = default;

  machine::Cluster cluster;
  model::BlockLimit limit;
};

search::Conditions conditions_of(const Questions& questions, const model::Script& script,
                                 const machine::Cluster& cluster,
                                 const model::ModelOptions& options, std::int64_t most) {
  search::Conditions conditions;
  conditions.processors = questions.processors;
  conditions.fixed = questions.fixed;
  conditions.divides = questions.divides;
  if (questions.whole_nodes) {
    conditions.whole_nodes = std::make_shared<machine::NodeList>(cluster, most);
  }
  if (questions.memory_per_processor) {
    const auto memory = std::make_shared<Memory>(script, cluster, options);
    conditions.memory = search::MemoryLimit{
        *questions.memory_per_processor,
        [memory](const machine::Grid& grid) { return memory->model.peak(grid); },
        [memory](std::span<const std::int64_t> upper) { return memory->model.least(upper); }};
  }
  if (const auto min = model::MinBlock::parse(questions.min_block); min.any()) {
    const auto blocks = std::make_shared<Blocks>(script, cluster, options, min);
    auto extents = blocks->limit.extents(most);
    // Edges of one element, or none: no block is too short.
    if (!extents || !std::ranges::all_of(*extents, &std::vector<std::int64_t>::empty)) {
      conditions.min_block = search::BlockCondition{
          min.text(), [blocks](const machine::Grid& grid) { return blocks->limit.admits(grid); },
          std::move(extents)};
    }
  }
  return conditions;
}

}  // namespace

search::SearchSpace search_space(const model::Script& script, const machine::Cluster& cluster,
                                 const Questions& questions, const model::ModelOptions& options) {
  const std::int64_t available = cluster.processors();
  std::int64_t most = questions.max_processors.value_or(available);
  if (most < 1) {
    throw InputError(fmt::format("--max-processors {}", most), "expected a number of at least 1");
  }
  if (questions.processors) {
    most = std::min(most, questions.processors->last());
  }
  search::SearchSpace space;
  space.rank = script.header().grid_rank;
  space.reference_extents = reference_extents(script);
  space.max_processors = std::min(most, available);
  space.block_rule = search_rule(options.block_rule);
  space.conditions = conditions_of(questions, script, cluster, options, space.max_processors);
  return space;
}

search::Goal goal_on(const machine::Cluster& cluster, search::Goal goal, std::int64_t most) {
  if (goal.objective == search::Objective::node_hours) {
    goal.nodes = std::make_shared<machine::NodeList>(cluster, most);
  }
  return goal;
}

void require_candidates(const search::SearchSpace& space, std::uint64_t candidates) {
  if (candidates > 0 || !space.conditions.any()) {
    return;
  }
  std::string least;
  if (space.conditions.memory) {
    search::SearchSpace without = space;
    without.conditions.memory.reset();
    search::CandidateStream stream(without, search::Selection::all);
    double bytes = std::numeric_limits<double>::infinity();
    while (const auto grid = stream.next()) {
      bytes = std::min(bytes, space.conditions.memory->need(*grid));
    }
    if (bytes < std::numeric_limits<double>::infinity()) {
      least =
          fmt::format(": the least memory that a grid needs is {:.0f} bytes per processor", bytes);
    }
  }
  throw InputError(fmt::format("no grid up to {} processors meets the conditions {}{}",
                               space.max_processors, space.conditions.text(), least),
                   "expected conditions that some grid meets");
}

}  // namespace gridcast::sweep
