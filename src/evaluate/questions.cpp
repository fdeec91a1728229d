#include "gridcast/evaluate/questions.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "gridcast/base/error.h"
#include "gridcast/base/readable.h"
#include "gridcast/evaluate/evaluator.h"
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
                                 const model::ModelOptions& options,
                                 const search::SearchSpace& space) {
  const std::int64_t most = space.max_processors;
  search::Conditions conditions;
  if (questions.processors) {
    conditions.processors = questions.processors->per_process(space.threads);
  }
  conditions.fixed = questions.fixed;
  conditions.divides = questions.divides;
  if (questions.whole_nodes) {
    conditions.whole_nodes = std::make_shared<machine::NodeList>(cluster, most);
  }
  if (questions.memory_per_processor) {
    const auto memory = std::make_shared<Memory>(script, cluster, options);
    const double share = 1.0 / space.threads;
    conditions.memory = search::MemoryLimit{
        *questions.memory_per_processor,
        [memory, share](const machine::Grid& grid) { return share * memory->model.peak(grid); },
        [memory, share](std::span<const std::int64_t> upper) {
          return share * memory->model.least(upper);
        }};
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

/// Of at most `most` processors of the machine; nothing if a process takes more.
std::optional<search::SearchSpace> space_for(const model::Script& script,
                                             const machine::Cluster& cluster, std::int32_t threads,
                                             const Questions& questions,
                                             const model::ModelOptions& options,
                                             std::int64_t most) {
  search::SearchSpace space;
  space.rank = script.header().grid_rank;
  space.reference_extents = reference_extents(script);
  space.max_processors = std::min(most / threads, cluster.processors());
  space.block_rule = options.block_rule;
  space.threads = threads;
  if (space.max_processors == 0) {
    return std::nullopt;
  }
  space.conditions = conditions_of(questions, script, cluster, options, space);
  return space;
}

}  // namespace

std::int64_t most_processors(const Questions& questions, const machine::Cluster& cluster) {
  const std::int64_t available = cluster.processors();
  std::int64_t most = questions.max_processors.value_or(available);
  if (most < 1) {
    throw InputError(fmt::format("--max-processors {}", most), "expected a number of at least 1");
  }
  if (questions.processors) {
    most = std::min(most, questions.processors->last());
  }
  return std::min(most, available);
}

search::SearchSpaces search_spaces(const model::Script& script,
                                   const machine::ThreadedClusters& clusters,
                                   const Questions& questions, const model::ModelOptions& options) {
  const std::int64_t most = most_processors(questions, clusters.whole());
  search::SearchSpaces spaces;
  search::SearchSpaces impossible;
  for (const std::int32_t threads : clusters.numbers()) {
    auto space = space_for(script, clusters.of(threads), threads, questions, options, most);
    if (space) {
      (space->conditions.next_number(1, space->max_processors) ? spaces : impossible)
          .push_back(std::move(*space));
    }
  }
  if (spaces.empty() && impossible.empty()) {
    throw InputError(fmt::format("no process of {} threads fits into {}",
                                 clusters.numbers().front(), counted(most, "processor")),
                     "expected more processors or fewer threads");
  }
  // Where none is possible validate() says why.
  return spaces.empty() ? impossible : spaces;
}

search::SearchSpace search_space(const model::Script& script, const machine::Cluster& cluster,
                                 const Questions& questions, const model::ModelOptions& options) {
  return search_spaces(script, {cluster, machine::one_thread}, questions, options).front();
}

search::Goal goal_on(const machine::ThreadedClusters& clusters, search::Goal goal,
                     std::int64_t most) {
  if (goal.objective == search::Objective::node_hours) {
    goal.nodes = std::make_shared<machine::NodeList>(clusters.whole(), most, clusters.numbers());
  }
  return goal;
}

search::Mode search_mode(std::optional<search::Mode> given, const machine::Cluster& cluster) {
  if (given) {
    return *given;
  }
  const search::Mode of_machine = search::mode_from_number(cluster.search_mode());
  return of_machine == search::Mode::none ? search::Mode::exact : of_machine;
}

machine::Grid start_grid(const machine::Cluster& cluster) {
  return cluster.topology().value_or(machine::Grid());
}

void start_at(search::SearchSpaces& spaces, const machine::Grid& start, search::Mode mode) {
  const auto fits = [&start](const search::SearchSpace& space) {
    return start.processors() <= space.max_processors;
  };
  const bool anywhere = std::ranges::any_of(spaces, fits) && mode != search::Mode::none;
  for (search::SearchSpace& space : spaces) {
    space.start = anywhere && !fits(space) ? machine::Grid() : start;
    search::validate(space);
  }
}

void require_candidates(std::span<const search::SearchSpace> spaces, std::uint64_t candidates) {
  const search::Conditions& conditions = spaces.front().conditions;
  if (candidates > 0 || !conditions.any()) {
    return;
  }
  double bytes = std::numeric_limits<double>::infinity();
  for (search::SearchSpace space : spaces) {
    const auto memory = std::exchange(space.conditions.memory, std::nullopt);
    if (!memory) {
      break;
    }
    search::CandidateStream stream(space, search::Selection::all);
    while (const auto grid = stream.next()) {
      bytes = std::min(bytes, memory->need(*grid));
    }
  }
  const std::string least =
      bytes < std::numeric_limits<double>::infinity()
          ? fmt::format(": the least memory that a grid needs is {:.0f} bytes per processor", bytes)
          : "";
  throw InputError(fmt::format("no grid up to {} processors meets the conditions {}{}",
                               search::most_cores(spaces), conditions.text(), least),
                   "expected conditions that some grid meets");
}

}  // namespace gridcast::sweep
