#include "bounds.h"

#include <memory>

#include "gridcast/model/bound.h"

namespace gridcast::sweep {
namespace {

/// A bound with what it looks at.
struct Bound {
  Bound(const Inputs& inputs, const model::ModelOptions& options)
      : script(inputs.script), cluster(inputs.cluster), time(script, cluster, options) {}
  Bound(const Bound&) = delete;
  Bound& operator=(const Bound&) = delete;
  ~Bound() = default;

  model::Script script;
  machine::Cluster cluster;
  model::LowerBound time;
};

}  // namespace

void add_bounds(search::StrategyOptions& options, const Inputs& inputs,
                const model::ModelOptions& model_options) {
  const auto bound = std::make_shared<Bound>(inputs, model_options);
  options.time_bound = [bound](const machine::Grid& grid) { return bound->time(grid); };
}

}  // namespace gridcast::sweep
