#include <catch2/catch.hpp>
#include <cstring>
#include <fstream>

#include "gridcast/base/error.h"
#include "gridcast/store/journal.h"
#include "sample.h"

using namespace gridcast;
using namespace gridcast::store;
using namespace gridcast::store::testing;

namespace {

const JournalHeader header{std::string(32, 'a'), 5, 1, 3};

void write_journal(const std::filesystem::path& path, std::int64_t rows) {
  JournalWriter writer(path, header);
  for (std::int64_t i = 0; i < rows; ++i) {
    writer.append(5 + i, sample_row(i), std::vector<double>{0.5}, sample_interval_results(i, 3),
                  i == 1 ? "reason" : "");
  }
  writer.flush();
}

std::int64_t valid_records(const std::filesystem::path& path) {
  std::optional<JournalReader> reader = JournalReader::open(path);
  std::int64_t count = 0;
  while (const auto record = reader->next()) {
    const ResultRow expected = sample_row(count);
    if (std::memcmp(&record->row, &expected, sizeof expected) != 0) {
      return -1;
    }
    ++count;
  }
  return count;
}

void overwrite(const std::filesystem::path& path, std::streamoff offset, char value) {
  std::fstream stream(path, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekp(offset);
  stream.put(value);
}

}  // namespace

TEST_CASE("a journal gives back its header and records") {
  const TemporaryDirectory directory;
  const auto path = directory / "J";
  write_journal(path, 3);
  std::optional<JournalReader> reader = JournalReader::open(path);
  REQUIRE(reader->header().store_id == header.store_id);
  REQUIRE(reader->header().first_row == 5);
  for (std::int64_t i = 0; i < 3; ++i) {
    const auto record = reader->next();
    REQUIRE(record->number == 5 + i);
    REQUIRE(record->extras == std::vector<double>{0.5});
    REQUIRE(record->intervals.size() == 3);
    REQUIRE(record->intervals[2].overlap == number(18, 1000 * i + 2));
    REQUIRE(record->reason == (i == 1 ? "reason" : ""));
  }
  REQUIRE_FALSE(reader->next().has_value());
}

TEST_CASE("a journal cut at any byte gives all records before the cut") {
  const TemporaryDirectory directory;
  const auto path = directory / "J";
  write_journal(path, 3);
  const std::string whole = contents(path);
  write_journal(path, 0);
  const std::size_t begin = std::filesystem::file_size(path);
  write_journal(path, 1);
  const std::size_t record = std::filesystem::file_size(path) - begin;
  const std::size_t second = record + std::strlen("reason");
  for (std::size_t size = begin; size <= whole.size(); size += 7) {
    {
      std::ofstream stream(path, std::ios::binary);
      stream.write(whole.data(), static_cast<std::streamsize>(size));
    }
    const std::int64_t expected = size < begin + record            ? 0
                                  : size < begin + record + second ? 1
                                  : size < whole.size()            ? 2
                                                                   : 3;
    REQUIRE(valid_records(path) == expected);
  }
}

TEST_CASE("a flipped bit ends a journal before the damaged record") {
  const TemporaryDirectory directory;
  const auto path = directory / "J";
  write_journal(path, 3);
  REQUIRE(valid_records(path) == 3);
  const auto size = static_cast<std::streamoff>(std::filesystem::file_size(path));
  overwrite(path, size - 1, 'x');
  REQUIRE(valid_records(path) == 2);
}

TEST_CASE("a new journal replaces the old one") {
  const TemporaryDirectory directory;
  const auto path = directory / "J";
  write_journal(path, 3);
  write_journal(path, 1);
  REQUIRE(valid_records(path) == 1);
  REQUIRE(names_in(directory.path()) == std::vector<std::string>{"J"});
}

TEST_CASE("a file that is not a journal is an error, a missing one is not") {
  const TemporaryDirectory directory;
  const auto path = directory / "J";
  REQUIRE_FALSE(JournalReader::open(path).has_value());
  write_journal(path, 1);
  overwrite(path, 10, 'x');
  REQUIRE_THROWS_AS(JournalReader::open(path), RunError);
}
