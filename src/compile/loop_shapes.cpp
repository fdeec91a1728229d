#include "gridcast/compile/loop_shapes.h"

#include <algorithm>
#include <cmath>

#include "gridcast/compile/compile.h"
#include "gridcast/rules/grid_mapping.h"
#include "gridcast/rules/loop_part.h"
#include "gridcast/rules/pipeline.h"

namespace gridcast::model {
namespace {

constexpr std::size_t most_points = 64;

/// Processors on which the blocks of a traced grid lie; nothing is predicted on them.
machine::Cluster any_machine(std::int64_t processors) {
  return machine::Cluster::parse("cluster = c;\nc = {" + std::to_string(processors) +
                                     " x p};\nc.CommType = ports;\nc.TStart = 0;\nc.TByte = 0;\n"
                                     "p = 1;\n",
                                 "the traced grid");
}

/// The shape of the largest part of a loop that a processor executes without a break; the library
/// cuts a pipelined one into portions by Tirecv and Twrecv.
ShapePoint largest_part(GridMapping& mapping, const mapping::Layout& loop, const LoopPart& part,
                        const PipelineSpec* pipelined, double call) {
  std::vector<std::int64_t> largest(loop.extents().size(), 0);
  mapping.for_each_holder(loop, [&](const Holder& holder) {
    const LoopPart::Extents extents = part.extents(holder.block());
    for (std::size_t dim = 0; dim < largest.size(); ++dim) {
      largest[dim] = std::max(largest[dim], extents[dim]);
    }
  });
  Pipeline pipeline(mapping);
  if (pipelined != nullptr && mapping.processors() > 1 && pipeline.prepare(*pipelined, call)) {
    pipeline.first_extents(largest);
  }
  return shape_of(largest);
}

}  // namespace

void LoopShapes::add(const trace::Program& run, bool on_grid) {
  const Script script = compile(run, Detail::places).script;
  const auto& tables = script.tables();
  const bool cut = on_grid && !run.traced_grid.empty();
  const machine::Grid grid = cut ? machine::Grid(run.traced_grid) : machine::Grid();
  const machine::Cluster cluster = any_machine(grid.processors());
  const machine::ProcessorSystem system = cluster.expand(grid.processors());
  ModelOptions options;
  options.portions = PortionChoice::trace;
  GridMapping mapping(script, options);
  mapping.reset(grid, system);
  std::map<std::pair<decltype(loops_)::key_type, Shapes::key_type>, std::vector<Sum>> executed;
  for (const Op& op : tables.ops) {
    const PipelineSpec* const pipeline =
        op.kind == Op::Kind::pipeline ? &tables.pipelines[op.pipeline()] : nullptr;
    if ((pipeline == nullptr && op.kind != Op::Kind::share) || op.place == none) {
      continue;
    }
    const mapping::Layout& loop =
        mapping.layout(pipeline != nullptr ? pipeline->placement : op.placement());
    const LoopPart part(loop.extents(), script, pipeline != nullptr ? PortionId() : op.portion());
    const ShapePoint shape = largest_part(mapping, loop, part, pipeline, op.call);
    if (!(part.iterations() > 0.0 && shape.outer * shape.inner > 0.0 && op.call > 0.0)) {
      continue;
    }
    const PlaceSpec& place = tables.places[op.place];
    executed[{{std::string(script.text(place.file)), place.line}, {shape.outer, shape.inner}}]
        .push_back({op.call, part.iterations()});
  }
  for (const auto& [at, calls] : executed) {
    add(calls, loops_[at.first][at.second]);
  }
}

void LoopShapes::add(const std::vector<Sum>& calls, Sum& sum) {
  // The first call of dopl_ only begins the loop: it takes next to nothing.
  constexpr double begins = 0.1;
  double most = 0.0;
  for (const Sum& call : calls) {
    most = std::max(most, call.seconds / call.iterations);
  }
  for (const Sum& call : calls) {
    if (call.seconds / call.iterations > begins * most) {
      sum.seconds += call.seconds;
      sum.iterations += call.iterations;
    }
  }
}

bool LoopShapes::any() const {
  return std::any_of(loops_.begin(), loops_.end(),
                     [](const auto& loop) { return loop.second.size() > 1; });
}

bool LoopShapes::shares_loop_with(const LoopShapes& other) const {
  return std::any_of(loops_.begin(), loops_.end(),
                     [&](const auto& loop) { return other.loops_.contains(loop.first); });
}

std::vector<ShapePoint> LoopShapes::points(const std::string& file, std::int64_t line) const {
  const auto found = loops_.find({file, line});
  if (found == loops_.end() || found->second.size() < 2) {
    return {};
  }
  // Neighbours within a part of an octave become one until there are few enough.
  constexpr double finest = 32.0;
  for (double parts = finest;; parts /= 2.0) {
    struct Cell {
      double seconds = 0.0, iterations = 0.0, outer = 0.0, inner = 0.0;
    };
    const bool all = parts == finest && found->second.size() <= most_points;
    std::map<std::pair<double, double>, Cell> cells;
    for (const auto& [extents, sum] : found->second) {
      const auto rounded = [&](double extent) {
        return all ? extent : std::round(parts * std::log2(extent));
      };
      Cell& cell = cells[{rounded(extents.first), rounded(extents.second)}];
      cell.seconds += sum.seconds;
      cell.iterations += sum.iterations;
      cell.outer += sum.iterations * extents.first;
      cell.inner += sum.iterations * extents.second;
    }
    if (cells.size() > most_points) {
      continue;
    }
    std::vector<ShapePoint> points;
    points.reserve(cells.size());
    for (const auto& [key, cell] : cells) {
      points.push_back({cell.outer / cell.iterations, cell.inner / cell.iterations,
                        cell.seconds / cell.iterations});
    }
    return points;
  }
}

}  // namespace gridcast::model
