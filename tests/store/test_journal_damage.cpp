#include <catch2/catch.hpp>
#include <cstring>
#include <fstream>

#include "gridcast/base/error.h"
#include "gridcast/store/journal.h"
#include "gridcast/store/writer.h"
#include "sample.h"

using namespace gridcast;
using namespace gridcast::store;
using namespace gridcast::store::testing;

namespace {

constexpr std::int64_t journal_rows = 20;
constexpr std::int64_t synced_rows = 12;

/// Twenty records, of which twelve are on disk.
void write_synced_journal(const std::filesystem::path& path, const std::string& store_id,
                          std::int64_t first_row) {
  JournalWriter writer(path, {store_id, first_row, 0, 0});
  for (std::int64_t i = 0; i < journal_rows; ++i) {
    writer.append(first_row + i, sample_row(first_row + i), {}, {}, {});
    if (i + 1 == synced_rows) {
      writer.flush();
      writer.sync();
    }
  }
  writer.flush();
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream stream(path, std::ios::binary);
  stream.write(text.data(), static_cast<std::streamsize>(text.size()));
}

/// What a journal gives: its rows and what it says is missing.
struct Yield {
  std::vector<std::int64_t> rows;
  std::int64_t missing = 0;
  bool damage = false;
  bool wrong = false;  ///< a row that was never written like that
};

Yield yield_of(JournalReader&& reader) {
  Yield result;
  while (const auto record = reader.next()) {
    const ResultRow expected = sample_row(record->number);
    result.wrong = result.wrong || std::memcmp(&record->row, &expected, sizeof expected) != 0;
    result.rows.push_back(record->number);
  }
  for (const JournalGap& gap : reader.gaps()) {
    result.missing += gap.rows;
    result.damage = result.damage || gap.damage;
  }
  return result;
}

const std::string some_id(32, 'a');
const std::size_t preamble_bytes = 152;

/// A store of four rows and a journal of twenty that continues it.
std::filesystem::path store_with_journal(const TemporaryDirectory& directory,
                                         std::int64_t first_row = 4) {
  const auto path = directory / "S.h5";
  StoreWriter writer = StoreWriter::create(path, sample_setup());
  for (std::int64_t i = 0; i < 4; ++i) {
    writer.append(sample_row(i));
  }
  writer.close();
  write_synced_journal(journal_path(path), read_store(path).store_id, first_row);
  return path;
}

/// Overwrites one byte of record `record`.
void damage_record(const std::filesystem::path& journal, std::int64_t record) {
  std::string bytes = contents(journal);
  const std::size_t length = (bytes.size() - preamble_bytes) / journal_rows;
  bytes[preamble_bytes + static_cast<std::size_t>(record) * length + length / 2] ^= 0x10;
  write_file(journal, bytes);
}

}  // namespace

TEST_CASE("no flipped bit of a journal goes unnoticed and none costs more than its record") {
  const TemporaryDirectory directory;
  const auto path = directory / "J";
  write_synced_journal(path, some_id, 5);
  const std::string whole = contents(path);
  for (std::size_t at = 0; at < whole.size(); at += 5) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << (at % 8)));
    write_file(path, bytes);
    std::optional<JournalReader> reader = JournalReader::salvage(path, {some_id, 5, 0, 0});
    const Yield yield = yield_of(std::move(*reader));
    CAPTURE(at);
    REQUIRE_FALSE(yield.wrong);
    if (at < preamble_bytes) {
      REQUIRE_FALSE(reader->header_valid());
      REQUIRE_THROWS_AS(JournalReader::open(path), RunError);
      REQUIRE(yield.rows.size() == journal_rows);
    } else {
      REQUIRE(yield.rows.size() == journal_rows - 1);
      REQUIRE(yield.missing == 1);
      const std::size_t length = (whole.size() - preamble_bytes) / journal_rows;
      REQUIRE(yield.damage == ((at - preamble_bytes) / length < synced_rows));
    }
  }
}

TEST_CASE("a journal that lost its end says how many records it had") {
  const TemporaryDirectory directory;
  const auto path = directory / "J";
  write_synced_journal(path, some_id, 0);
  const std::string whole = contents(path);
  const std::size_t length = (whole.size() - preamble_bytes) / journal_rows;
  for (const std::int64_t left : {0, 11, 12, 19}) {
    write_file(path, whole.substr(0, preamble_bytes + static_cast<std::size_t>(left) * length));
    const Yield yield = yield_of(*JournalReader::open(path));
    REQUIRE(yield.rows.size() == static_cast<std::size_t>(left));
    REQUIRE(yield.missing == journal_rows - left);
    REQUIRE(yield.damage == (left < synced_rows));
  }
}

