#include <catch2/catch.hpp>

#include "gridcast/base/error.h"
#include "gridcast/store/writer.h"
#include "sample.h"

using namespace gridcast;
using namespace gridcast::store;
using namespace gridcast::store::testing;

namespace {

void require_script(const std::vector<std::string>& arguments) {
  const ScriptResult result = run_script("check_store.py", arguments);
  INFO(result.output);
  REQUIRE(result.exit_code == 0);
}

void write_rows(StoreWriter& writer, std::int64_t first, std::int64_t last) {
  for (std::int64_t i = first; i < last; ++i) {
    writer.append(sample_row(i));
  }
}

}  // namespace

TEST_CASE("h5py reads every column of a store as it was written") {
  const TemporaryDirectory directory;
  const auto path = directory / "S.h5";
  const std::int64_t rows = GENERATE(0, 1, 255, 256, 257, 3000);
  StoreSetup setup = sample_setup();
  setup.chunk_rows = 256;
  {
    StoreWriter writer = StoreWriter::create(path, setup);
    write_rows(writer, 0, rows);
    REQUIRE(writer.rows() == rows);
    writer.finish(std::nullopt);
  }
  require_script({"table", path.string(), std::to_string(rows)});
  REQUIRE(names_in(directory.path()) == std::vector<std::string>{"S.h5"});
}

TEST_CASE("a finished store has the attributes, layout and groups of the schema") {
  const TemporaryDirectory directory;
  const auto path = directory / "S.h5";
  constexpr std::int64_t rows = 20;
  StoreSetup setup = sample_setup();
  setup.intervals = sample_intervals();
  {
    StoreWriter writer = StoreWriter::create(path, setup);
    write_rows(writer, 0, rows);
    writer.append_failure(make_failed_row(machine::Grid::parse("5x6x7"), 0.5),
                          "grid: too large (expected less)");
    writer.finish(Best{sample_row(3), sample_row(5)});
  }
  require_script({"whole", path.string(), std::to_string(rows)});
}

TEST_CASE("results per interval are a matrix of configurations and intervals") {
  const TemporaryDirectory directory;
  const auto path = directory / "S.h5";
  constexpr std::int64_t rows = 150;
  StoreSetup setup = sample_setup();
  setup.intervals = sample_intervals();
  setup.interval_results = true;
  setup.chunk_rows = 64;
  {
    StoreWriter writer = StoreWriter::create(path, setup);
    for (std::int64_t i = 0; i < rows; ++i) {
      writer.append(sample_row(i), {}, sample_interval_results(i, 3));
    }
    writer.finish(std::nullopt);
  }
  require_script({"intervals", path.string(), std::to_string(rows), "3"});
  require_script({"table", path.string(), std::to_string(rows)});
}

TEST_CASE("pandas and xarray open a store") {
  const TemporaryDirectory directory;
  const auto path = directory / "S.h5";
  StoreWriter writer = StoreWriter::create(path, sample_setup());
  write_rows(writer, 0, 500);
  writer.finish(std::nullopt);
  require_script({"frames", path.string(), "500"});
}

TEST_CASE("what is read is what was written, bit for bit") {
  const TemporaryDirectory directory;
  const auto path = directory / "S.h5";
  StoreSetup setup = sample_setup();
  setup.intervals = sample_intervals();
  setup.extra_columns = {{"latency", "s", "start-up time", ColumnType::float64},
                         {"variant", "1", "machine variant", ColumnType::int64}};
  {
    StoreWriter writer = StoreWriter::create(path, setup);
    for (std::int64_t i = 0; i < 10; ++i) {
      const std::vector<double> extras{0.1 * static_cast<double>(i), static_cast<double>(i)};
      writer.append(sample_row(i), extras);
    }
    writer.append_failure(sample_row(10), "no", std::vector<double>{1.0, 10.0});
    writer.finish(Best{sample_row(3), sample_row(5)});
  }
  const Store store = read_store(path);
  REQUIRE(store.state == StoreState::complete);
  REQUIRE(store.setup.description == setup.description);
  REQUIRE(store.setup.extra_columns == setup.extra_columns);
  REQUIRE(store.setup.intervals.size() == 3);
  REQUIRE(store.setup.intervals[1].expression == 7);
  REQUIRE_FALSE(store.setup.intervals[2].expression.has_value());
  REQUIRE(store.setup.intervals[0].parent == -1);
  REQUIRE(store.failures == std::vector<Failure>{{10, "11x1", "no"}});
  REQUIRE(store.best->chosen.extents[0] == 4);
  REQUIRE(store.best->unconstrained.grid().text() == "6x1");
  REQUIRE(store.table.rows.size() == 11);
  REQUIRE(store.table.rows[10].status == Status::failed);
  REQUIRE(store.table.extras[2 * 7] == 0.1 * 7.0);
  REQUIRE(store.table.extras[2 * 7 + 1] == 7.0);
  const std::string csv = csv_of(store.table);
  REQUIRE(csv.substr(0, csv.find(",p3")) == "latency,variant,p1,p2");
}

TEST_CASE("columns that cannot be told apart or break CSV are refused") {
  const TemporaryDirectory directory;
  for (const char* name : {"p1", "status", "config", "", "a,b", "a/b"}) {
    StoreSetup setup = sample_setup();
    setup.extra_columns = {{name, "1", "", ColumnType::float64}};
    REQUIRE_THROWS_AS(StoreWriter::create(directory / "S.h5", setup), InputError);
  }
  REQUIRE(names_in(directory.path()).empty());
}

TEST_CASE("a store in a directory that does not exist is refused on one line") {
  const TemporaryDirectory directory;
  const std::string path = (directory / "no/S.h5").string();
  const std::string message =
      message_of<InputError>([&] { (void)StoreWriter::create(path, sample_setup()); });
  REQUIRE(message == "cannot create store " + path + " (directory " + (directory / "no").string() +
                         " does not exist; create it first)");
}

TEST_CASE("an existing store is not overwritten") {
  const TemporaryDirectory directory;
  const auto path = directory / "S.h5";
  StoreWriter::create(path, sample_setup()).close();
  const std::string before = contents(path);
  REQUIRE_THAT(message_of<InputError>([&] { (void)StoreWriter::create(path, sample_setup()); }),
               Catch::Contains("--resume"));
  REQUIRE(contents(path) == before);
}

TEST_CASE("files that are no stores give clear errors") {
  const TemporaryDirectory directory;
  const auto text = directory / "text.h5";
  {
    std::FILE* const file = std::fopen(text.c_str(), "w");
    std::fputs("not HDF5", file);
    std::fclose(file);
  }
  REQUIRE_THAT(message_of<InputError>([&] { (void)read_store(text); }),
               Catch::Contains("is not an HDF5 file"));
  REQUIRE_THAT(message_of<InputError>([&] { (void)read_store(directory / "none.h5"); }),
               Catch::Contains("there is no such store"));

  const auto cut = directory / "cut.h5";
  {
    StoreWriter writer = StoreWriter::create(cut, sample_setup());
    write_rows(writer, 0, 100);
    writer.finish(std::nullopt);
  }
  std::filesystem::resize_file(cut, std::filesystem::file_size(cut) / 2);
  const std::string message = message_of<RunError>([&] { (void)read_store(cut); });
  REQUIRE_THAT(message, Catch::Contains("it has no seal, because it was cut"));
  REQUIRE(message.find('\n') == std::string::npos);
}
