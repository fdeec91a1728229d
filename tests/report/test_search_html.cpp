#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
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
  CHECK(contains(text, "<tr class=\"chosen\"><th scope=\"row\">1</th><td>10×6</td>"));
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

TEST_CASE("grids that leave processors empty come only if there are no others") {
  SearchReport report = sample_search();
  report.details[0].leaves_empty = true;
  CHECK(best_grids(page(report))[0] == "12×5");
  for (DetailedPoint& each : report.details) {
    each.leaves_empty = true;
  }
  CHECK(best_grids(page(report))[0] == "10×6");
}

TEST_CASE("the page says by which causes the best grids differ") {
  // 10x6, 12x5, 11x5: on the mean processor 2 / 60, 2 / 60, 2 / 55 s of computation and 44, 44, 42
  // ms of shadow edges.
  const std::string text = page(sample_search());
  const std::size_t begin = text.find("id=\"causes\"");
  const std::string table = text.substr(begin, text.find("</section>", begin) - begin);
  CHECK(contains(table, "<h2>Why the best 10 differ</h2>"));
  CHECK(contains(table, "<th scope=\"row\">11×5</th>"));
  const std::string row = table.substr(table.find("<th scope=\"row\">11×5</th>"));
  CHECK(contains(row.substr(0, row.find("</tr>")), ">+3.030 ms</td>"));
  CHECK(contains(row.substr(0, row.find("</tr>")), ">−2.000 ms</td></tr>") == false);
  CHECK(contains(row.substr(0, row.find("</tr>")), ">−2.000 ms</td>"));
}

TEST_CASE("the page shows what a search has proved") {
  SearchReport report = sample_search();
  report.candidates = report.evaluated + 1000;
  report.mode = 4;
  CHECK(
      contains(page(report),
               "excluded by bounds: none of them is better <span class=\"num\">1\u202F000</span>"));
  CHECK(contains(page(report), "gap 0."));
  report.complete = false;
  CHECK(contains(page(report),
                 "excluded by bounds or not decided yet <span class=\"num\">1\u202F000</span>"));
  report.mode = 3;
  CHECK(contains(page(report), "not evaluated yet <span class=\"num\">1\u202F000</span>"));
  report.mode = 1;
  report.complete = true;
  CHECK(contains(page(report), "not looked at <span class=\"num\">1\u202F000</span>"));
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
  CHECK(contains(page(report), "Every candidate was evaluated"));
  report.mode = 2;
  CHECK(contains(page(report), "<dt>Best grid that leaves no processor empty</dt>"));
  report.mode = 1;
  CHECK(contains(page(report), "<dt>Best grid found</dt>"));
  CHECK(contains(page(report), "nothing is proved"));
  report.complete = false;
  report.mode = 3;
  CHECK(contains(page(report), "<dt>Best grid so far</dt>"));
  CHECK(contains(page(report), "stopped early"));
  report.candidates = -1;
  report.not_bad = -1;
  CHECK_FALSE(contains(page(report), "candidates"));
}

