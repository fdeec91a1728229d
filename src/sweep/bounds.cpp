#include "bounds.h"

#include <exception>
#include <limits>

namespace gridcast::sweep {

Task bound_task(const machine::GridBox& box) {
  Task task{box.first_grid()};
  task.bounds = 1;
  task.box = box;
  return task;
}

Bounder::Bounder(const model::Script& script, const machine::Cluster& cluster,
                 const model::ModelOptions& options, std::int64_t most, std::size_t intervals)
    : script_(&script), cluster_(&cluster), options_(options), most_(most), intervals_(intervals) {}

void Bounder::operator()(const machine::GridBox& box, Results& results) {
  model::BoxBounds bounds{0.0, std::numeric_limits<double>::infinity()};
  try {
    if (!bound_) {
      bound_.emplace(*script_, *cluster_, options_);
    }
    bounds = (*bound_)(box, most_);
  } catch (const std::exception&) {
    bound_.reset();
  }
  model::Characteristics sums{};
  sums.execution_time = bounds.time;
  sums.efficiency = bounds.efficiency;
  results.rows.push_back(store::make_row(box.first_grid(), 0.0, sums));
  results.intervals.resize(results.rows.size() * intervals_);
}

search::BoxBounds bounds_of(const store::ResultRow& row) {
  return {row.characteristics.execution_time, row.characteristics.efficiency};
}

}  // namespace gridcast::sweep
