#include <catch2/catch.hpp>

#include "gridcast/base/error.h"
#include "gridcast/store/merge.h"
#include "gridcast/store/writer.h"
#include "sample.h"

using namespace gridcast;
using namespace gridcast::store;
using namespace gridcast::store::testing;

namespace {

void write_store(const std::filesystem::path& path, const StoreSetup& setup, std::int64_t first,
                 std::int64_t last, const std::optional<Best>& best = std::nullopt) {
  StoreWriter writer = StoreWriter::create(path, setup);
  const std::size_t intervals = setup.interval_results ? setup.intervals.size() : 0;
  const std::vector<double> extras(setup.extra_columns.size(), 0.5);
  for (std::int64_t i = first; i < last; ++i) {
    writer.append(sample_row(i), extras, sample_interval_results(i, intervals));
  }
  writer.finish(best);
}

void merge_files(std::vector<std::filesystem::path> inputs, const std::filesystem::path& output) {
  merge(inputs, output);
}

StoreSetup other_machine() {
  StoreSetup setup = sample_setup();
  setup.description.machine = "cluster k100\n";
  setup.description.machine_name = "k100";
  return setup;
}

}  // namespace

TEST_CASE("stores of one run merge into the table of all") {
  const TemporaryDirectory directory;
  write_store(directory / "a.h5", sample_setup(), 0, 60, Best{sample_row(9), sample_row(2)});
  write_store(directory / "b.h5", sample_setup(), 40, 100, Best{sample_row(5), sample_row(50)});
  merge_files({directory / "b.h5", directory / "a.h5"}, directory / "c.h5");
  const Store store = read_store(directory / "c.h5");
  REQUIRE(store.state == StoreState::complete);
  REQUIRE(csv_of(store.table) == expected_csv(100));
  REQUIRE(store.setup.sources.empty());
  REQUIRE(store.setup.description == sample_description());
  // Execution times of sample rows grow with their number.
  REQUIRE(store.best->chosen.characteristics.execution_time == number(1, 5));
  REQUIRE(store.best->unconstrained.characteristics.execution_time == number(1, 2));
}

TEST_CASE("a merge of an incomplete store is incomplete") {
  const TemporaryDirectory directory;
  write_store(directory / "a.h5", sample_setup(), 0, 6);
  {
    StoreWriter writer = StoreWriter::create(directory / "b.h5", sample_setup());
    writer.append(sample_row(6));
    writer.append_failure(sample_row(7), "too slow");
  }
  merge_files({directory / "a.h5", directory / "b.h5"}, directory / "c.h5");
  const Store store = read_store(directory / "c.h5");
  REQUIRE(store.state == StoreState::stopped);
  REQUIRE(store.table.rows.size() == 8);
  REQUIRE(store.failures == std::vector<Failure>{{7, "8x1", "too slow"}});
}

TEST_CASE("a configuration with two results is an error that names its grid") {
  const TemporaryDirectory directory;
  write_store(directory / "a.h5", sample_setup(), 0, 6);
  {
    StoreWriter writer = StoreWriter::create(directory / "b.h5", sample_setup());
    ResultRow row = sample_row(3);
    row.characteristics.overlap = std::nextafter(row.characteristics.overlap, 0.0);
    writer.append(row);
    writer.finish(std::nullopt);
  }
  const std::string message = message_of<InputError>([&] {
    merge_files({directory / "a.h5", directory / "b.h5"}, directory / "c.h5");
  });
  REQUIRE_THAT(message, Catch::Contains("b.h5: grid 4x1 has other numbers"));
  REQUIRE(message.find('\n') == std::string::npos);
  REQUIRE(names_in(directory.path()) == std::vector<std::string>{"a.h5", "b.h5"});
}

TEST_CASE("stores of different runs get a source column and a table of sources") {
  const TemporaryDirectory directory;
  write_store(directory / "a.h5", sample_setup(), 0, 5);
  write_store(directory / "b.h5", other_machine(), 0, 5);
  write_store(directory / "c.h5", sample_setup(), 3, 8);
  merge_files({directory / "a.h5", directory / "b.h5", directory / "c.h5"}, directory / "m.h5");
  const Store store = read_store(directory / "m.h5");
  REQUIRE(store.setup.extra_columns.size() == 1);
  REQUIRE(store.setup.extra_columns[0].name == "source");
  REQUIRE(store.table.rows.size() == 13);
  REQUIRE(store.table.extras == std::vector<double>{0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0});
  REQUIRE(store.setup.sources ==
          std::vector<RunDescription>{sample_description(), other_machine().description});
  REQUIRE(store.setup.description.machine.empty());
  REQUIRE(store.setup.description.trace_sha256 == "00ff");
  REQUIRE_FALSE(store.best.has_value());
}

TEST_CASE("merging is associative") {
  const TemporaryDirectory directory;
  write_store(directory / "a.h5", sample_setup(), 0, 5);
  write_store(directory / "b.h5", other_machine(), 0, 5);
  write_store(directory / "c.h5", sample_setup(), 3, 8);
  merge_files({directory / "a.h5", directory / "b.h5"}, directory / "ab.h5");
  merge_files({directory / "ab.h5", directory / "c.h5"}, directory / "ab_c.h5");
  merge_files({directory / "a.h5", directory / "b.h5", directory / "c.h5"}, directory / "abc.h5");
  const Store one = read_store(directory / "ab_c.h5");
  const Store two = read_store(directory / "abc.h5");
  REQUIRE(csv_of(one.table) == csv_of(two.table));
  REQUIRE(one.setup.sources == two.setup.sources);
}

TEST_CASE("results per interval are merged with their rows") {
  const TemporaryDirectory directory;
  StoreSetup setup = sample_setup();
  setup.intervals = sample_intervals();
  setup.interval_results = true;
  write_store(directory / "a.h5", setup, 0, 4);
  write_store(directory / "b.h5", setup, 2, 9);
  merge_files({directory / "a.h5", directory / "b.h5"}, directory / "c.h5");
  const ScriptResult result =
      run_script("check_store.py", {"intervals", (directory / "c.h5").string(), "9", "3"});
  INFO(result.output);
  REQUIRE(result.exit_code == 0);
}

TEST_CASE("stores with different columns are refused") {
  const TemporaryDirectory directory;
  StoreSetup with_extra = sample_setup();
  with_extra.extra_columns = {{"x", "1", "", ColumnType::float64}};
  StoreSetup with_intervals = sample_setup();
  with_intervals.intervals = sample_intervals();
  with_intervals.interval_results = true;
  write_store(directory / "a.h5", sample_setup(), 0, 4);
  write_store(directory / "b.h5", with_extra, 0, 4);
  write_store(directory / "c.h5", with_intervals, 0, 4);
  REQUIRE_THAT(message_of<InputError>([&] {
                 merge_files({directory / "a.h5", directory / "b.h5"}, directory / "m.h5");
               }),
               Catch::Contains("its input columns differ"));
  REQUIRE_THAT(message_of<InputError>([&] {
                 merge_files({directory / "a.h5", directory / "c.h5"}, directory / "m.h5");
               }),
               Catch::Contains("results per interval"));
  REQUIRE_THROWS_AS(merge_files({}, directory / "m.h5"), InputError);
}
