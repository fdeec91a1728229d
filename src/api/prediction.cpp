#include "gridcast/prediction.h"

#include "api.h"
#include "gridcast/figures/figures.h"
#include "gridcast/predict/predictor.h"

namespace gridcast {
inline namespace v1 {
namespace {

Interval interval_of(const model::IntervalResult& result) {
  Interval interval{result.info.parent, result.info.file, result.info.line, result.info.count, {}};
  for (const model::Figure& figure : model::figures()) {
    interval.figures[figure.name] = result.sums.*figure.value;
  }
  for (std::size_t kind = 0; kind < model::operation_count; ++kind) {
    for (const model::OperationFigure& figure : model::operation_figures) {
      interval.figures[std::string(model::operation_names[kind]) + "_" + figure.name] =
          result.sums.operations[kind].*figure.value;
    }
  }
  return interval;
}

}  // namespace

Prediction predict(const Program& program, const Machine& machine, const Grid& grid) {
  const Program::Data& data = program.data();
  const machine::Cluster cluster = machine.data().cluster.with_threads(grid.threads);
  const machine::Grid processes = inner(grid).with_threads(1);
  model::ResolvedOptions resolved = data.resolved;
  model::settle(resolved, processes.processors());
  model::Predictor predictor(data.script, cluster, resolved.options);
  const model::Prediction predicted = predictor.predict(processes);
  const model::Characteristics& sums = predicted.intervals.front().sums;
  Prediction prediction{grid, sums.execution_time, sums.efficiency, {}, data.warnings};
  prediction.warnings.insert(prediction.warnings.end(), predicted.warnings.begin(),
                             predicted.warnings.end());
  for (const model::IntervalResult& result : predicted.intervals) {
    prediction.intervals.push_back(interval_of(result));
  }
  return prediction;
}

}  // namespace v1
}  // namespace gridcast
