#pragma once
/// Bounds of boxes of grids on the ranks that evaluate: the other kind of task of mode 4.

#include <optional>

#include "gridcast/bound/box_bound.h"
#include "gridcast/farm/farm.h"
#include "gridcast/search/strategy.h"

namespace gridcast::sweep {

/// The task of a box.
[[nodiscard]] Task bound_task(const machine::GridBox& box);

class Bounder {
public:
  /// `script` and `cluster` must outlive this object. `most`: processors of a candidate.
  Bounder(const model::Script& script, const machine::Cluster& cluster,
          const model::ModelOptions& options, std::int64_t most, std::size_t intervals);

  /// Appends a row with the bounds of the box in place of a prediction. What cannot be bounded gets
  /// bounds that exclude nothing.
  void operator()(const machine::GridBox& box, Results& results);

private:
  const model::Script* script_;
  const machine::Cluster* cluster_;
  model::ModelOptions options_;
  std::int64_t most_;
  std::size_t intervals_;  ///< stored per row
  std::optional<model::BoxBound> bound_;
};

/// What a row says of the box of its task.
[[nodiscard]] search::BoxBounds bounds_of(const store::ResultRow& row);

}  // namespace gridcast::sweep
