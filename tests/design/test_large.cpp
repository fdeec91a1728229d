#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "gridcast/design/design.h"
#include "gridcast/design/factors.h"
#include "gridcast/store/writer.h"
#include "process.h"

using namespace gridcast::design;
namespace design = gridcast::design;
namespace store = gridcast::store;

namespace {

/// Most memory that this process ever had, bytes.
long peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss * 1024L;
}

constexpr std::int64_t large_bases = 200'000;

/// A store of a million runs of a Saltelli design of three factors, written in the order of a farm
/// with two workers: every other batch first. T = 1 + 2a + b, whatever c is.
void write_large_store(const std::filesystem::path& path) {
  const design::RealRange unit{0.0, 1.0, false, {}};
  const design::Design design({{"a", unit}, {"b", unit}, {"c", unit}},
                              {design::DesignKind::saltelli, large_bases, 0, false});
  store::StoreSetup setup;
  setup.description.options = "{\"kind\":\"saltelli\"}";
  setup.extra_columns = {{"variant", "1", "", store::ColumnType::int64},
                         {"trace", "1", "", store::ColumnType::int64},
                         {"machine", "1", "", store::ColumnType::int64}};
  for (const char* factor : {"a", "b", "c"}) {
    setup.extra_columns.push_back({factor, "1", "", store::ColumnType::float64});
  }
  store::WriterOptions options;
  options.durability = store::Durability::none;
  store::StoreWriter writer = store::StoreWriter::create(path, setup, options);
  constexpr std::int64_t batch = 100;
  for (std::int64_t i = 0; i < design.runs(); ++i) {
    const std::int64_t place = i / batch;
    const std::int64_t run = (place ^ 1) * batch + i % batch;
    const std::vector<double> x = design.run(run);
    gridcast::model::Characteristics result;
    result.execution_time = 1.0 + 2.0 * x[0] + x[1];
    writer.append(store::make_row(gridcast::machine::Grid::parse("4x2"), 1.0, result),
                  std::vector<double>{static_cast<double>(run), 0.0, 0.0, x[0], x[1], x[2]});
  }
  writer.finish(std::nullopt);
}

}  // namespace

TEST_CASE("a store of a million rows is analysed in little memory") {
  const support::ScratchDirectory scratch(GRIDCAST_BINARY_DIR);
  const std::filesystem::path file = scratch / "large.h5";
  // Another process writes, so that what this one takes is what reading takes.
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    write_large_store(file);
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(status == 0);
  const long before = peak_memory();
  const auto table = open_table(file);
  Question question;
  question.cases = table->roles().cases;
  SobolOptions options;
  options.replicates = 20;
  const Factors indices = analyse_factors(*table, question, FactorMethod::automatic, options);
  REQUIRE(indices.indices.size() == 1);
  CHECK(indices.indices[0].bases == large_bases);
  // A linear function: shares 4 : 1 : 0.
  CHECK(indices.indices[0].indices[0].total.value == Approx(0.8).margin(1e-3));
  CHECK(indices.indices[0].indices[1].first.value == Approx(0.2).margin(1e-3));
  CHECK(indices.indices[0].indices[2].total.value == Approx(0.0).margin(1e-9));
  const Factors effects = analyse_factors(*table, question, FactorMethod::effects, options);
  CHECK(effects.effects->runs == 1'000'000);
  CHECK(effects.effects->effects.front().factor == "a");
  CHECK(effects.effects->effects.front().effect == Approx(2.0).epsilon(1e-3));
  // The rows alone are 344 MB.
  CHECK(peak_memory() - before < 100L * 1024 * 1024);
}
