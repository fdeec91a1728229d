// What a store says of its results against its rows.

#include <catch2/catch.hpp>

#include "gridcast/base/error.h"
#include "gridcast/store/reader.h"
#include "gridcast/store/repair.h"
#include "gridcast/store/writer.h"
#include "sample.h"

using namespace gridcast::store;
using namespace gridcast::store::testing;

namespace {

/// A finished store of 100 sample rows.
void make_store(const std::filesystem::path& path, const std::optional<Best>& best,
                const Front& front = {}) {
  StoreWriter writer = StoreWriter::create(path, sample_setup());
  for (std::int64_t i = 0; i < 100; ++i) {
    writer.append(sample_row(i));
  }
  writer.keep_front(front);
  writer.finish(best);
}

FrontEntry entry_of(std::int64_t i) {
  const ResultRow row = sample_row(i);
  return {0.05, false,         row.extents, row.processors, 1, row.characteristics.execution_time,
          true, row.processors};
}

std::string findings_of(const std::filesystem::path& path) {
  std::string text;
  for (const std::string& finding : inspect_store(path).findings) {
    text += finding + "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("a best that is none of the rows is found, and left out by a repair") {
  const TemporaryDirectory directory;
  const auto path = directory / "S.h5";
  ResultRow other = sample_row(7);
  other.characteristics.lost_time += 1.0;
  for (const Best& wrong : {Best{other, sample_row(5)}, Best{sample_row(5), ResultRow{}}}) {
    make_store(path, wrong);
    CHECK_FALSE(inspect_store(path).sound);
    CHECK_THAT(findings_of(path), Catch::Contains("/best"));
    CHECK(repair_store(path).done);
    const Store repaired = read_store(path);
    CHECK_FALSE(repaired.best.has_value());
    CHECK(repaired.state == StoreState::stopped);
    CHECK(csv_of(repaired.table) == expected_csv(100));
    CHECK(inspect_store(path).sound);
    std::filesystem::remove(path);
  }
  make_store(path, Best{sample_row(7), sample_row(5)});
  CHECK(inspect_store(path).sound);
}

TEST_CASE("the front is read as it was written, and each line must be a row") {
  const TemporaryDirectory directory;
  const Front front{entry_of(3), entry_of(40)};
  make_store(directory / "S.h5", std::nullopt, front);
  CHECK(read_store(directory / "S.h5").front == front);
  CHECK(inspect_store(directory / "S.h5").sound);
  Front wrong = front;
  wrong[1].execution_time *= 2.0;
  make_store(directory / "wrong.h5", std::nullopt, wrong);
  CHECK_FALSE(inspect_store(directory / "wrong.h5").sound);
  CHECK_THAT(findings_of(directory / "wrong.h5"), Catch::Contains("/front: the grid 41x1"));
  wrong = front;
  wrong[0].at_least = wrong[0].processors - 1;
  make_store(directory / "odd.h5", std::nullopt, wrong);
  CHECK_THROWS_AS(read_store(directory / "odd.h5"), gridcast::RunError);
}

TEST_CASE("what an earlier run has proven of the front stays") {
  FrontEntry open = entry_of(40);
  open.proven = false;
  open.at_least = 3;
  CHECK(joined({open}, {entry_of(30)}) == Front{entry_of(30)});
  FrontEntry known = open;
  known.at_least = 5;
  CHECK(joined({open}, {known}) == Front{known});
  CHECK(joined({entry_of(20)}, {open}) == Front{entry_of(20)});
  FrontEntry other = entry_of(30);
  other.within = 0.1;
  CHECK(joined({open}, {other}) == Front{open});
}
