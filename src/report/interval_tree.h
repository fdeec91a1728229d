#pragma once
/// Who is next to whom in the tree of intervals.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "gridcast/predict/prediction.h"

namespace gridcast::report {

/// Links between intervals, by index into `Prediction::intervals`.
struct IntervalLinks {
  std::optional<std::size_t> up;
  std::optional<std::size_t> previous;  ///< sibling before
  std::optional<std::size_t> next;      ///< sibling after
  std::vector<std::size_t> nested;
};

/// The links of every interval. `intervals` is depth-first, so that a parent precedes its children.
[[nodiscard]] std::vector<IntervalLinks> link_intervals(
    const std::vector<model::IntervalResult>& intervals);

/// The tree as nested lists that open and close, with efficiency bars (HTML).
[[nodiscard]] std::string tree_html(const std::vector<model::IntervalResult>& intervals,
                                    const std::vector<IntervalLinks>& links);

}  // namespace gridcast::report
