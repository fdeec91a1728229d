#include "bound_efficiency.h"

#include <algorithm>
#include <limits>

#include "bound_facts.h"
#include "bound_figures.h"

namespace gridcast::model {
namespace {

/// Sums of positive terms: so many units of rounding per operation and per processor.
constexpr double sum_rounding = 4.0 * std::numeric_limits<double>::epsilon();

/// Whether each dimension is cut by one dimension of the processor system at most.
bool is_regular(const Script& script, const PlacementSpec& placement) {
  if (placement.target == none) {
    return true;
  }
  const auto rules = script.rules(placement.rules);
  std::vector<std::int32_t> cut;
  for (const std::int64_t axis : script.ints(script.tables().targets[placement.target].axes)) {
    if (axis < 0 || static_cast<std::size_t>(axis) >= rules.size()) {
      continue;
    }
    const mapping::AxisRule& rule = rules[static_cast<std::size_t>(axis)];
    if (rule.kind == mapping::AxisRule::Kind::linear) {
      if (std::find(cut.begin(), cut.end(), rule.dim) != cut.end()) {
        return false;
      }
      cut.push_back(rule.dim);
    }
  }
  return true;
}

}  // namespace

ProductiveBound::ProductiveBound(const Script& script, const ModelOptions& options,
                                 BoundMachine& machine)
    : machine_(&machine), mapping_(script, options, machine) {
  const auto& tables = script.tables();
  regular_ =
      std::all_of(tables.placements.begin(), tables.placements.end(),
                  [&](const PlacementSpec& placement) { return is_regular(script, placement); });
  collect(script);
}

void ProductiveBound::collect(const Script& script) {
  const auto& tables = script.tables();
  const bool on_root_grid = runs_on_root_grid(script);
  std::vector<double> loops(tables.placements.size(), 0.0);
  operations_ = tables.ops.size();
  for (const Op& op : tables.ops) {
    switch (op.kind) {
      case Op::Kind::work:
        (on_root_grid ? work_ : rest_) += op.call + op.ret;
        break;
      case Op::Kind::io_work:
        io_ += op.call;
        break;
      case Op::Kind::share:
        (on_root_grid && op.b == none ? loops[op.a] : rest_) += op.call;
        break;
      case Op::Kind::pipeline:
        (on_root_grid ? loops[tables.pipelines[op.a].placement] : rest_) += op.call;
        break;
      case Op::Kind::copied:
        rest_ += op.ret;
        break;
      default:
        break;
    }
  }
  for (std::uint32_t placement = 0; placement < loops.size(); ++placement) {
    if (loops[placement] > 0.0) {
      loops_.push_back({placement, loops[placement]});
    }
  }
}

double ProductiveBound::share(std::uint32_t placement) {
  const GridShape& shape = mapping_.shape();
  const double most = 1.0 / machine_->slowest(shape.processors);
  const GridBlocks* loop = mapping_.blocks(placement);
  if (machine_->equal(shape.processors) || loop == nullptr || !loop->product() ||
      !loop->anywhere() || !(loop->elements() > 0.0)) {
    return most;
  }
  double copies = 1.0;
  for (int j = 0; j < shape.rank; ++j) {
    copies *= loop->cuts(j) ? 1.0 : loop->sizes(j).total();
  }
  // Runs of equal blocks along the last dimension are runs of processors.
  const auto last = static_cast<std::size_t>(shape.rank) - 1;
  const auto runs = loop->sizes(shape.rank - 1).runs();
  double sum = 0.0;
  for (std::int64_t row = 0; row < shape.processors; row += shape.extents[last]) {
    const GridShape::Coordinates at = shape.coordinates(row);
    double outer = loop->uncut();
    for (std::size_t j = 0; j < last; ++j) {
      outer *= loop->sizes(static_cast<int>(j)).value(at[j]);
    }
    for (std::size_t run = 0; run < runs.size() && outer > 0.0; ++run) {
      const std::int64_t end = run + 1 < runs.size() ? runs[run + 1].begin : shape.extents[last];
      sum += outer * runs[run].value *
             (machine_->inverse_sum(row + end) - machine_->inverse_sum(row + runs[run].begin));
    }
  }
  return std::min(sum / loop->elements() / copies, most);
}

double ProductiveBound::most(const machine::Grid& grid) {
  if (!regular_) {
    return std::numeric_limits<double>::infinity();
  }
  mapping_.reset(grid);
  const auto processors = static_cast<double>(grid.processors());
  double time = io_ / machine_->performance(0) +
                work_ * machine_->inverse_sum(grid.processors()) / processors +
                rest_ / machine_->slowest(grid.processors());
  for (const Loop& loop : loops_) {
    time += loop.time * share(loop.placement);
  }
  return time *
         (1.0 + bound_rounding + sum_rounding * (processors + static_cast<double>(operations_)));
}

}  // namespace gridcast::model
