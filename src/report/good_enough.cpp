#include "good_enough.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "gridcast/base/comparable.h"
#include "gridcast/base/readable.h"
#include "gridcast/report/format.h"
#include "gridcast/report/page.h"

namespace gridcast::report {
namespace {

/// How much slower than the fastest grid, as a fraction of its time.
constexpr std::array tolerances{0.0, 0.01, 0.05, 0.1, 0.25, 0.5, 1.0};

struct Frugal {
  const SearchPoint* point = nullptr;  ///< fewest processors, then fastest, then the smaller grid
  std::int64_t grids = 0;              ///< as fast as that
};

/// As the search compares: the last digits of a time do not count.
bool faster(const SearchPoint& a, const SearchPoint& b) {
  const double time_a = comparable(a.execution_time);
  const double time_b = comparable(b.execution_time);
  return time_a != time_b ? time_a < time_b : machine::compare(a.grid, b.grid) < 0;
}

bool more_frugal(const SearchPoint& a, const SearchPoint& b) {
  if (a.grid.processors() != b.grid.processors()) {
    return a.grid.processors() < b.grid.processors();
  }
  return faster(a, b);
}

Frugal frugal_within(std::span<const SearchPoint> points, double limit) {
  Frugal result;
  for (const SearchPoint& point : points) {
    if (comparable(point.execution_time) > limit) {
      continue;
    }
    ++result.grids;
    if (result.point == nullptr || more_frugal(point, *result.point)) {
      result.point = &point;
    }
  }
  return result;
}

std::string tolerance_row(double tolerance, const Frugal& frugal, const SearchPoint& fastest) {
  const SearchPoint& point = *frugal.point;
  const auto saved = static_cast<double>(fastest.grid.processors() - point.grid.processors());
  return fmt::format(
      "<tr><th>{}</th><td>{}</td><td>{}</td><td>{}</td>{}<td "
      "title=\"{}\">{}</td><td>{}</td></tr>\n",
      tolerance == 0.0 ? "the fastest" : fmt::format("{:.0f} % slower", 100.0 * tolerance),
      grouped(point.grid.processors()), grid_title(point.grid),
      format_share(saved, static_cast<double>(fastest.grid.processors())),
      time_cell(point.execution_time), exact(point.efficiency), format_efficiency(point.efficiency),
      grouped(frugal.grids));
}

}  // namespace

std::string good_enough_table(std::span<const SearchPoint> points) {
  if (points.empty()) {
    return {};
  }
  const SearchPoint& fastest = *std::min_element(points.begin(), points.end(), faster);
  std::string text =
      "<section class=\"box\" id=\"good-enough\"><h2>How few processors are good enough</h2>\n"
      "<p class=\"mute\">The fewest processors with a grid at most so much slower than the fastest "
      "of the evaluated grids.</p>\n<div class=\"scroll\" tabindex=\"0\"><table><thead><tr><th>At "
      "most</th>"
      "<th>Proces&shy;sors</th><th>Grid</th><th>Processors saved</th><th>Execution time</th>"
      "<th>Efficiency</th><th>Grids as fast</th></tr></thead><tbody>\n";
  for (const double tolerance : tolerances) {
    const double limit = comparable(fastest.execution_time) * (1.0 + tolerance);
    text += tolerance_row(tolerance, frugal_within(points, limit), fastest);
  }
  return text + "</tbody></table></div></section>\n";
}

}  // namespace gridcast::report
