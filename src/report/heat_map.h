#pragma once
/// Internal: times over P1 x P2 as a picture that answers to the pointer and the keyboard, for the
/// page of a search.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gridcast/report/search_html.h"

namespace gridcast::report {

/// Times of all grids P1 x P2 with at most `processors` processors, in the order of P1 then P2,
/// without their coordinates: 0 for a grid that was not evaluated, else 1 + round(ln(t / least) /
/// ln 1.001).
struct HeatMap {
  std::int64_t processors = 0;
  double least = 0.0;  ///< seconds
  std::vector<std::uint16_t> levels;
};

/// Grids of more dimensions count as the fastest of those with the same first two extents.
[[nodiscard]] HeatMap heat_map(std::span<const SearchPoint> points);

/// The levels as differences of neighbours, low bytes before high bytes, deflated, in base64.
[[nodiscard]] std::string packed_levels(const HeatMap& map);

/// The figure; empty for grids of one dimension and for more cells than a page can hold.
[[nodiscard]] std::string heat_map_figure(const SearchReport& report);

}  // namespace gridcast::report
