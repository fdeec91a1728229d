#include "bounds.h"

#include <memory>

#include "gridcast/bound/bound.h"

namespace gridcast::sweep {
namespace {

/// A bound with what it looks at.
struct Bound {
  Bound(const Inputs& inputs, const model::ModelOptions& options)
      : script(inputs.script), cluster(inputs.cluster), bound(script, cluster, options) {}
  Bound(const Bound&) = delete;
  Bound& operator=(const Bound&) = delete;
  ~Bound() = default;

  model::Script script;
  machine::Cluster cluster;
  model::LowerBound bound;
};

}  // namespace

void add_bounds(search::StrategyOptions& options, const Inputs& inputs,
                const model::ModelOptions& model_options) {
  const auto bound = std::make_shared<Bound>(inputs, model_options);
  model::LowerBound& model = bound->bound;
  options.time_bound = [bound, &model](const machine::Grid& grid) { return model(grid); };
  options.second_time_bound = [bound, &model](const machine::Grid& grid) {
    return model.thorough(grid);
  };
  options.efficiency_bound = [bound, &model](const machine::Grid& grid) {
    return model.efficiency(grid);
  };
  options.second_efficiency_bound = [bound, &model](const machine::Grid& grid) {
    return model.thorough_efficiency(grid);
  };
  options.no_slower = [bound, &model](const machine::Grid& grid) { return model.no_slower(grid); };
}

}  // namespace gridcast::sweep
