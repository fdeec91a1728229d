#include <catch2/catch.hpp>
#include <fstream>

#include "gridcast/base/error.h"
#include "gridcast/store/journal.h"
#include "gridcast/store/reader.h"
#include "gridcast/store/writer.h"
#include "sample.h"

using namespace gridcast;
using namespace gridcast::store;
using namespace gridcast::store::testing;

namespace {

StoreSetup small_chunks() {
  StoreSetup setup = sample_setup();
  setup.chunk_rows = 16;
  return setup;
}

void append_rows(StoreWriter& writer, std::int64_t first, std::int64_t last) {
  for (std::int64_t i = first; i < last; ++i) {
    writer.append(sample_row(i));
  }
}

/// Adds rows up to `last` and leaves in `copy` what a kill after them would leave.
void abandon(const std::filesystem::path& path, std::int64_t last,
             const std::filesystem::path& copy) {
  StoreWriter writer = std::filesystem::exists(path) ? StoreWriter::resume(path, small_chunks())
                                                     : StoreWriter::create(path, small_chunks());
  append_rows(writer, writer.rows(), last);
  writer.flush();
  for (const char* suffix : {"", ".journal", ".next"}) {
    std::filesystem::copy_file(path.string() + suffix, copy.string() + suffix);
  }
}

}  // namespace

TEST_CASE("an interrupted store goes on and ends like an uninterrupted one") {
  const TemporaryDirectory directory;
  const auto path = directory / "S.h5";
  const std::int64_t cut = GENERATE(0, 1, 15, 16, 17, 40, 100);
  constexpr std::int64_t rows = 150;
  {
    StoreWriter writer = StoreWriter::create(path, small_chunks());
    append_rows(writer, 0, cut);
    writer.close();
  }
  REQUIRE(names_in(directory.path()) == std::vector<std::string>{"S.h5"});
  REQUIRE(read_store(path).state == StoreState::stopped);
  REQUIRE(csv_of(read_store(path).table) == expected_csv(cut));
  {
    StoreWriter writer = StoreWriter::resume(path, small_chunks());
    REQUIRE(writer.rows() == cut);
    append_rows(writer, cut, rows);
    writer.finish(std::nullopt);
  }
  REQUIRE(read_store(path).state == StoreState::complete);
  REQUIRE(csv_of(read_store(path).table) == expected_csv(rows));
  REQUIRE(run_script("check_store.py", {"table", path.string(), std::to_string(rows)}).exit_code ==
          0);
}

TEST_CASE("rows of the journal are read and taken over") {
  const TemporaryDirectory directory;
  std::filesystem::path path = directory / "S0.h5";
  for (const std::int64_t rows : {5, 16, 50, 51, 64, 90}) {
    const std::filesystem::path left = directory / ("S" + std::to_string(rows) + ".h5");
    abandon(path, rows, left);
    const Store store = read_store(left);
    REQUIRE(store.state == StoreState::killed);
    REQUIRE(csv_of(store.table) == expected_csv(rows));
    path = left;
  }
  REQUIRE(read_store(path).journal_rows > 0);
  StoreWriter::resume(path, small_chunks()).finish(std::nullopt);
  const Store store = read_store(path);
  REQUIRE(csv_of(store.table) == expected_csv(90));
  REQUIRE(store.journal_rows == 0);
  REQUIRE(store.state == StoreState::complete);
}

TEST_CASE("journal records that the snapshot has already are not taken twice") {
  const TemporaryDirectory directory;
  const auto path = directory / "S.h5";
  const auto copy = directory / "copy.h5";
  {
    StoreWriter writer = StoreWriter::create(path, small_chunks());
    append_rows(writer, 0, 10);
    writer.flush();
    std::filesystem::copy_file(path.string() + ".journal", copy.string() + ".journal");
    append_rows(writer, 10, 30);
    writer.close();
  }
  // A kill between the new snapshot and the new journal leaves this pair.
  std::filesystem::copy_file(path, copy);
  REQUIRE(csv_of(read_store(copy).table) == expected_csv(30));
  StoreWriter::resume(copy, small_chunks()).close();
  REQUIRE(csv_of(read_store(copy).table) == expected_csv(30));
}

TEST_CASE("failures and extra columns survive in the journal") {
  const TemporaryDirectory directory;
  const auto path = directory / "S.h5";
  StoreSetup setup = small_chunks();
  setup.extra_columns = {{"variant", "1", "machine variant", ColumnType::int64}};
  setup.intervals = sample_intervals();
  setup.interval_results = true;
  {
    StoreWriter writer = StoreWriter::create(path, setup);
    writer.append(sample_row(0), std::vector<double>{7}, sample_interval_results(0, 3));
    writer.append_failure(sample_row(1), "worker died", std::vector<double>{8});
  }
  const Store killed = read_store(path);
  REQUIRE(killed.state == StoreState::killed);
  REQUIRE(killed.failures == std::vector<Failure>{{1, "2x1", "worker died"}});
  REQUIRE(killed.table.extras == std::vector<double>{7, 8});
  StoreWriter::resume(path, setup).close();
  const Store store = read_store(path);
  REQUIRE(store.failures == killed.failures);
  REQUIRE(store.table.extras == killed.table.extras);
  StoreReader reader(path);
  std::vector<model::Characteristics> intervals;
  reader.read_rows([&](const RowBatch& batch) { intervals = batch.intervals; });
  REQUIRE(intervals.size() == 6);
  REQUIRE(intervals[2].execution_time == number(1, 2));
  REQUIRE(intervals[5].execution_time == 0.0);
}

