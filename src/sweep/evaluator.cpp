#include "evaluator.h"

#include <exception>
#include <span>

namespace gridcast::sweep {

search::BlockRule search_rule(mapping::BlockRule rule) noexcept {
  return rule == mapping::BlockRule::balanced ? search::BlockRule::balanced
                                              : search::BlockRule::ceil;
}

std::vector<std::int64_t> reference_extents(const model::Script& script) {
  const std::span<const std::int64_t> known = script.reference_extents();
  std::vector<std::int64_t> extents(known.begin(), known.end());
  extents.resize(static_cast<std::size_t>(script.header().grid_rank), 0);
  return extents;
}

Evaluator::Evaluator(const model::Script& script, const machine::Cluster& cluster,
                     const model::ModelOptions& options, bool intervals)
    : predictor_(script, cluster, options),
      extents_(reference_extents(script)),
      rule_(search_rule(options.block_rule)),
      intervals_(intervals ? script.tables().intervals.size() : 0) {}

void Evaluator::operator()(const machine::Grid& grid, Results& results) {
  const double evenness = search::evenness(grid, extents_, rule_);
  try {
    const std::span<const model::Characteristics> sums = predictor_.evaluate(grid);
    results.rows.push_back(store::make_row(grid, evenness, sums.front()));
    if (intervals_ > 0) {
      results.intervals.insert(results.intervals.end(), sums.begin(), sums.end());
    }
  } catch (const std::exception& error) {
    results.rows.push_back(store::make_failed_row(grid, evenness));
    results.intervals.resize(results.rows.size() * intervals_);
    results.reasons.emplace_back(error.what());
  }
}

}  // namespace gridcast::sweep
