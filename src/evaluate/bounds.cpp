#include "gridcast/evaluate/bounds.h"

#include <algorithm>
#include <exception>
#include <limits>

#include "gridcast/base/error.h"

namespace gridcast::sweep {

namespace {

/// Task::bounds of those that are asked for closely.
constexpr std::int32_t close_bounds = 2;

}  // namespace

Task bound_task(const search::AskedBox& asked) {
  Task task{asked.box.first_grid()};
  task.bounds = asked.close ? close_bounds : 1;
  task.box = asked.box;
  return task;
}

GridBounds::GridBounds(const model::Script& script, const machine::Cluster& cluster,
                       const model::ModelOptions& options, double margin)
    : script_(&script), cluster_(&cluster), options_(options), margin_(margin) {}

search::BoxBounds GridBounds::operator()(const search::AskedBox& asked, std::int64_t most) {
  try {
    return bounds(asked, most);
  } catch (const std::exception&) {
    sources_.reset();  // it may stand in the middle of a prediction
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return {0.0, infinity, 0.0, infinity};
  }
}

search::BoxBounds GridBounds::bounds(const search::AskedBox& asked, std::int64_t most) {
  if (!sources_) {
    sources_.emplace(Sources{{*script_, *cluster_, options_}, std::nullopt});
    if (options_.processes == model::ProcessKind::free) {
      sources_->together.emplace(*script_, *cluster_, model::together(options_));
    }
  }
  const model::BoxBounds proven =
      asked.close ? sources_->bound(asked.box.first_grid()) : sources_->bound(asked.box, most);
  search::BoxBounds bounds{proven.time, proven.efficiency, proven.time, proven.efficiency};
  if (sources_->together && !asked.close) {
    try {
      const model::BoxBounds met = (*sources_->together)(asked.box, most);
      bounds.likely_time = std::max(proven.time, met.time / (1.0 + margin_));
      bounds.likely_efficiency = std::min(proven.efficiency, met.efficiency * (1.0 + margin_));
    } catch (const InputError&) {
      // A program that is not known together: what is proven has to do.
      sources_->together.reset();
    }
  }
  return bounds;
}

void Bounder::operator()(const Task& task, Results& results) {
  const search::BoxBounds bounds = bounds_({task.box, task.bounds == close_bounds}, most_);
  // A row that travels in place of a prediction, and is not stored.
  model::Characteristics sums{};
  sums.execution_time = bounds.time;
  sums.efficiency = bounds.efficiency;
  sums.total_time = bounds.likely_time;
  sums.productive_time = bounds.likely_efficiency;
  results.rows.push_back(store::make_row(task.grid, 0.0, sums));
  results.intervals.resize(results.rows.size() * intervals_);
}

search::BoxBounds bounds_of(const store::ResultRow& row) {
  const model::Characteristics& sums = row.characteristics;
  return {sums.execution_time, sums.efficiency, sums.total_time, sums.productive_time};
}

}  // namespace gridcast::sweep
