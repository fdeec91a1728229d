#pragma once
/// Internal: the parts of the page of a search that have files of their own.

#include <string>

#include "gridcast/report/search_html.h"

namespace gridcast::report {

/// What could not be evaluated; empty if nothing.
[[nodiscard]] std::string failures_section(const SearchReport& report);

/// What was assumed of the programs.
[[nodiscard]] std::string assumed_note(const SearchReport& report);

/// What is proved about the chosen grid, in a sentence; empty if nobody asked.
[[nodiscard]] std::string proof_sentence(const SearchReport& report);

/// How many candidates were evaluated, excluded by bounds, and neither, as a bar; empty if their
/// number is not known.
[[nodiscard]] std::string proof_bar(const SearchReport& report);

/// The best grids, first those that leave no processor empty, as a table that the page's script
/// sorts and pages through; and why the first `most` differ, cause by cause.
[[nodiscard]] std::string best_table(const SearchReport& report);
[[nodiscard]] std::string causes_section(const SearchReport& report, std::size_t most);

/// Heat map, charts, filters, the chosen grid; scripts and data.
[[nodiscard]] std::string explorer(const SearchReport& report);
[[nodiscard]] std::string explorer_scripts(const SearchReport& report);

/// Charts of the predictions of a data set, and their scripts and data.
[[nodiscard]] std::string runs_section(const SearchReport& report);
[[nodiscard]] std::string runs_scripts(const SearchReport& report);

/// The body of a page of several variants or runs, which do not compete among themselves.
[[nodiscard]] std::string groups_body(const SearchReport& report);

}  // namespace gridcast::report
