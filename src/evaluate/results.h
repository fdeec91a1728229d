#pragma once
/// What comes of tasks: rows, and reasons where there is no prediction.

#include <functional>
#include <string>
#include <vector>

#include "gridcast/evaluate/task.h"
#include "gridcast/figures/characteristics.h"
#include "gridcast/search/best.h"
#include "gridcast/store/description.h"
#include "gridcast/store/row.h"

namespace gridcast::sweep {

/// Why a task has no prediction.
struct Reason {
  std::string text;
  store::FailureCause cause = store::FailureCause::prediction;
  bool operator==(const Reason&) const = default;
};

/// Results of a run of tasks.
struct Results {
  std::vector<store::ResultRow> rows;
  std::vector<model::Characteristics> intervals;  ///< rows x intervals per row; may be empty
  std::vector<Reason> reasons;                    ///< of the failed rows, in their order
  /// For what takes long: whether the run is at its end, so that no more rows are wanted. Empty:
  /// it is not.
  std::function<bool()> give_up;

  void clear() noexcept {
    rows.clear();
    intervals.clear();
    reasons.clear();
  }
};

/// Evaluates one task: appends exactly one row (and its intervals), or none after
/// `give_up` has said true. Must not throw: what cannot be
/// evaluated gives a failed row and its reason.
using Evaluate = std::function<void(const Task&, Results&)>;

/// What a search takes of a row.
[[nodiscard]] search::Outcome outcome_of(const store::ResultRow& row);

}  // namespace gridcast::sweep
