#pragma once
/// Internal: what a search with bounds has shown, as data of its page.

#include <string>

#include "gridcast/report/search_html.h"

namespace gridcast::report {

/// The member `proof` of the data of the page: an object, or null.
[[nodiscard]] std::string proof_json(const SearchReport& report, int rank);

/// The boxes of open grids, packed; empty if nothing is known of a proof.
[[nodiscard]] std::string open_data(const SearchReport& report, int rank);

}  // namespace gridcast::report
