#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "gridcast/base/error.h"
#include "gridcast/sweep/dataset.h"

using namespace gridcast;
using sweep::DatasetDesign;
using sweep::parse_design;

namespace {

const std::string minimal =
    "traces = [\"a.ptr\"]\nmachines = [\"m.par\"]\ngrids = [\"2x2\", \"4\"]\n";

/// Line that the error about a text names.
std::size_t line_of_error(const std::string& text) {
  try {
    static_cast<void>(parse_design(text, "folder/d.toml"));
  } catch (const InputError& error) {
    CHECK(error.file() == "folder/d.toml");
    INFO(error.what());
    return error.line();
  }
  return 0;
}

}  // namespace

TEST_CASE("a design file is read with paths relative to it") {
  const DatasetDesign design = parse_design(minimal, "folder/d.toml");
  REQUIRE(design.traces.size() == 1);
  CHECK(design.traces.front().front() == "folder/a.ptr");
  CHECK(design.machines.front() == "folder/m.par");
  REQUIRE(design.grids.size() == 2);
  CHECK(design.grids[0].text() == "2x2");
  CHECK(design.grids[1].text() == "4");
  CHECK_FALSE(design.intervals);
}

TEST_CASE("what is no TOML is refused on one line, even if the line break is to blame") {
  CHECK(line_of_error(minimal + "intervals = f\nals") == 4);
  try {
    static_cast<void>(parse_design("intervals = f\nals", "d.toml"));
    FAIL("it was read");
  } catch (const InputError& error) {
    CHECK(std::string(error.what()).find('\n') == std::string::npos);
  }
}

TEST_CASE("parameters may be quoted or nested, and come in the order of their names") {
  const DatasetDesign design = parse_design(minimal +
                                                "design = {kind = \"sobol\", runs = 8, seed = 3}\n"
                                                "[parameters]\n"
                                                "mvs.TStart = {log = [1, 100]}\n"
                                                "\"mvs.Channels\" = {values = [1, 2]}\n"
                                                "core = {linear = [0.5, 2], levels = 4}\n"
                                                "mvs.Count = {integer = [2, 8]}\n",
                                            "d.toml");
  std::vector<std::string> names;
  for (const design::Factor& factor : design.parameters) {
    names.push_back(factor.name);
  }
  CHECK(names == std::vector<std::string>{"core", "mvs.Channels", "mvs.Count", "mvs.TStart"});
  CHECK(design.parameters[0].range ==
        decltype(design::Factor::range)(design::RealRange{0.5, 2.0, false, 4}));
  CHECK(design.parameters[2].range == decltype(design::Factor::range)(design::IntegerRange{2, 8}));
  CHECK(design.parameters[3].range ==
        decltype(design::Factor::range)(design::RealRange{1.0, 100.0, true, {}}));
  CHECK(design.parameters[1].range ==
        decltype(design::Factor::range)(design::ValueList{{1.0, 2.0}}));
  CHECK(design.options == design::DesignOptions{design::DesignKind::sobol, 8, 3, false});
}

TEST_CASE("sizes, limits and options of the model are read") {
  const DatasetDesign design = parse_design(
      "machines = [\"m.par\"]\nintervals = true\n"
      "size = {from = [{trace = \"a.ptr\", size = 8}, {trace = \"b.ptr\", size = 16}], "
      "values = [10, 12], degree = 1}\n"
      "grids = {min_processors = 2, max_processors = 8, rank = 2, not_bad = true, sample = 5}\n"
      "design = {kind = \"full-factorial\"}\n"
      "[model]\nblock-rule = \"balanced\"\nstartup = \"skip\"\n",
      "d.toml");
  REQUIRE(design.sizes.has_value());
  CHECK(design.sizes->from[1].path == "b.ptr");
  CHECK(design.sizes->from[1].size == 16.0);
  CHECK(design.sizes->values == std::vector<double>{10, 12});
  CHECK(design.sizes->options.degree == 1);
  REQUIRE(design.limits.has_value());
  CHECK(design.limits->min_processors == 2);
  CHECK(design.limits->max_processors == 8);
  CHECK(design.limits->rank == 2);
  CHECK(design.limits->not_bad);
  CHECK(design.limits->sample == 5);
  CHECK(design.intervals);
  CHECK(design.model.at("block-rule") == "balanced");
  CHECK(design.model.at("startup") == "skip");
}

TEST_CASE("errors of a design file name the line") {
  CHECK(line_of_error(minimal + "seeds = 1\n") == 4);
  CHECK(line_of_error(minimal + "design = {kind = \"sobol\",\n runs = 8 ]\n") > 3);
  CHECK(line_of_error(minimal + "design = {kind = \"guess\"}\n") == 4);
  CHECK(line_of_error(minimal + "design = {kind = \"random\", runs = 2, sead = 1}\n") == 4);
  CHECK(line_of_error(minimal + "intervals = 1\n") == 4);
  const std::string parameters = minimal + "design = {kind = \"random\", runs = 2}\n[parameters]\n";
  CHECK(line_of_error(parameters + "a.TStart = 1\n") == 6);
  CHECK(line_of_error(parameters + "a.TStart = {log = [0, 1]}\n") == 6);
  CHECK(line_of_error(parameters + "a.TStart = {log = [1, 2], linear = [1, 2]}\n") == 6);
  CHECK(line_of_error(parameters + "a.TStart = {lin = [1, 2]}\n") == 6);
  CHECK(line_of_error(parameters + "a.TStart = {linear = [1, 2, 3]}\n") == 6);
  CHECK(line_of_error(parameters + "a.Count = {integer = [1.5, 2]}\n") == 6);
  CHECK(line_of_error("traces = [\"a.ptr\"]\nmachines = [\"m.par\"]\ngrids = [\"2x\"]\n") == 3);
  CHECK(line_of_error("traces = []\nmachines = [\"m.par\"]\ngrids = [\"2\"]\n") == 1);
  CHECK(line_of_error("traces = [\"a.ptr\"]\nmachines = [\"m.par\"]\n"
                      "grids = {max_procesors = 3}\n") == 3);
  CHECK_THROWS_AS(parse_design("machines = [\"m.par\"]\ngrids = [\"2\"]\n", "d.toml"), InputError);
  CHECK_THROWS_AS(sweep::read_design("/no/such/design.toml"), InputError);
}

TEST_CASE("the shipped designs are read") {
  const std::string folder = std::string(GRIDCAST_SOURCE_DIR) + "/configs/designs/";
  CHECK(sweep::read_design(folder + "link_hypercube.toml").parameters.size() == 5);
  CHECK(sweep::read_design(folder + "screening.toml").parameters.size() == 8);
}
