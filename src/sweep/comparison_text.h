#pragma once
/// Mode 5 in words.

#include <string>

#include "gridcast/search/best.h"
#include "gridcast/search/strategy.h"

namespace gridcast::sweep {

/// The best grids of the heuristic and of all that are not bad, and how far they are apart.
[[nodiscard]] std::string comparison_text(const search::Comparison& comparison,
                                          const search::Goal& goal);

}  // namespace gridcast::sweep
