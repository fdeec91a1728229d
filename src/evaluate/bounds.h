#pragma once
/// Bounds of boxes of grids on the ranks that evaluate: the other kind of task of mode 4.

#include <optional>
#include <utility>

#include "gridcast/bound/box_bound.h"
#include "gridcast/evaluate/results.h"
#include "gridcast/search/strategy.h"

namespace gridcast::sweep {

/// How much longer a run takes at most if its processes meet before collective operations, as a
/// share of the free one: what mode 4 goes by where bounds prove nothing.
inline constexpr double usual_margin = 0.3;

/// The task of a box.
[[nodiscard]] Task bound_task(const search::AskedBox& asked);

/// What mode 4 goes by (docs/search.md, "Bounds of boxes", "Free processes").
class GridBounds {
public:
  /// `script` and `cluster` must outlive this object.
  GridBounds(const model::Script& script, const machine::Cluster& cluster,
             const model::ModelOptions& options, double margin);

  /// Of the grids of the box with at most `most` processors. What cannot be bounded gets bounds
  /// that exclude nothing.
  [[nodiscard]] search::BoxBounds operator()(const search::AskedBox& asked, std::int64_t most);

private:
  /// Made when they are asked for.
  struct Sources {
    model::BoxBound bound;
    std::optional<model::BoxBound> together;  ///< for free processes: if they met
  };
  [[nodiscard]] search::BoxBounds bounds(const search::AskedBox& asked, std::int64_t most);

  const model::Script* script_;
  const machine::Cluster* cluster_;
  model::ModelOptions options_;
  double margin_;
  std::optional<Sources> sources_;
};

/// Answers tasks of boxes with rows.
class Bounder {
public:
  /// `most`: processors of a candidate; `intervals`: stored per row.
  Bounder(GridBounds bounds, std::int64_t most, std::size_t intervals)
      : bounds_(std::move(bounds)), most_(most), intervals_(intervals) {}

  /// Appends a row with the bounds that a task asks for in place of a prediction.
  void operator()(const Task& task, Results& results);

private:
  GridBounds bounds_;
  std::int64_t most_;
  std::size_t intervals_;
};

/// What a row says of the box of its task.
[[nodiscard]] search::BoxBounds bounds_of(const store::ResultRow& row);

}  // namespace gridcast::sweep