TEST_CASE("predictions with different inputs are not ranked together") {
  SearchReport report = sample_search();
  report.groups = {{"variant 0, <c>.TStart 1", {}, 3, 1, report.points[5]},
                   {"variant 1", {}, 2, 2, std::nullopt}};
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

TEST_CASE("the page says how few processors and nodes are good enough, and what is proven") {
  SearchReport report = sample_search();
  report.complete = false;
  report.mode = 4;
  const auto grid = [](const char* text) { return machine::Grid::parse(text); };
  report.front = {{0.0, false, {grid("10x6"), false, 0.0773}, 8, true, 60},
                  {0.0, true, {grid("10x6"), false, 0.0773}, 8, true, 8},
                  {0.05, false, {grid("10x5"), false, 0.08}, 7, false, 41},
                  {0.05, true, {grid("8x7"), false, 0.0787}, 7, false, 6},
                  {0.1, false, {grid("10x5"), false, 0.08}, 7, false, 41}};
  const std::string text = page(report);
  const std::size_t begin = text.find("id=\"good-enough\"");
  REQUIRE(begin != std::string::npos);
  const std::string table = text.substr(begin, text.find("</section>", begin) - begin);
  CHECK(contains(table, "<tr><th>the fastest</th><td>60</td><td>10×6</td>"));
  CHECK(contains(table, "<td>8</td><td>10×6</td><td>60</td>"));
  CHECK(contains(table,
                 "<tr><th>5 to 10 %</th><td><small>at most</small> 50<small>, at least "
                 "41</small></td><td>10×5</td>"));
  CHECK(contains(table, "<small>at most</small> 7<small>, at least 6</small>"));
  CHECK_FALSE(contains(table, "No candidate has fewer."));
  CHECK(contains(text, "\"front\":[{\"within\":0,\"grid\":[10,6],"));
}

TEST_CASE("a staircase is drawn only where every candidate was evaluated") {
  SearchReport report = sample_search();
  for (const int mode : {1, 2, 3, 4, 5}) {
    for (const bool complete : {true, false}) {
      report.mode = mode;
      report.complete = complete;
      const bool all = complete && mode != 1 && mode != 4;
      const std::string text = page(report);
      CHECK(contains(text, "\"staircase\":true") == all);
      CHECK(contains(text, "Pareto front, faster") == all);
    }
  }
}

TEST_CASE("the page says how far each extent decides the time") {
  // log2 of the time is 3 x1 + 4 x2 with x = 1, 2: variances 9/4 and 16/4, none of x3.
  SearchReport report = sample_search();
  CHECK_FALSE(contains(page(report), "id=\"importance\""));
  report.points.clear();
  for (int bits = 0; bits < 8; ++bits) {
    const std::array<std::int64_t, 3> extents{1 + bits % 2, 1 + bits / 2 % 2, 1 + bits / 4};
    report.points.push_back({machine::Grid(extents),
                             std::exp2(static_cast<double>(3 * extents[0] + 4 * extents[1])), 1.0});
  }
  const std::string text = page(report);
  const std::string table = text.substr(text.find("id=\"importance\""));
  CHECK(table.find(">36.0 %</td>") < table.find("<th scope=\"row\">P2</th>"));
  CHECK(table.find(">64.0 %</td>") < table.find("<th scope=\"row\">P3</th>"));
}

TEST_CASE("the data of the page are the times of all grids, packed") {
  const auto path =
      write_sample("map.html", [](std::ostream& out) { write_search_html(out, sample_search()); });
  CHECK(python_accepts("check_search_data.py", path, {"all"}));
  SearchReport few = sample_search();
  std::erase_if(few.points, [](const SearchPoint& point) { return point.grid.extent(0) % 5 != 0; });
  std::erase_if(few.details,
                [](const DetailedPoint& point) { return point.grid.extent(0) % 5 != 0; });
  const auto listed =
      write_sample("listed.html", [&few](std::ostream& out) { write_search_html(out, few); });
  CHECK(python_accepts("check_search_data.py", listed, {"listed"}));
}

TEST_CASE("no text of a store ends an element of the page or begins a script") {
  const std::string hostile =
      "\"}</script><script>steal()</script><!--<img src=x onerror=steal()>&";
  SearchReport report = sample_search();
  report.objective = hostile;
  report.machine = hostile;
  report.traces = {hostile, "line\xE2\x80\xA8separator"};
  report.conditions = hostile;
  for (SearchFailure& failure : report.failures) {
    failure.reason = hostile;
  }
  std::string text = page(report);
  CHECK_FALSE(contains(text, "<script>steal"));
  CHECK_FALSE(contains(text, "<img src=x"));
  CHECK_FALSE(contains(text, "<!--<"));
  CHECK(contains(text, R"("objective":"\"}\u003c/script\u003e\u003cscript\u003esteal())"));

  report.groups = {{hostile, {}, 3, 0, std::nullopt}};
  report.numbers.predictions = 2;
  report.numbers.inputs = 1;
  report.numbers.columns = {{hostile, hostile, false, {1.0, 2.0}, {}},
                            {"execution_time\xE2\x80\xA9", "s", true, {1.0, 2.0}, {}}};
  text = page(report);
  CHECK_FALSE(contains(text, "<script>steal"));
  CHECK_FALSE(contains(text, "<img src=x"));
  CHECK(contains(text, R"(\u003c/script\u003e)"));
  CHECK(contains(text, R"(\u2029)"));
  CHECK_FALSE(contains(text, "\xE2\x80\xA9"));
}

}  // namespace gridcast::report::test
