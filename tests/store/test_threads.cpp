// Rows of processes of several threads: what a store keeps of them, and what it refuses.

#include <catch2/catch.hpp>

#include "gridcast/base/error.h"
#include "gridcast/store/repair.h"
#include "gridcast/store/run_columns.h"
#include "gridcast/store/writer.h"
#include "sample.h"

using namespace gridcast::store;
using namespace gridcast::store::testing;

namespace {

constexpr RunColumns threads_and_places{true, true};

/// Row i with 1 to 3 threads, every other one placed by column.
ResultRow threaded_row(std::int64_t i) {
  ResultRow row = sample_row(i);
  row.set_run(static_cast<std::int32_t>(1 + i % 3), i % 2 == 0 ? 1 : 0);
  return row;
}

StoreSetup threaded_setup() {
  StoreSetup setup = sample_setup();
  setup.extra_columns = run_columns(threads_and_places);
  return setup;
}

void append_threaded(StoreWriter& writer, std::int64_t first, std::int64_t last) {
  for (std::int64_t i = first; i < last; ++i) {
    writer.append(threaded_row(i), run_values(threads_and_places, threaded_row(i)));
  }
}

void check_rows(const Store& store, std::size_t count) {
  REQUIRE(store.table.rows.size() == count);
  for (std::size_t i = 0; i < count; ++i) {
    const ResultRow right = threaded_row(static_cast<std::int64_t>(i));
    CHECK(store.table.rows[i].grid() == right.grid());
    CHECK(store.table.rows[i].placed() == right.placed());
  }
}

}  // namespace

TEST_CASE("threads, cores and placements come back as they were stored") {
  const TemporaryDirectory directory;
  const auto path = directory / "S.h5";
  Front front{{0.1, true, {1, 2, 1, 1}, 2, 1, 3.5, true, 1, 3}};
  Proof proof{
      24, 5, {{{{1, 2, 1, 1}, {4, 8, 1, 1}, 2}, 0.25}, {{{5, 1, 1, 1}, {5, 1, 1, 1}}, 0.5}}};
  {
    StoreWriter writer = StoreWriter::create(path, threaded_setup());
    append_threaded(writer, 0, 30);
  }  // as a kill would leave it: rows in the journal
  check_rows(read_store(path), 30);
  StoreWriter writer = StoreWriter::resume(path, threaded_setup());
  append_threaded(writer, 30, 60);
  writer.append_failure(threaded_row(61), "no reason",
                        run_values(threads_and_places, threaded_row(61)));
  writer.keep_front(front);
  writer.keep_proof(proof);
  writer.finish(Best{threaded_row(4), threaded_row(8)});
  const Store store = read_store(path);
  CHECK(store.failures.front().grid == threaded_row(61).grid().text());
  CHECK(store.best->chosen.grid() == threaded_row(4).grid());
  CHECK(store.best->unconstrained.grid().threads() == 3);
  CHECK(store.front == front);
  CHECK(store.proof->boxes == proof.boxes);
  CHECK(store.table.extras[0] == 1.0);
  CHECK(store.table.extras[7 * 4 + 1] ==
        static_cast<double>(threaded_row(4).threads() * threaded_row(4).processors));
}

TEST_CASE("a best grid with other threads than its row is found") {
  const TemporaryDirectory directory;
  for (const std::int32_t threads : {2, 3}) {
    const auto path = directory / ("S" + std::to_string(threads) + ".h5");
    StoreWriter writer = StoreWriter::create(path, threaded_setup());
    append_threaded(writer, 0, 20);
    ResultRow best = threaded_row(4);  // of two threads
    best.set_run(threads, 0);
    writer.finish(Best{best, threaded_row(5)});
    CHECK(inspect_store(path).sound == (threads == 2));
  }
}

TEST_CASE("rows whose threads and cores contradict each other are refused") {
  const TemporaryDirectory directory;
  const auto path = directory / "S.h5";
  StoreWriter writer = StoreWriter::create(path, threaded_setup());
  std::vector<double> values = run_values(threads_and_places, threaded_row(4));
  values[1] += 1.0;
  writer.append(threaded_row(4), values);
  writer.finish(std::nullopt);
  CHECK_THROWS_AS(read_store(path), gridcast::RunError);
  CHECK_FALSE(inspect_store(path).sound);
}
