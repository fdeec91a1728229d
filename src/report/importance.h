#pragma once
/// Internal: how far the extents of a grid decide its execution time.

#include <string>
#include <vector>

#include "gridcast/report/search_html.h"

namespace gridcast::report {

/// Correlation ratio (eta squared) of one number of a grid: the share of the variance of the
/// logarithm of the execution time that lies between groups of grids with an equal number, 0 to 1.
struct Importance {
  std::string name;  ///< "P1" to "P4", "processors"
  double ratio = 0.0;
};

/// Of each extent and of the number of processors over `points`, which have `rank` extents; does
/// not depend on their order. Empty if all times are equal, or one is 0.
[[nodiscard]] std::vector<Importance> importance_of(const std::vector<SearchPoint>& points,
                                                    int rank);

}  // namespace gridcast::report
