// Options in a store: those of earlier versions, all of today's, and what is none.
#include <catch2/catch.hpp>
#include <string>

#include "gridcast/store/description.h"
#include "gridcast/store/stored_options.h"

using namespace gridcast::store;

TEST_CASE("options of stores of earlier versions are read") {
  const auto options = StoredOptions::read(
      R"({"model":"startup=count block-rule=balanced reduction=tree placement=blocked:4x2",)"
      R"("heuristic":"classic","grid":"2x3","max_processors":256,"min_efficiency":0.5,"best":3,)"
      R"("reference":[1000,700],"blocks":"balanced","within":0.05,)"
      R"("conditions":"--fix p2=1 --min-block edge","excluded":{"min-block":1204},)"
      R"("threads":"1,2,4","spread":0.015})");
  CHECK(options.word("reduction") == "tree");
  CHECK(options.word("placement") == "blocked:4x2");
  CHECK(options.word("processes").empty());
  CHECK(options.heuristic == "classic");
  CHECK(options.grid == "2x3");
  CHECK(options.max_processors == 256);
  CHECK(options.min_efficiency == 0.5);
  CHECK(options.best == 3);
  CHECK(options.reference == std::vector<std::int64_t>{1000, 700});
  CHECK(options.balanced);
  CHECK(options.within == 0.05);
  CHECK(options.conditions == "--fix p2=1 --min-block edge");
  CHECK(options.excluded == 1204);
  CHECK(options.threads == "1,2,4");
  CHECK(options.spread == 0.015);
  CHECK_FALSE(options.margin);
  CHECK(StoredOptions::read("{\n\"model\":\"startup=count\",\n\"kind\":\"sobol\",\n\"runs\":64\n}")
            .kind == "sobol");
}

TEST_CASE("all options of a run are read as they were written") {
  StoredOptions options;
  options.model = "startup=count processes=free iterations=32";
  options.heuristic = "classic";
  options.grid = "4x2";
  options.max_processors = std::int64_t{1} << 40U;
  options.min_efficiency = 0.1 + 0.2;
  options.best = 7;
  options.reference = {{100, 0, 3}};
  options.balanced = true;
  options.within = 1e-300;
  options.conditions = "--min-block \"2,3\"\\";
  options.excluded = 0;
  options.threads = "2";
  options.spread = 1.0 / 3.0;
  options.margin = 0.3;
  CHECK(StoredOptions::read(options.json()) == options);
  CHECK(options.word("processes") == "free");
  CHECK(options.word("iterations") == "32");
  CHECK(StoredOptions::read(StoredOptions().json()).reference == std::nullopt);
}

TEST_CASE("what is no text of options leaves the defaults") {
  for (const char* text : {"", "{", "[]", "null", "\"model\"", "{\"model\":7,\"within\":\"x\"}",
                           "{\"excluded\":3,\"min_efficiency\":null,\"reference\":null}"}) {
    CAPTURE(text);
    CHECK(StoredOptions::read(text) == StoredOptions());
  }
}

TEST_CASE("options are the same however their text is set") {
  CHECK(same_options(R"({"best":1,"spread":5})", "{\"spread\": 5.0,\n \"best\": 1}"));
  CHECK_FALSE(same_options(R"({"best":1})", R"({"best":2})"));
  CHECK_FALSE(same_options(R"({"best":1})", R"({"best":1,"within":0.5})"));
  CHECK_FALSE(same_options("{", "["));
  CHECK(same_options("{", "{"));
}
