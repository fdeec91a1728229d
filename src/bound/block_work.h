#pragma once
/// Internal: what statements over blocks make processes compute (docs/search.md, "Free
/// processes").

#include <map>
#include <span>

#include "gridcast/base/interruption.h"
#include "gridcast/rules/grid_details.h"
#include "gridcast/rules/options.h"

namespace gridcast::model {

/// Bounds predictions of single grids, whether processes run free or wait for each other.
class BlockWork {
public:
  /// `script` and `cluster` must outlive it.
  BlockWork(const Script& script, const machine::Cluster& cluster, const ModelOptions& options);

  /// No process is through before it has computed what all statements say of its block: the most of
  /// any process of the grid, were it on the fastest processor, seconds. Throws InputError for
  /// statements that have no value on the grid.
  double most(const machine::Grid& grid);

private:
  void count(std::span<const Op> ops);

  Interruption interruption_;
  GridDetails details_;
  bool repeats_;                          // the grid decides how often statements are executed
  std::map<StatementId, double> counts_;  // executions of each statement that computes
};

}  // namespace gridcast::model
