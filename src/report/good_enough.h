#pragma once
/// Internal: how few processors are good enough, for the page of a search.

#include <span>
#include <string>

#include "gridcast/report/search_html.h"

namespace gridcast::report {

/// For several tolerances the grid with the fewest processors that is at most so much slower than
/// the fastest of `points`, and how many grids are that fast. Empty for no points.
[[nodiscard]] std::string good_enough_table(std::span<const SearchPoint> points);

}  // namespace gridcast::report
