#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <sstream>

#include "files.h"
#include "gridcast/report/depth.h"
#include "gridcast/report/html.h"
#include "sample.h"

namespace gridcast::report::test {
namespace {

std::string page(const model::Prediction& prediction, std::string_view title = "page") {
  std::ostringstream out;
  write_html(out, prediction, title);
  return out.str();
}

std::string section(const std::string& text, int number) {
  const std::size_t from =
      text.find("<section class=\"iv\" id=\"interval-" + std::to_string(number) + "\"");
  return text.substr(from, text.find("</section>", from) - from);
}

}  // namespace

TEST_CASE("the page is well-formed, self-contained and shows the fields of the appendix") {
  const auto path = write_sample("sample.html", [](std::ostream& out) {
    write_html(out, sample_prediction(), "jac<2d> & friends");
  });
  // 6.8 s productive of 8 s on 8 processors; the loop at line 12 has 5.96 of 6.71 s.
  CHECK(python_accepts("check_html.py", path,
                       {"sections=7",         "1:type=Main",
                        "1:effic=0.8500",     "1:exec=1.000 s",
                        "1:total=8.000 s",    "1:ptime=6.800 s",
                        "1:ptimei=200.0 ms",  "1:lost=1.200 s",
                        "1:iuser=400.0 ms",   "1:isyst=50.00 ms",
                        "1:comm=580.0 ms",    "1:idle=170.0 ms",
                        "1:nopa=12\u202F345", "1:coms=220.0 ms",
                        "1:synchs=27.50 ms",  "1:overs=110.0 ms",
                        "1:varyr=3.100 ms",   "1:nopd=0",
                        "1:proc=4×2",         "3:type=Seq",
                        "3:level=1",          "3:count=1\u202F000",
                        "3:line=12",          "3:expr=-3",
                        "4:expr=–",           "3:file=jac<&\"'>.c",
                        "3:effic=0.8882",     "6:ptimec=10.00 µs",
                        "6:exec=2.625 µs",    "7:effic=1.0000",
                        "7:exec=0 s",         "7:file=k\uFFFD\uFFFD\uFFFD.f"}));
}

TEST_CASE("links lead up, to siblings, to the first nested interval and home, and to all nested") {
  const auto path = write_sample(
      "links.html", [](std::ostream& out) { write_html(out, sample_prediction(), "links"); });
  CHECK(python_accepts("check_html.py", path,
                       {"1:nav=first nested>2", "1:nested=2, 3, 7",
                        "3:nav=up>1, previous>2, next>7, first nested>4, home>1", "3:nested=4, 5",
                        "4:path=1, 3", "4:nested=", "6:nav=up>5, home>1"}));
}

TEST_CASE("warnings and title are shown as text") {
  const auto shown = [](const model::Prediction& prediction, const std::string& warnings) {
    const auto path = write_sample(
        "warnings.html", [&](std::ostream& out) { write_html(out, prediction, "<i>\"T\"</i>"); });
    return python_accepts("check_html.py", path, {"title=<i>\"T\"</i>", "warnings=" + warnings});
  };
  model::Prediction prediction = sample_prediction();
  REQUIRE(prediction.warnings.size() == 2);
  CHECK(shown(prediction, prediction.warnings[0] + "|" + prediction.warnings[1]));
  prediction.warnings.clear();
  CHECK(shown(prediction, ""));
}

TEST_CASE("the stacked bar has a labelled segment for each part that is not zero") {
  const std::string first = section(page(sample_prediction()), 1);
  // 0.45 and 0.31 of 8 s; I/O communication and redistribution are zero.
  CHECK(contains(first, "title=\"Insufficient parallelism: 5.6 %\">4</i>"));
  CHECK(contains(first, "title=\"Reduction: 3.9 %\"></i>"));
  CHECK(contains(first, "<b class=\"key c11\">11</b> Idle"));
  CHECK_FALSE(contains(first, "class=\"key c5\""));
  CHECK_FALSE(contains(first, "class=\"key c8\""));
  CHECK_FALSE(contains(first, "class=\"key c10\""));
  model::Prediction pipelined = sample_prediction();
  pipelined.intervals[0].sums.operations[2].communication = 0.24;
  pipelined.intervals[0].pipelined = {0.16, 0.0, 0.0};
  const std::string told = section(page(pipelined), 1);
  CHECK(contains(told, "title=\"Shadow edges: 1.0 %\""));
  CHECK(contains(told, "title=\"Pipelined loops: 2.0 %\""));
}

TEST_CASE("time variation by kind is left open where only that of all kinds is stored") {
  model::Prediction stored = sample_prediction();
  stored.intervals[0].time_variations = {};
  const std::string text = page(stored);
  CHECK(contains(section(text, 1),
                 "<td id=\"varyr\" data-field=\"varyr\" title=\"not stored by kind\">"));
  CHECK_FALSE(contains(section(text, 2), "not stored by kind"));
}

TEST_CASE("per-processor detail is shown where it is present") {
  model::Prediction prediction = sample_prediction();
  prediction.intervals[1].per_processor.resize(300);
  const std::string text = page(prediction);
  CHECK(contains(section(text, 2), "Processors (256 of 300)"));
  CHECK_FALSE(contains(section(text, 3), "class=\"pp\""));
}

TEST_CASE("thousands of intervals give a well-formed page that opens folded") {
  const model::Prediction prediction = large_prediction(40, 50);
  const auto path =
      write_sample("large.html", [&](std::ostream& out) { write_html(out, prediction, "large"); });
  CHECK(python_accepts("check_html.py", path, {"sections=2041"}));
  const std::string text = page(prediction);
  CHECK(contains(text, "<body class=\"many\">"));
  // The first level (40 rows) is open, the 2000 rows below are not.
  CHECK(contains(text, "<details open>"));
  CHECK(text.find("<details open>") == text.rfind("<details open>"));
  CHECK_FALSE(contains(page(sample_prediction()), "class=\"many\""));
}

TEST_CASE("intervals are boxes as wide as their part of the total time") {
  // Of 8 s: 1.04 s, then 6.71 s with 3.34 s and 3.37 s in it.
  const std::string text = page(sample_prediction());
  const auto box = [&text](int interval) {
    const std::size_t at =
        text.find("href=\"#interval-" + std::to_string(interval) + "\" tabindex");
    const std::size_t style = text.find("style=\"", at) + 7;
    return text.substr(style, text.find('"', style) - style);
  };
  CHECK(box(1) == "left:0.000%;width:100.000%");
  CHECK(box(2) == "left:0.000%;width:13.000%");
  CHECK(box(3) == "left:13.000%;width:83.875%");
  CHECK(box(4) == "left:13.000%;width:41.750%");
  CHECK(box(5) == "left:54.750%;width:42.125%");
  // 21 µs of 8 s are too narrow to be seen.
  CHECK_FALSE(contains(text, "href=\"#interval-6\" tabindex"));
}

TEST_CASE("intervals beyond a depth are left out") {
  model::Prediction prediction = sample_prediction();
  const double total = prediction.intervals[2].sums.total_time;
  limit_depth(prediction, 1);
  REQUIRE(prediction.intervals.size() == 4);
  CHECK(prediction.intervals[2].sums.total_time == total);
  CHECK(prediction.intervals[3].info.line == 40);
  for (std::size_t i = 1; i < 4; ++i) {
    CHECK(prediction.intervals[i].info.parent == 0);
  }
  model::Prediction deep = sample_prediction();
  deep.intervals.erase(deep.intervals.begin() + 3);  // so that numbers of parents change
  deep.intervals[3].info.parent = 2;
  deep.intervals[4].info.parent = 3;
  limit_depth(deep, 2);
  REQUIRE(deep.intervals.size() == 5);
  CHECK(deep.intervals[3].info.parent == 2);
  CHECK(deep.intervals[4].info.parent == 0);
  limit_depth(prediction, 0);
  CHECK(prediction.intervals.size() == 1);
}

}  // namespace gridcast::report::test
