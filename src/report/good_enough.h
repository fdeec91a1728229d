#pragma once
/// Internal: how few processors are good enough, for the page of a search.

#include <string>

#include "gridcast/report/search_html.h"

namespace gridcast::report {

/// The front of a search: a table of nodes, or of processors where nodes hold one, beside a chart.
[[nodiscard]] std::string good_enough_section(const SearchReport& report);

/// Whether a row of every candidate of the mode is there, so that a staircase of rows is the front.
[[nodiscard]] bool every_candidate_evaluated(const SearchReport& report) noexcept;

/// Extents of a grid for the script of the page, and with `threads` its threads: "[8,4,2]".
[[nodiscard]] std::string grid_numbers(const machine::Grid& grid, bool threads);

/// The front and whether every candidate was evaluated, for the script of the page:
/// "front":[...],"staircase":true.
[[nodiscard]] std::string front_members(const SearchReport& report);

}  // namespace gridcast::report
