#include <catch2/catch.hpp>
#include <vector>

#include "gridcast/store/writer.h"
#include "sample.h"

namespace gridcast::store::testing {
namespace {

StoreSetup setup_with_intervals() {
  StoreSetup setup = sample_setup();
  setup.chunk_rows = 4;
  setup.extra_columns = {{"variant", "1", "machine variant", ColumnType::int64}};
  setup.intervals = sample_intervals();
  setup.interval_results = true;
  return setup;
}

/// Rows 0 to 9, of which 0, 3 and 9 failed.
void write_with_failures(const std::filesystem::path& path, const StoreSetup& setup,
                         bool complete) {
  StoreWriter writer = StoreWriter::create(path, setup);
  for (std::int64_t i = 0; i < 10; ++i) {
    const std::vector<double> extras{static_cast<double>(i)};
    if (i % 3 == 0 && i != 6) {
      writer.append_failure(sample_row(i), "reason", extras);
    } else {
      writer.append(sample_row(i), extras, sample_interval_results(i, 3));
    }
  }
  if (complete) {
    writer.finish(std::nullopt);
  }
}

}  // namespace

TEST_CASE("a failure for a temporary cause has no row and is forgotten by the next start") {
  const TemporaryDirectory directory;
  const auto path = directory / "S.h5";
  const machine::Grid grid = machine::Grid::parse("512x512");
  {
    StoreWriter writer = StoreWriter::create(path, sample_setup());
    writer.append(sample_row(0));
    writer.postpone(grid, "not enough memory", FailureCause::memory);
    writer.append_failure(sample_row(1), "too deep");
    writer.postpone(grid, "its workers were lost", FailureCause::lost);
    REQUIRE(writer.rows() == 2);
    writer.close();
  }
  const Store stopped = read_store(path);
  REQUIRE(stopped.table.rows.size() == 2);
  REQUIRE(stopped.failures ==
          std::vector<Failure>{{1, "2x1", "too deep", FailureCause::prediction},
                               {-1, "512x512", "not enough memory", FailureCause::memory},
                               {-1, "512x512", "its workers were lost", FailureCause::lost}});
  StoreWriter::resume(path, sample_setup()).finish(std::nullopt);
  REQUIRE(read_store(path).failures ==
          std::vector<Failure>{{1, "2x1", "too deep", FailureCause::prediction}});
}

TEST_CASE("a resume that tries failed configurations again drops their rows and nothing else") {
  const TemporaryDirectory directory;
  const auto path = directory / "S.h5";
  const StoreSetup setup = setup_with_intervals();
  // A killed writer leaves rows in the journal, a finished one has them all in the file.
  const bool complete = GENERATE(false, true);
  write_with_failures(path, setup, complete);
  const std::string identity = read_store(path).store_id;
  REQUIRE(read_store(path).table.rows.size() == 10);
  {
    StoreWriter writer = StoreWriter::resume(path, setup, FailedRows::drop);
    REQUIRE(writer.rows() == 7);
    // As a kill now would leave it.
    REQUIRE(read_store(path).table.rows.size() == 7);
    writer.append(sample_row(3), std::vector<double>{3}, sample_interval_results(3, 3));
  }
  const Store store = read_store(path);
  REQUIRE(store.store_id == identity);
  REQUIRE(store.state == StoreState::killed);
  REQUIRE(store.failures.empty());
  REQUIRE(store.table.extras == std::vector<double>{1, 2, 4, 5, 6, 7, 8, 3});
  for (std::size_t i = 0; i < store.table.rows.size(); ++i) {
    const auto row = static_cast<std::int64_t>(store.table.extras[i]);
    REQUIRE(store.table.rows[i].characteristics.execution_time == number(1, row));
  }
  StoreWriter::resume(path, setup).close();
  StoreReader reader(path);
  std::vector<model::Characteristics> intervals;
  reader.read_rows([&](const RowBatch& batch) {
    intervals.insert(intervals.end(), batch.intervals.begin(), batch.intervals.end());
  });
  REQUIRE(intervals.size() == 24);
  REQUIRE(intervals[3 * 7].execution_time == sample_interval_results(3, 1)[0].execution_time);
}

TEST_CASE("a reader gives all rows as often as it is asked, those of the journal, too") {
  const TemporaryDirectory directory;
  const auto path = directory / "S.h5";
  const bool complete = GENERATE(false, true);
  write_with_failures(path, setup_with_intervals(), complete);
  StoreReader reader(path);
  for (int time = 0; time < 3; ++time) {
    std::vector<double> extras;
    reader.read_rows([&](const RowBatch& batch) {
      extras.insert(extras.end(), batch.extras.begin(), batch.extras.end());
    });
    CAPTURE(complete, time);
    REQUIRE(extras == std::vector<double>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
    REQUIRE(reader.about().failures.size() == 3);
    REQUIRE(reader.about().journal_rows == (complete ? 0 : 10));
  }
}

}  // namespace gridcast::store::testing
