// Exchanges that send a part of each element (docs/programs.md), against closed forms.

#include <catch2/catch.hpp>
#include <sstream>

#include "gridcast/base/error.h"
#include "gridcast/compile/compile.h"
#include "gridcast/predict/predictor.h"
#include "gridcast/retrace/generate.h"
#include "gridcast/rules/memory.h"
#include "gridcast/trace/program.h"

using namespace gridcast;

namespace {

/// A lattice of 12 x 20 elements of 152 bytes in blocks, exchanged once.
std::string lattice(const std::string& exchange) {
  return "[[array]]\nname = \"f\"\nextents = [12, 20]\nelement = 152\nshadow = 1\n"
         "distribute = [\"block\", \"block\"]\n[[do]]\n" +
         exchange + "\n";
}

std::string edge_error(const std::string& exchange) {
  std::ostringstream unused;
  try {
    trace::generate_trace(lattice(exchange), "p.toml", unused);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

/// Microseconds of the exchange on a grid whose messages take 1 µs per byte, one pair at a time
/// each way.
double microseconds(const std::string& exchange, const std::string& grid,
                    model::EngineKind engine) {
  std::ostringstream text;
  trace::generate_trace(lattice(exchange), "p.toml", text);
  const model::Script script = model::compile(trace::parse_program(text.view(), "p.ptr")).script;
  const machine::Cluster cluster = machine::Cluster::parse(
      "cluster = c;\nc = {4 x p};\nc.CommType = ports;\nc.TStart = 0;\nc.TByte = 1;\np = 1;\n",
      "c.par");
  model::ModelOptions options;
  options.engine = engine;
  model::Predictor predictor(script, cluster, options);
  return 1e6 * predictor.evaluate(machine::Grid::parse(grid)).front().execution_time;
}

}  // namespace

TEST_CASE("an exchange sends the bytes of an element that it names") {
  for (const auto engine : {model::EngineKind::fast, model::EngineKind::reference}) {
    const auto time = [&](const std::string& exchange, const std::string& grid) {
      return microseconds(exchange, grid, engine);
    };
    // Faces of 20 elements along the first dimension, of 12 along the second.
    CHECK(time("exchange = [\"f\"]", "2x1") == Approx(20 * 152));
    CHECK(time("exchange = [{ array = \"f\" }]", "2x1") == Approx(20 * 152));
    const std::string all = "exchange = [{ array = \"f\", bytes = 40 }]";
    CHECK(time(all, "2x1") == Approx(20 * 40));
    CHECK(time(all, "1x2") == Approx(12 * 40));
    // Low and high side of each dimension: the longer way counts.
    const std::string faces = "exchange = [{ array = \"f\", bytes = [[16, 24], [40, 0]] }]";
    CHECK(time(faces, "2x1") == Approx(20 * 24));
    CHECK(time(faces, "1x2") == Approx(12 * 40));
    CHECK(time("exchange = [{ array = \"f\", bytes = [[0, 0], [0, 0]] }]", "2x1") == 0.0);
  }
}

TEST_CASE("what travels of an element does not change what it takes in memory") {
  const auto peak = [](const std::string& exchange) {
    std::ostringstream text;
    trace::generate_trace(lattice(exchange), "p.toml", text);
    const model::Script script = model::compile(trace::parse_program(text.view(), "p.ptr")).script;
    const machine::Cluster cluster = machine::Cluster::parse(
        "cluster = c;\nc = {4 x p};\nc.CommType = ports;\nc.TStart = 0;\nc.TByte = 1;\np = 1;\n",
        "c.par");
    return model::MemoryModel(script, cluster, {}).peak(machine::Grid::parse("2x2"));
  };
  const double whole = peak("exchange = [\"f\"]");
  CHECK(whole >= 6 * 10 * 152);
  CHECK(peak("exchange = [{ array = \"f\", bytes = 40 }]") == whole);
}

TEST_CASE("bytes that an element does not have are a mistake with its line") {
  using Catch::Matchers::Contains;
  CHECK_THAT(edge_error("exchange = [{ array = \"f\", bytes = 160 }]"),
             Contains("p.toml:8: bytes: 160 bytes of an element"));
  CHECK_THAT(edge_error("exchange = [{ array = \"f\", bytes = 0 }]"), Contains("p.toml:8: bytes"));
  CHECK_THAT(edge_error("exchange = [{ array = \"f\", bytes = [[8, 8]] }]"),
             Contains("1 entries for 2 dimensions"));
  CHECK_THAT(edge_error("exchange = [{ array = \"f\", bytes = [[8], [8]] }]"),
             Contains("expected [low, high] for each dimension"));
  CHECK_THAT(edge_error("exchange = [{ array = \"f\", bytes = [[8, 8], [8, 8]] }]\ncorners = true"),
             Contains("corners"));
  CHECK_THAT(edge_error("exchange = [{ array = \"g\", bytes = 8 }]"),
             Contains("p.toml:8: array: no array is called 'g'"));
  CHECK_THAT(edge_error("exchange = [{ array = \"f\", size = 8 }]"),
             Contains("\"size\" is not known here"));
}
