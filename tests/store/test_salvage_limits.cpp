// Records for repair whose digests are right and whose numbers no store can have: what is known of
// rows by other records must not suffer.

#include <catch2/catch.hpp>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "gridcast/store/repair.h"
#include "gridcast/store/writer.h"
#include "sample.h"
#include "store/recovery_record.h"

using namespace gridcast::store;
using namespace gridcast::store::testing;

namespace {

constexpr std::int64_t forged_rows = 40;
constexpr std::int64_t greatest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();

void append_bytes(const std::filesystem::path& path, const std::vector<std::byte>& bytes) {
  std::string text = contents(path);
  text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::ofstream(path, std::ios::binary) << text;
}

}  // namespace

TEST_CASE("records of rows that no store can have cost no row") {
  const auto [first, count] = GENERATE(table<std::int64_t, std::int64_t>({{0, greatest},
                                                                          {greatest, 1},
                                                                          {greatest - 7, 8},
                                                                          {greatest, greatest},
                                                                          {least, 5},
                                                                          {-1, 2},
                                                                          {16, least},
                                                                          {1, greatest}}));
  const bool in_summary = GENERATE(false, true);
  CAPTURE(first, count, in_summary);
  const TemporaryDirectory directory;
  const auto path = directory.path() / "S.h5";
  StoreSetup setup = sample_setup();
  setup.chunk_rows = 16;
  {
    StoreWriter writer = StoreWriter::create(path, setup);
    for (std::int64_t i = 0; i < forged_rows; ++i) {
      writer.append(sample_row(i));
    }
    writer.finish(Best{sample_row(1), sample_row(2)});
  }
  const FoundRecords before = find_records(path);
  REQUIRE(before.summary);
  const ChunkRecord forged{first, count, before.chunks.at(0).pieces};
  if (in_summary) {
    SummaryRecord summary = *before.summary;
    summary.chunks.push_back(forged);
    append_bytes(path, summary_record(summary, 1U << 30U));
  } else {
    append_bytes(path, chunk_record(forged));
  }
  const FoundRecords after = find_records(path);
  REQUIRE(after.chunks.size() == before.chunks.size());
  for (const auto& [row, chunk] : after.chunks) {
    REQUIRE(chunk.count == before.chunks.at(row).count);
  }
  // What is behind the seal makes the store a damaged one; every row is still found.
  REQUIRE_FALSE(inspect_store(path).sound);
  REQUIRE(repair_store(path).rows == forged_rows);
  REQUIRE(csv_of(read_store(path).table) == expected_csv(forged_rows));
}
