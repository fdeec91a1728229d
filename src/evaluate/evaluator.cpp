#include "gridcast/evaluate/evaluator.h"

#include <exception>
#include <new>
#include <span>
#include <utility>

namespace gridcast::sweep {

std::vector<std::int64_t> reference_extents(const model::Script& script) {
  const std::span<const std::int64_t> known = script.reference_extents();
  std::vector<std::int64_t> extents(known.begin(), known.end());
  extents.resize(static_cast<std::size_t>(script.header().grid_rank), 0);
  return extents;
}

Evaluator::Evaluator(const model::Script& script, const machine::Cluster& cluster,
                     const model::ModelOptions& options, bool intervals)
    : script_(&script),
      cluster_(&cluster),
      options_(options),
      extents_(reference_extents(script)),
      rule_(options.block_rule),
      intervals_(intervals ? script.tables().intervals.size() : 0) {}

void Evaluator::operator()(const machine::Grid& grid, Results& results) {
  const double evenness = search::evenness(grid, extents_, rule_);
  try {
    if (!predictor_) {
      predictor_.emplace(*script_, *cluster_, options_);
    }
    predictor_->ask(&results.give_up);
    const std::span<const model::Characteristics> sums = predictor_->evaluate(grid);
    if (intervals_ > 0) {
      results.intervals.insert(results.intervals.end(), sums.begin(), sums.end());
    }
    results.rows.push_back(store::make_row(grid, evenness, sums.front()));
    results.rows.back().set_run(grid.threads(), machine::code_of(grid, predictor_->placement()));
  } catch (const Interrupted&) {
    predictor_.reset();  // it stands in the middle of a prediction
  } catch (const std::bad_alloc&) {
    // Gives back what this grid had taken, for smaller ones.
    predictor_.reset();
    fail(grid, evenness, {"there is not enough memory for it", store::FailureCause::memory},
         results);
  } catch (const std::exception& error) {
    fail(grid, evenness, {error.what(), store::FailureCause::prediction}, results);
  }
}

search::Outcome outcome_of(const store::ResultRow& row) {
  return {row.grid(), row.status == store::Status::failed, row.characteristics.execution_time,
          row.characteristics.efficiency, row.placement()};
}

void Evaluator::fail(const machine::Grid& grid, double evenness, Reason reason, Results& results) {
  results.rows.push_back(store::make_failed_row(grid, evenness));
  results.intervals.resize(results.rows.size() * intervals_);
  results.reasons.push_back(std::move(reason));
}

}  // namespace gridcast::sweep
