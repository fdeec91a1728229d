#pragma once
/// Internal: all evaluated grids in the form that the page of a search reads.

#include <string>

#include "gridcast/report/search_html.h"

namespace gridcast::report {

/// Three script elements with data: `search-data` (JSON: counts and what the others hold),
/// `search-values` and `search-exact`, both deflated and in base64. Where most grids of up to so
/// many processors are there their extents are not stored: the page counts them out in the same
/// order. Values of all grids are steps of 0.1 %, coded as differences from their neighbours; those
/// of `report.details` are exact as well.
[[nodiscard]] std::string search_data(const SearchReport& report);

}  // namespace gridcast::report