TEST_CASE("part of a record behind all that was handed over is no damage") {
  const TemporaryDirectory directory;
  const auto path = directory / "J";
  write_synced_journal(path, some_id, 0);
  const std::string whole = contents(path);
  // A kill in the middle of write(2), before the progress in the header was renewed.
  write_file(path, whole + whole.substr(preamble_bytes, 100));
  const Yield yield = yield_of(*JournalReader::open(path));
  REQUIRE(yield.rows.size() == journal_rows);
  REQUIRE(yield.missing == 0);
  REQUIRE_FALSE(yield.damage);
}

TEST_CASE("bytes that were overwritten, repeated or put between are left out") {
  const TemporaryDirectory directory;
  const auto path = directory / "J";
  write_synced_journal(path, some_id, 0);
  std::string bytes = contents(path);
  const std::size_t length = (bytes.size() - preamble_bytes) / journal_rows;
  const std::size_t third = preamble_bytes + 3 * length;
  std::int64_t missing = 0;
  SECTION("two records hold what two others held") {
    bytes.replace(third, 2 * length, bytes.substr(preamble_bytes, 2 * length));
    missing = 2;
  }
  SECTION("two records come a second time") {
    bytes.insert(third, bytes.substr(preamble_bytes, 2 * length));
  }
  SECTION("zeros came between") { bytes.insert(third, 777, '\0'); }
  SECTION("zeros lie over five records") {
    // From the middle of one to the middle of another: a single byte may be a zero anyway.
    bytes.replace(third + length / 2, 4 * length, 4 * length, '\0');
    missing = 5;
  }
  write_file(path, bytes);
  const Yield yield = yield_of(*JournalReader::open(path));
  REQUIRE_FALSE(yield.wrong);
  REQUIRE(yield.rows.size() == static_cast<std::size_t>(journal_rows - missing));
  REQUIRE(yield.missing == missing);
  REQUIRE(yield.damage);
}

TEST_CASE("a store whose journal is damaged is refused and stays as it is") {
  const TemporaryDirectory directory;
  const auto path = store_with_journal(directory);
  REQUIRE(csv_of(read_store(path).table) == expected_csv(4 + journal_rows));
  damage_record(journal_path(path), 3);
  const std::string journal = contents(journal_path(path));
  const std::string expected = "is damaged: 1 of its rows cannot be read";
  REQUIRE_THAT(message_of<RunError>([&] { (void)read_store(path); }), Catch::Contains(expected));
  REQUIRE_THAT(
      message_of<RunError>([&] { (void)StoreWriter::resume(path, sample_setup()); }),
      Catch::Contains(expected) && Catch::Contains("gridcast store repair " + path.string()));
  REQUIRE(contents(journal_path(path)) == journal);
  REQUIRE(names_in(directory.path()) == std::vector<std::string>{"S.h5", "S.h5.journal"});
}

TEST_CASE("rows that were not yet on disk may be missing: a resume says how many and goes on") {
  const TemporaryDirectory directory;
  const auto path = store_with_journal(directory);
  damage_record(journal_path(path), 15);
  const std::string journal = contents(journal_path(path));
  const Store store = read_store(path);
  REQUIRE(store.unreadable_rows == 1);
  REQUIRE(store.table.rows.size() == 4 + journal_rows - 1);
  {
    StoreWriter writer = StoreWriter::resume(path, sample_setup());
    REQUIRE(writer.lost_rows() == 1);
    writer.append(sample_row(4 + 15));
    writer.close();
  }
  REQUIRE(csv_of(read_store(path).table) == expected_csv(4 + journal_rows));
  REQUIRE(contents(path.string() + ".journal.damaged") == journal);
}

TEST_CASE("a store that is older than its journal is refused") {
  const TemporaryDirectory directory;
  const auto path = store_with_journal(directory, 6);
  const std::string expected =
      "begins with row 6 but the store ends after 4 rows: the store is older than its journal";
  REQUIRE_THAT(message_of<RunError>([&] { (void)read_store(path); }), Catch::Contains(expected));
  REQUIRE_THAT(message_of<RunError>([&] { (void)StoreWriter::resume(path, sample_setup()); }),
               Catch::Contains(expected));
  REQUIRE(std::filesystem::exists(journal_path(path)));
}

TEST_CASE("a journal that cannot be opened is not an absent one") {
  const TemporaryDirectory directory;
  const auto path = store_with_journal(directory);
  std::filesystem::remove(journal_path(path));
  SECTION("it cannot be opened") {
    std::filesystem::create_symlink("S.h5.journal", journal_path(path));
  }
  SECTION("it cannot be read") { std::filesystem::create_directory(journal_path(path)); }
  REQUIRE_THROWS_AS(read_store(path), RunError);
  REQUIRE_THROWS_AS(StoreWriter::resume(path, sample_setup()), RunError);
}
