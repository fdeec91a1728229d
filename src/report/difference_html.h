#pragma once
/// Tables that pages of comparisons have in common.

#include <span>
#include <string>

#include "gridcast/report/difference.h"

namespace gridcast::report {

/// A section with the characteristics that changed: both values, difference and ratio. `note` is
/// HTML.
[[nodiscard]] std::string figures_section(std::span<const FigureDifference> figures,
                                          const std::string& note);

}  // namespace gridcast::report
