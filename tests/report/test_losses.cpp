// Lost time by place and cause, and the run, on pages, in JSON and as text.

#include <catch2/catch.hpp>
#include <sstream>
#include <string>

#include "files.h"
#include "gridcast/report/html.h"
#include "gridcast/report/json.h"
#include "gridcast/report/text.h"
#include "sample.h"

namespace gridcast::report::test {
namespace {

/// sample_prediction() has lost 1.2 s of 8 s.
model::Prediction explained_prediction() {
  model::Prediction prediction = sample_prediction();
  model::Losses losses;
  losses.lost_time = 1.2;
  losses.alternatives = {{"grid 2x4", 0.9, 7.2, 0.4}, {"half of every start time", 1.1, 8.8, 1.3}};
  losses.losses = {
      {"jac<2>.c", 12, model::Activity::sweep, model::Cause::fill, "", 0.8, {0.36, 0.9}},
      {"jac<2>.c",
       14,
       model::Activity::shadow,
       model::Cause::contention,
       "net&work",
       0.4,
       {0.4, 0.4}}};
  prediction.losses = std::move(losses);
  return prediction;
}

/// Four processors on 2x2: the first two are alike, and so are the others.
model::Timeline sample_run() {
  using model::Activity;
  using model::Doing;
  model::Timeline run;
  run.processors = 4;
  run.execution_time = 2.0;
  run.places = {"jac.c:3", "a</script>.c:5", "jac.c:1"};
  for (const std::uint32_t p : {0U, 1U}) {
    run.phases.push_back({p, 0, Activity::loop, Doing::computing, 0.0, 1.5});
    run.phases.push_back({p, 1, Activity::shadow, Doing::communicating, 1.5, 2.0});
  }
  for (const std::uint32_t p : {2U, 3U}) {
    run.phases.push_back({p, 0, Activity::loop, Doing::computing, 0.0, 0.5});
    run.phases.push_back({p, 2, Activity::program, Doing::idle, 0.5, 2.0});
  }
  return run;
}

}  // namespace

TEST_CASE("the text names places, causes and what would change them") {
  const std::string text = text_summary(explained_prediction());
  CHECK(contains(text, "lost time by place and cause (2 of 2), shares of total time\n"));
  CHECK(contains(text,
                 "    800.0 ms   10.0 %  jac<2>.c:12             pipelined loop, waiting for the "
                 "pipeline to fill or\n" +
                     std::string(47, ' ') + "empty; on grid 2x4 360.0 ms (5.0 %)\n"));
  CHECK(contains(text,
                 "    400.0 ms    5.0 %  jac<2>.c:14             shadow edges, contention for "
                 "net&work\n"));  // nothing tried changes it
  CHECK(contains(text, "the whole program on grid 2x4: 900.0 ms, 10.0 % less\n"));
  CHECK(contains(text, "the whole program with half of every start time: 1.100 s, 10.0 % more\n"));
}

TEST_CASE("what was not worked out says so in text, on the page and in JSON") {
  model::Prediction prediction = sample_prediction();
  prediction.losses.emplace().omitted = "too <long>";
  CHECK(contains(text_summary(prediction),
                 "\nlost time by place and cause was not worked out: too <long>\n"));
  std::ostringstream page;
  write_html(page, prediction, "page");
  CHECK(contains(page.str(), "<p>Not worked out: too &lt;long&gt;.</p>"));
  std::ostringstream json;
  write_json(json, prediction);
  CHECK(contains(json.str(), "\"omitted\": \"too <long>\""));
  model::Timeline run;
  run.omitted = "too many";
  std::ostringstream drawn;
  write_html(drawn, prediction, "page", &run);
  CHECK(contains(drawn.str(), "<p>Not drawn: too many.</p>"));
}

TEST_CASE("JSON has every place and cause") {
  std::ostringstream json;
  write_json(json, explained_prediction());
  CHECK(contains(json.str(),
                 "{\"file\": \"jac<2>.c\", \"line\": 14, \"activity\": \"shadow\", \"cause\": "
                 "\"contention\", \"network\": \"net&work\", \"seconds\": 0.4, \"instead\": [0.4, "
                 "0.4]}"));
  CHECK(contains(json.str(), "\"cause\": \"pipeline_fill\", \"network\": null"));
  std::ostringstream without;
  write_json(without, sample_prediction());
  CHECK_FALSE(contains(without.str(), "\"losses\""));
}

TEST_CASE("the page with losses and a run is well-formed, and a browser draws the run") {
  const model::Timeline run = sample_run();
  const auto path = write_sample("run.html", [&run](std::ostream& out) {
    model::Prediction prediction = explained_prediction();
    prediction.grid = machine::Grid::parse("2x2");
    write_html(out, prediction, "run", &run);
  });
  CHECK(python_accepts("check_html.py", path, {"sections=7"}));
  CHECK(python_accepts("check_run.py", path));
}

}  // namespace gridcast::report::test
