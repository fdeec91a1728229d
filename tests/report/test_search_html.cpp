#include <algorithm>
#include <catch2/catch.hpp>
#include <sstream>

#include "files.h"
#include "gridcast/report/search_html.h"
#include "sample.h"

namespace gridcast::report::test {
namespace {

std::string page(const SearchReport& report) {
  std::ostringstream out;
  write_search_html(out, report);
  return out.str();
}

/// The grids of the table of the best, in order.
std::vector<std::string> best_grids(const std::string& text) {
  std::vector<std::string> grids;
  const std::size_t end = text.find("</section>", text.find("id=\"best-grids\""));
  std::size_t at = text.find("<tbody>", text.find("id=\"best-grids\""));
  while ((at = text.find("</th><td>", at)) < end) {
    at += 9;
    grids.push_back(text.substr(at, text.find("</td>", at) - at));
  }
  return grids;
}

}  // namespace

TEST_CASE("the page of a search is well-formed and lists best grids, charts and failures") {
  const auto path = write_sample(
      "search.html", [](std::ostream& out) { write_search_html(out, sample_search()); });
  CHECK(python_accepts("check_html.py", path));
  const std::string text = page(sample_search());
  const std::vector<std::string> grids = best_grids(text);
  REQUIRE(grids.size() == 20);
  // 2 / (p1 p2) + 0.002 (p1 + 2 p2): 12x5 gives 0.0773, 10x6 0.0773, 11x5 0.0784, 12x5 wins none:
  // equal times are broken by the smaller grid.
  CHECK(grids[0] == "10×6");
  CHECK(grids[1] == "12×5");
  CHECK(std::count(text.begin(), text.end(), '\n') > 100);
  CHECK(contains(text, "<tr class=\"chosen\"><th>1</th><td>10×6</td>"));
  CHECK(contains(text, "2 grids failed"));
  CHECK(contains(text, "&lt;shadow&gt; is wider than the block"));
  CHECK(text.find("<th>2×3</th>") < text.find("<th>7×9</th>"));
  CHECK(contains(text, "jac2d&lt;10000&gt;.ptr"));
}

TEST_CASE("the page does not depend on the order of the rows") {
  SearchReport report = sample_search();
  const std::string text = page(report);
  std::reverse(report.points.begin(), report.points.end());
  std::reverse(report.failures.begin(), report.failures.end());
  CHECK(page(report) == text);
}

TEST_CASE("an efficiency limit and the efficiency objective order the grids") {
  SearchReport report = sample_search();
  report.min_efficiency = 0.9;
  // Efficiency 1 / (1 + 0.001 p1 p2 (p1 + 2 p2)) >= 0.9 where p1 p2 (p1 + 2 p2) <= 111.1; the
  // fastest is 6x2 (120, no), 5x2 (90): 0.2 + 0.018 = 0.218; 3x3 (81): 0.2402; 10x1 (120, no).
  CHECK(best_grids(page(report))[0] == "5×2");
  report.min_efficiency.reset();
  report.objective = "efficiency";
  // The one-processor grid (0.997) is left for last; 2x1 costs 2 * 4, 1x2 costs 2 * 5.
  const std::vector<std::string> grids = best_grids(page(report));
  CHECK(grids[0] == "2×1");
  CHECK(grids[1] == "1×2");
  CHECK(std::find(grids.begin(), grids.end(), "1") == grids.end());
  CHECK(std::find(grids.begin(), grids.end(), "1×1") == grids.end());
}

TEST_CASE("the charts carry one point per number of processors") {
  const std::string text = page(sample_search());
  std::size_t dots = 0;
  for (std::size_t at = 0; (at = text.find("<circle class=\"dot\"", at)) != std::string::npos;
       ++at) {
    ++dots;
  }
  CHECK(dots == 128);  // 64 in each of two charts
  CHECK(contains(text, "Ring: the best grid, 10×6: 77.33 ms, efficiency 0.4310."));
}

TEST_CASE("a search without results, or stopped early, says so") {
  SearchReport report;
  report.complete = false;
  const std::string text = page(report);
  CHECK(contains(text, "No grid was evaluated."));
  CHECK(contains(text, "not finished"));
  const auto path =
      write_sample("search_empty.html", [&](std::ostream& out) { write_search_html(out, report); });
  CHECK(python_accepts("check_html.py", path));
}

TEST_CASE("the page says which grids the fastest one was chosen from") {
  SearchReport report = sample_search();
  CHECK(contains(page(report), "<dt>Best grid</dt>"));
  CHECK(contains(page(report), "of the fastest grid for each number of processors<"));
  CHECK(contains(page(report), "<h2>The 20 best grids</h2>"));
  report.mode = 2;
  CHECK(contains(page(report), "<dt>Best grid that leaves no processor empty</dt>"));
  CHECK(contains(page(report), "processors, of those that leave no processor empty<"));
  report.mode = 1;
  CHECK(contains(page(report), "<dt>Best grid found</dt>"));
  CHECK(contains(page(report), "<h2>The 20 best grids of those evaluated</h2>"));
  CHECK(contains(page(report), "fastest evaluated grid for each number"));
  report.complete = false;
  report.mode = 3;
  CHECK(contains(page(report), "<dt>Best grid so far</dt>"));
  CHECK(contains(page(report), "fastest evaluated grid for each number"));
  report.candidates = -1;
  report.not_bad = -1;
  CHECK_FALSE(contains(page(report), "candidates"));
}

TEST_CASE("predictions with different inputs are not ranked together") {
  SearchReport report = sample_search();
  report.groups = {{"variant 0, <c>.TStart 1", 3, 1, report.points[5]},
                   {"variant 1", 2, 2, std::nullopt}};
  const auto path =
      write_sample("groups.html", [&](std::ostream& out) { write_search_html(out, report); });
  CHECK(python_accepts("check_html.py", path));
  const std::string text = page(report);
  CHECK(contains(text, "<td class=\"l\">variant 0, &lt;c&gt;.TStart 1</td><td>3</td><td>1</td>"));
  CHECK(contains(text, "<td class=\"l\">variant 1</td><td>2</td><td>2</td><td>none</td>"));
  CHECK_FALSE(contains(text, "best grids"));
  CHECK_FALSE(contains(text, "<svg"));
}

TEST_CASE("best.html carries the prediction of the best grid") {
  SearchReport report = sample_search();
  report.best_prediction = sample_prediction();
  const auto path =
      write_sample("best.html", [&](std::ostream& out) { write_search_html(out, report); });
  CHECK(python_accepts("check_html.py", path, {"sections=7", "1:effic=0.8500", "3:line=12"}));
}

TEST_CASE("the page says how few processors are good enough") {
  // By hand from 2 / (p1 p2) + 0.002 (p1 + 2 p2), least 0.0773: grid with the fewest processors and
  // number of grids within each tolerance.
  const std::string text = page(sample_search());
  const std::size_t begin = text.find("id=\"good-enough\"");
  const std::string table = text.substr(begin, text.find("</section>", begin) - begin);
  const auto has_row = [&table](const std::string& limit, int processors, const std::string& grid,
                                int grids) {
    const std::string head = "<tr><th>" + limit + "</th><td>" + std::to_string(processors) +
                             "</td><td>" + grid + "</td>";
    const std::size_t row = table.find(head);
    return row != std::string::npos && table.substr(row, table.find("</tr>", row) - row)
                                           .ends_with("<td>" + std::to_string(grids) + "</td>");
  };
  CHECK(has_row("the fastest", 60, "10×6", 2));
  CHECK(has_row("1 % slower", 60, "10×6", 3));
  CHECK(has_row("5 % slower", 50, "10×5", 12));
  CHECK(has_row("10 % slower", 44, "11×4", 21));
  CHECK(has_row("25 % slower", 32, "8×4", 47));
  CHECK(has_row("50 % slower", 24, "6×4", 96));
  CHECK(has_row("100 % slower", 16, "4×4", 174));
}

TEST_CASE("the map of times over P1 and P2 has all grids and answers in a browser") {
  const auto path =
      write_sample("map.html", [](std::ostream& out) { write_search_html(out, sample_search()); });
  CHECK(python_accepts("check_heat_map.py", path));
}

}  // namespace gridcast::report::test