TEST_CASE("a complete store that gets nothing new stays as it is") {
  const TemporaryDirectory directory;
  const auto path = directory / "S.h5";
  {
    StoreWriter writer = StoreWriter::create(path, small_chunks());
    append_rows(writer, 0, 20);
    writer.finish(Best{sample_row(1), sample_row(2)});
  }
  const std::string before = contents(path);
  StoreWriter::resume(path, small_chunks()).close();
  REQUIRE(contents(path) == before);
  { const StoreWriter abandoned = StoreWriter::resume(path, small_chunks()); }
  REQUIRE(contents(path) == before);
  REQUIRE(read_store(path).state == StoreState::complete);
}

TEST_CASE("a store is not resumed for another run, and the message says what differs") {
  const TemporaryDirectory directory;
  const auto path = directory / "S.h5";
  StoreWriter::create(path, sample_setup()).close();
  StoreSetup other = sample_setup();
  std::string expected;
  SECTION("trace") {
    other.description.trace_sha256 = "ff00";
    expected = "trace_sha256 differs, '00ff' in the store, 'ff00' now";
  }
  SECTION("machine") {
    other.description.machine = "cluster mvs\nTStart = 10\nTByte = 0.01\n";
    expected = "machine differs, first in line 2: 'TStart = 9' in the store, 'TStart = 10' now";
  }
  SECTION("machine with more at its end") {
    other.description.machine += "search = 2\n";
    expected = "machine differs, first in line 4: '' in the store, 'search = 2' now";
  }
  SECTION("mode") {
    other.description.mode = 2;
    expected = "mode differs, '3' in the store, '2' now";
  }
  SECTION("objective") {
    other.description.objective = "efficiency";
    expected = "objective differs, 'time' in the store, 'efficiency' now";
  }
  SECTION("options") {
    other.description.options = "{}";
    other.description.model_version = "m1 with other options";
    expected = "options differs, '{\"startup\":\"count\"}' in the store, '{}' now";
  }
  SECTION("version of the model") {
    other.description.model_version = "m2";
    expected = "model_version differs, 'm1' in the store, 'm2' now";
  }
  SECTION("results per interval") {
    other.intervals = sample_intervals();
    other.interval_results = true;
    expected = "the store has no results per interval and this run has";
  }
  SECTION("input columns") {
    other.extra_columns = {{"x", "1", "", ColumnType::float64}};
    expected = "the store has other input columns than this run";
  }
  const std::string message =
      message_of<InputError>([&] { (void)StoreWriter::resume(path, other); });
  REQUIRE_THAT(message, Catch::Contains(expected));
  REQUIRE(message.find('\n') == std::string::npos);
  REQUIRE(names_in(directory.path()) == std::vector<std::string>{"S.h5"});
}

TEST_CASE("there must be a store to resume, and its journal must be its own") {
  const TemporaryDirectory directory;
  const auto path = directory / "S.h5";
  REQUIRE_THAT(message_of<InputError>([&] { (void)StoreWriter::resume(path, sample_setup()); }),
               Catch::Contains("there is no such store"));
  {
    StoreWriter writer = StoreWriter::create(path, sample_setup());
    append_rows(writer, 0, 3);
  }
  std::filesystem::remove(path);
  REQUIRE_THAT(message_of<InputError>([&] { (void)StoreWriter::create(path, sample_setup()); }),
               Catch::Contains("is the journal of a store that is gone"));
  const auto other = directory / "T.h5";
  StoreWriter::create(other, sample_setup()).close();
  std::filesystem::rename(journal_path(path), journal_path(other));
  REQUIRE_THAT(message_of<InputError>([&] { (void)read_store(other); }),
               Catch::Contains("belongs to another store"));
  REQUIRE_THAT(message_of<InputError>([&] { (void)StoreWriter::resume(other, sample_setup()); }),
               Catch::Contains("belongs to another store"));
}

TEST_CASE("a store keeps what a search has shown of grids without rows") {
  const TemporaryDirectory directory;
  const auto path = directory / "S.h5";
  Proof early{
      4096, 5, {{{{1, 2, 1, 1}, {4, 8, 1, 1}}, 0.25}, {{{5, 1, 1, 1}, {5, 1, 1, 1}}, -1.5}}};
  const auto stop_with = [&](const Proof& proof) {
    StoreWriter writer = std::filesystem::exists(path) ? StoreWriter::resume(path, small_chunks())
                                                       : StoreWriter::create(path, small_chunks());
    writer.append(sample_row(writer.rows()));
    writer.keep_proof(proof);
    writer.close();
    return StoreReader(path).about().proof.value();
  };
  const Proof stored = stop_with(early);
  CHECK(stored.max_processors == 4096);
  CHECK(stored.excluded == 5);
  CHECK(stored.boxes == early.boxes);
  // A run that was stopped before it had excluded as much takes nothing away.
  CHECK(stop_with({4096, 4, {}}).boxes == early.boxes);
  early.boxes.pop_back();
  early.excluded = 6;
  CHECK(stop_with(early).boxes == early.boxes);
  {
    // A kill leaves what the run before had shown.
    StoreWriter writer = StoreWriter::resume(path, small_chunks());
    writer.append(sample_row(writer.rows()));
  }
  CHECK(read_store(path).proof.value().boxes == early.boxes);
  StoreWriter writer = StoreWriter::resume(path, small_chunks());
  writer.keep_proof({4096, 0, {}});
  writer.finish(std::nullopt);
  CHECK(read_store(path).proof.value().boxes.empty());
  CHECK(read_store(path).table.rows.size() == 4);
}
